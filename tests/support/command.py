"""Runs the ``howdah`` command as a user does."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory

import howdah.cli as commands
from howdah.cli.main import main

HOWDAH = Path(sys.executable).with_name("howdah")
"""The command itself, for tests of signals, exit codes, pipes and terminals."""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([module.name for module in iter_modules(commands.__path__, "howdah.cli.")])


def howdah(
    *arguments: str | Path,
    cwd: Path,
    timeout_s: float = 120,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the command in ``cwd`` and return what it printed.

    Each command is a process of its own, forked from one that has imported howdah: importing takes most of a
    short command's CPU time.
    """
    with TemporaryDirectory(prefix="howdah-command-") as folder:
        streams = Path(folder, "stdout"), Path(folder, "stderr")
        words = [str(HOWDAH), *map(str, arguments)]
        process = _FORKS.Process(target=_run, args=(words, cwd, dict(env or environment()), streams))
        process.start()
        process.join(timeout_s)
        if process.is_alive():
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(words, timeout_s)
        code = process.exitcode
        assert code is not None
        process.close()
        out, err = (stream.read_text() for stream in streams)
    return subprocess.CompletedProcess(words, code, out, err)


def _run(words: list[str], cwd: Path, env: dict[str, str], streams: tuple[Path, Path]) -> None:
    for number, path in enumerate(streams, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
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
