"""A program that an engine started: what it says is followed, and it ends with the engine."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from howdah.engines.children import end_with_parent

_LOG = logging.getLogger(__name__)
_KEPT_LINES = 1_000
_LINE_CHARACTERS = 2_000
PATIENCE_S = 10.0


class RunningProgram:
    """A program that runs; all it says goes to howdah's log, its last lines are kept.

    It has a process group of its own, so that Ctrl-C reaches howdah alone, which then ends it too.
    When howdah is killed it ends.
    ``environment`` is all it finds there, howdah's own where it is not given; ``patience_s`` is how long it
    may take to end when it is asked to. Raises OSError where it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        directory: Path,
        *,
        environment: Mapping[str, str] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=directory,
            env=environment,
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
        self.ended_ns = 0
        """When it ended, on CLOCK_MONOTONIC."""
        self._reader = Thread(target=self._read, name="howdah-program", daemon=True)
        self._reader.start()

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines it said, of its log and of its results."""
        return tuple(self._lines)

    def said(self, line: str) -> None:
        """Told of every line, on a thread of its own."""

    def wait(self, seconds: float) -> bool:
        """Wait so long for its end; whether it came."""
        return self._silent.wait(seconds)

    def exit_code(self) -> int:
        """Its exit code, once it has ended."""
        return self._process.wait()

    def end(self) -> None:
        """End it and all that it started, if it has not ended by itself."""
        for stop in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                with suppress(ProcessLookupError):
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
                self.said(line)
        self.ended_ns = time.monotonic_ns()
        self._silent.set()
