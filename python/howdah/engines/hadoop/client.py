"""The JVM that submits a job and waits for its end."""

from __future__ import annotations

import ctypes
import logging
import os
import re
import signal
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread

_LOG = logging.getLogger(__name__)
_SUBMITTED = re.compile(r"Submitted application (application_\d+_\d+)")
_KEPT_LINES = 1_000
_LINE_CHARACTERS = 2_000
_PATIENCE_S = 10.0
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def _end_with_parent() -> None:
    """Let the kernel end a client whose howdah is killed: it could still submit a job, much later."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


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
            preexec_fn=_end_with_parent,  # noqa: PLW1509 (it calls one function that was loaded before)
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
                if self.application is None and (found := _SUBMITTED.search(line)):
                    self.application = found[1]
        self.ended_ns = time.monotonic_ns()
        self._silent.set()
