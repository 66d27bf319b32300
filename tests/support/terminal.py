"""The command at a terminal of its own, which answers what it asks."""

from __future__ import annotations

import os
import pty
from pathlib import Path
from typing import NamedTuple

from support.command import HOWDAH, environment


class AtTerminal(NamedTuple):
    """How the command ended, and all that the terminal showed."""

    code: int
    shown: str


def at_terminal(*words: str | Path, cwd: Path, answers: tuple[str, ...]) -> AtTerminal:
    """Run ``howdah`` at a terminal; each answer goes to the next question, which ends with a colon."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(cwd)
        os.execve(HOWDAH, ["howdah", *map(str, words)], environment())
    shown, waiting = "", list(answers)
    while piece := _read(terminal):
        shown += piece
        if waiting and shown.endswith(": "):
            os.write(terminal, f"{waiting.pop(0)}\n".encode())
    os.close(terminal)
    return AtTerminal(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown)


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        # Linux says so where the other end is closed.
        return ""
