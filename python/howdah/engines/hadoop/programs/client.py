"""The JVM that submits a job, and the end of its applications where the run is given up."""

from __future__ import annotations

import logging
import os
import posixpath
import re
import signal
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread

from howdah.engines.children import end_with_parent
from howdah.engines.digests import sha256
from howdah.engines.hadoop.target import HadoopTarget
from howdah.installation.command import BRIEF, PROGRAMS, java_command
from howdah.services.errors import ServiceError
from howdah.services.resourcemanager import AppFacts, ResourceManager

_LOG = logging.getLogger(__name__)
_SUBMITTED = re.compile(r"Submitted application (application_\d+_\d+)")
_KEPT_LINES = 1_000
_LINE_CHARACTERS = 2_000
_PATIENCE_S = 10.0

_ENDED = frozenset({"FINISHED", "FAILED", "KILLED"})
_KILL_PATIENCE_S = 30.0
_CLIENT_S = 60.0
_POLL_S = 1.0


class Client:
    """A client that runs; all it says goes to howdah's log, its last lines are kept.

    It has a process group of its own, so that Ctrl-C reaches howdah alone, which then ends the job too.
    When howdah is killed it ends.
    ``patience_s`` is how long it may take to end when it is asked to.
    """

    def __init__(self, command: Sequence[str], directory: Path, patience_s: float = _PATIENCE_S) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # A client whose howdah is killed could still submit a job, much later.
            preexec_fn=end_with_parent,  # noqa: PLW1509 (it calls one function that was loaded before)
        )
        self._patience_s = patience_s
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._silent = Event()
        self.application: str | None = None
        """The application it submitted, once it has."""
        self.ended_ns = 0
        """When it ended, on CLOCK_MONOTONIC."""
        self._reader = Thread(target=self._read, name="howdah-client", daemon=True)
        self._reader.start()

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines it said, of its log and of its results."""
        return tuple(self._lines)

    def wait(self, seconds: float) -> bool:
        """Wait so long for its end; whether it came."""
        return self._silent.wait(seconds)

    def exit_code(self) -> int:
        """Its exit code, once it has ended."""
        return self._process.wait()

    def end(self) -> None:
        """End it, if it has not ended by itself; the job it submitted goes on without it."""
        for stop in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                os.killpg(self._process.pid, stop)
                self._silent.wait(self._patience_s)
        self._process.wait()
        self._reader.join(self._patience_s)

    def _read(self) -> None:
        """Take lines until there are no more, which is when the process has ended."""
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for raw in output:
                line = raw.decode(errors="replace").rstrip()[:_LINE_CHARACTERS]
                self._lines.append(line)
                _LOG.info("%s", line)
                if self.application is None and (match := _SUBMITTED.search(line)):
                    self.application = match[1]
        self.ended_ns = time.monotonic_ns()
        self._silent.set()


def run_tag(path: str) -> str:
    """What every application of the run that works in a path is tagged with; YARN keeps it in small letters.

    Runs of the same minute on several machines have one name, but no two have one directory in HDFS.
    """
    return f"howdah-{posixpath.basename(path)}-{sha256(path)[:8]}".lower()


def kill_applications(
    target: HadoopTarget, manager: ResourceManager, tag: str, patience_s: float = _KILL_PATIENCE_S
) -> None:
    """End every application with a tag and wait until it has.

    What the ResourceManager's web server does not let this user end, the client's own protocol may.
    Raises ServiceError where the ResourceManager does not answer, or an application does not end in
    ``patience_s``.
    """
    for app in _at_work(manager, tag):
        _LOG.info("killing %s", app.id)
        try:
            manager.kill(app.id)
        except ServiceError as error:
            _LOG.info("%s", error)
            _kill_by_client(target, app.id)
    _await_end(manager, tag, patience_s)


def _kill_by_client(target: HadoopTarget, application: str) -> None:
    command = java_command(
        target.installation,
        target.conf_dir,
        PROGRAMS["application"],
        "application",
        "-kill",
        application,
        options=BRIEF,
    )
    try:
        done = subprocess.run(
            [*target.client_prefix, *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_CLIENT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        _LOG.info("the client did not end %s in %g s", application, _CLIENT_S)
    else:
        _LOG.info("%s", done.stderr[-2_000:])


def _await_end(manager: ResourceManager, tag: str, patience_s: float) -> None:
    """Wait until no container can write any more: the run's directory is removed next."""
    end = time.monotonic() + patience_s
    while left := _at_work(manager, tag):
        if time.monotonic() > end:
            raise ServiceError(
                left[0].id,
                f"was killed and has not ended within {patience_s:g} s",
                f"yarn application -status {left[0].id}",
            )
        time.sleep(_POLL_S)


def _at_work(manager: ResourceManager, tag: str) -> list[AppFacts]:
    return [app for app in manager.apps(applicationTags=tag) if app.state not in _ENDED]
