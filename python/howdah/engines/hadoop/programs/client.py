"""The JVM that submits a job, and the end of its applications if the run is aborted."""

from __future__ import annotations

import logging
import posixpath
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from howdah.engines.base import sha256
from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.processes import PATIENCE_S, RunningProgram
from howdah.installation.java_programs import BRIEF, PROGRAMS, java_command
from howdah.services.errors import ServiceError
from howdah.services.resourcemanager import AppFacts, ResourceManager

_LOG = logging.getLogger(__name__)
_SUBMITTED = re.compile(r"Submitted application (application_\d+_\d+)")
_ENDED = frozenset({"FINISHED", "FAILED", "KILLED"})
_KILL_PATIENCE_S = 30.0
_CLIENT_S = 60.0
_POLL_S = 1.0


class Client(RunningProgram):
    """A running client; its submitted job continues without it."""

    def __init__(self, command: Sequence[str], directory: Path, patience_s: float = PATIENCE_S) -> None:
        self.application: str | None = None
        """The application it submitted, once it has."""
        super().__init__(command, directory, patience_s=patience_s)

    def read_line(self, line: str) -> None:
        """Note which application was submitted."""
        if self.application is None and (match := _SUBMITTED.search(line)):
            self.application = match[1]


def run_tag(path: str) -> str:
    """Return the tag of all applications of the run with this path, in lower case as YARN stores it.

    Runs of the same minute on several machines have the same name, but different directories in HDFS.
    """
    return f"howdah-{posixpath.basename(path)}-{sha256(path)[:8]}".lower()


def kill_applications(
    target: HadoopTarget, manager: ResourceManager, tag: str, patience_s: float = _KILL_PATIENCE_S
) -> None:
    """Kill every application with a tag and wait for its end.

    If the ResourceManager's web server does not allow it, the client's own protocol is tried. Raises
    ServiceError if the ResourceManager does not answer, or if an application does not end in ``patience_s``.
    """
    for app in _at_work(manager, tag):
        _LOG.info("killing %s", app.id)
        try:
            manager.kill(app.id)
        except ServiceError as error:
            _LOG.info("%s", error)
            try:
                done = run_tool(target, "application", "application", "-kill", app.id, seconds=_CLIENT_S)
            except subprocess.TimeoutExpired:
                _LOG.info("the client did not end %s in %g s", app.id, _CLIENT_S)
            else:
                _LOG.info("%s", done.stderr[-2_000:])
    # The run's directory is removed next, so no container may write any more.
    end = time.monotonic() + patience_s
    while running := _at_work(manager, tag):
        if time.monotonic() > end:
            raise ServiceError(
                running[0].id,
                f"was killed and has not ended within {patience_s:g} s",
                f"yarn application -status {running[0].id}",
            )
        time.sleep(_POLL_S)


def run_tool(
    target: HadoopTarget, program: str, *words: str, seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run one of Hadoop's client tools; raise TimeoutExpired after ``seconds``."""
    command = java_command(target.installation, target.conf_dir, PROGRAMS[program], *words, options=BRIEF)
    return subprocess.run(
        [*target.client_prefix, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )


def _at_work(manager: ResourceManager, tag: str) -> list[AppFacts]:
    return [app for app in manager.apps(applicationTags=tag) if app.state not in _ENDED]
