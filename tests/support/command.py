"""Runs the ``howdah`` command as a user does."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing import forkserver
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory

import howdah.cli as commands
from howdah.cli.main import main
from howdah.report import renderer
from support.patience import PATIENCE_S

HOWDAH = Path(sys.executable).with_name("howdah")
"""The command itself, for tests of signals, exit codes, pipes and terminals."""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        *(module.name for module in iter_modules(commands.__path__, "howdah.cli.")),
        "howdah.serve.export",
        "howdah.serve.server",
    ]
)


class ForkedCommand:
    """The command in a process forked from one that has imported howdah, with the methods of Popen.

    Importing takes most of a short command's CPU time. What the command prints goes into files.
    """

    def __init__(self, *arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> None:
        self.words = [str(HOWDAH), *map(str, arguments)]
        self._folder = TemporaryDirectory(prefix="howdah-command-")
        self._streams = Path(self._folder.name, "stdout"), Path(self._folder.name, "stderr")
        for stream in self._streams:
            stream.touch()
        self._process = _FORKS.Process(
            target=_run, args=(self.words, cwd, dict(env or environment()), self._streams)
        )
        self._process.start()

    @property
    def pid(self) -> int:
        """The ID of the process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, negative after a signal; nothing as long as the command goes on."""
        return self._process.exitcode

    @property
    def output(self) -> tuple[str, str]:
        """What it has printed on stdout and stderr so far."""
        out, err = (stream.read_text() for stream in self._streams)
        return out, err

    def poll(self) -> int | None:
        """The exit code if it has ended."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code once it has ended; raises TimeoutExpired."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self.words, timeout or 0)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it has printed once it has ended; raises TimeoutExpired."""
        self.wait(timeout)
        return self.output

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to it, unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM to it."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL to it."""
        self.send_signal(signal.SIGKILL)


def howdah(
    *arguments: str | Path,
    cwd: Path,
    timeout_s: float = PATIENCE_S,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the command in ``cwd`` and return what it printed; see ``ForkedCommand``."""
    command = ForkedCommand(*arguments, cwd=cwd, env=env)
    try:
        out, err = command.communicate(timeout_s)
    except subprocess.TimeoutExpired:
        command.kill()
        command.wait()
        raise
    return subprocess.CompletedProcess(command.words, command.wait(), out, err)


class _Running(forkserver.ForkServer):
    """The process that this one was forked from; Python 3.11 would start another for what this one forks."""

    def ensure_running(self) -> None:
        pass


def _run(words: list[str], cwd: Path, env: dict[str, str], streams: tuple[Path, Path]) -> None:
    for number, path in enumerate(streams, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    # What the command forks comes from where it comes from, which has imported everything.
    forkserver._forkserver.__class__ = _Running
    # What was imported stays: full collections of garbage need not traverse it.
    gc.freeze()
    # Starting a process that draws takes most of the CPU time of a small report, so there is one, not two.
    renderer.PROCESSES = 1
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = words
    main()


def environment() -> dict[str, str]:
    """This environment without what would change the command's output or place."""
    return {key: value for key, value in os.environ.items() if key not in ("HOWDAH_RUNS_DIR", "COLUMNS")}


def tree(root: Path) -> set[str]:
    """Every path below ``root``."""
    return {str(path.relative_to(root)) for path in root.rglob("*")}
