"""The commands that pages print, run as a reader would run them."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from support.command import environment, howdah
from support.patience import PATIENCE_S

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_ENDS = re.compile(r"\s+# ends with (\d+)$")
_LEFT_OUT = "…"


class PrintedCommand(NamedTuple):
    """A command as a page prints it, and the lines of its output that the page shows."""

    line: str
    code: int
    shown: tuple[str, ...]


def section(page: str, heading: str) -> str:
    """The text of a page from a heading of second level to the next one."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    (text,) = (part for part in parts if part.startswith(f"## {heading}\n"))
    return text


def headings(page: str) -> list[str]:
    """A page's headings of second level."""
    return re.findall(r"^## (.+)$", page, flags=re.MULTILINE)


def printed_commands(text: str) -> Iterator[PrintedCommand]:
    """The commands of all ``console`` blocks, which begin with ``$``, in their order."""
    for block in _BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, *output = part.splitlines()
            ends = _ENDS.search(line)
            shown = tuple(text for text in output if text and text != _LEFT_OUT)
            yield PrintedCommand(_ENDS.sub("", line), int(ends[1]) if ends else 0, shown)


def run_printed(
    command: PrintedCommand,
    folder: Path,
    *,
    env: Mapping[str, str] | None = None,
    timeout_s: float = PATIENCE_S,
) -> str:
    """Run a printed command in a folder, check its exit code, and return its output."""
    words = shlex.split(command.line)
    given = dict(env or environment())
    if words[0] == "howdah":
        done = howdah(*words[1:], cwd=folder, env=given, timeout_s=timeout_s)
    else:
        done = subprocess.run(words, cwd=folder, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == command.code, f"$ {command.line}\n{done.stdout[-1500:]}{done.stderr[-1500:]}"
    return done.stdout
