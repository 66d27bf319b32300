"""Programs that an engine starts: followed by their output, and ended with howdah."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import socket
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from threading import Event, Thread

from howdah.files import scratch_folder
from howdah.model.base import Model

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1
Environment = Mapping[str, str] | None  # All that a program has; howdah's own where it is None.


def end_with_parent() -> None:
    """Let the kernel end this process with its parent; called in a child before its program begins."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def start_program(
    command: Sequence[str],
    directory: Path,
    environment: Environment,
    stdin: int = PIPE,
    stderr: int = DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a program away from Ctrl-C, which ends with howdah: a client could submit a job much later."""
    return subprocess.Popen(
        command,
        cwd=directory,
        env=environment,
        stdin=stdin,
        stdout=PIPE,
        stderr=stderr,
        start_new_session=True,
        preexec_fn=end_with_parent,  # noqa: PLW1509 (it calls one function that was loaded before)
    )


class ProcessIdentity(Model):
    """A process, named so that no later one is taken for it."""

    host: str
    boot: str
    pid: int
    started: int  # When it started, in the kernel's ticks since boot.


def this_process() -> ProcessIdentity:
    """The process that calls."""
    started = _started(os.getpid())
    assert started is not None
    return ProcessIdentity(host=socket.gethostname(), boot=_boot(), pid=os.getpid(), started=started)


def is_dead(process: ProcessIdentity) -> bool | None:
    """Whether a process has ended; None for a process of another machine."""
    if process.host != socket.gethostname():
        return None
    return process.boot != _boot() or _started(process.pid) != process.started


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _started(pid: int) -> int | None:
    """When a process started; None if it is not there, or has ended and only waits to be noticed."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name before may hold anything, brackets too; state is the next field, starttime the 20th.
    state, *fields = text.rpartition(")")[2].split()
    return None if state in "ZX" else int(fields[18])


_LOG = logging.getLogger(__name__)
_KEPT_LINES = 1_000
_LINE_CHARACTERS = 2_000
PATIENCE_S = 10.0


class RunningProgram:
    """A program whose output is logged, its last lines kept; raises OSError if it cannot start."""

    def __init__(
        self,
        command: Sequence[str],
        directory: Path,
        *,
        environment: Mapping[str, str] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._process = start_program(command, directory, environment, stdin=DEVNULL, stderr=STDOUT)
        self._patience_s = patience_s
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._silent = Event()
        self.ended_ns = 0  # When it ended, on CLOCK_MONOTONIC.
        self._reader = Thread(target=self._read, name="howdah-program", daemon=True)
        self._reader.start()

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines of its log and of its results."""
        return tuple(self._lines)

    def read_line(self, line: str) -> None:
        """Called with every line, in another thread."""

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
                self.read_line(line)
        self.ended_ns = time.monotonic_ns()
        self._silent.set()


class ConcurrentProgram:
    """A program next to a run, its lines passed on in a thread; raises OSError if it cannot start."""

    def __init__(
        self, command: Sequence[str], on_line: Callable[[str], None], *, environment: Environment = None
    ) -> None:
        self._on_line = on_line
        self._folder = ExitStack()
        folder = self._folder.enter_context(scratch_folder("beside"))
        self._process = start_program(command, folder, environment)
        self._reader = Thread(target=self._read, name="howdah-beside", daemon=True)
        self._reader.start()

    @property
    def silent(self) -> bool:
        """Whether all its lines were passed on, because it has ended."""
        return not self._reader.is_alive()

    def send(self, line: str) -> None:
        """Write a line to its input; raises OSError if it has ended."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()

    def end(self, within_s: float) -> bool:
        """Wait for its end, or kill it after a timeout; return whether it ended by itself. Safe to repeat."""
        if self._process.returncode is not None:
            return True
        try:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait(within_s)
        except (OSError, subprocess.TimeoutExpired):
            _LOG.info("%s did not end by itself", self._process.args)
        ended = self._process.returncode is not None
        with suppress(ProcessLookupError):
            # Also what it started.
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        # Its child processes may still have its output open.
        self._reader.join(within_s)
        self._folder.close()
        return ended

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                # The last line of a killed process may be incomplete.
                if line.endswith(b"\n"):
                    self._on_line(line.decode(errors="replace").rstrip("\n"))
