"""What is mounted where in this process's mount namespace."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_ESCAPED = re.compile(r"\\([0-7]{3})")


class LabMount(NamedTuple):
    """One mount."""

    point: Path
    device: str
    """The device's numbers, ``7:0``."""
    kind: str
    """The file system's kind."""
    options: tuple[str, ...]
    """The file system's own options; of version 1 control groups, the controllers."""


def read_mounts(path: Path = Path("/proc/self/mountinfo")) -> tuple[LabMount, ...]:
    """Every mount, in the order in which they were made."""
    return tuple(_parse(line) for line in path.read_text().splitlines())


def _parse(line: str) -> LabMount:
    before, after = line.split(" - ", 1)
    fields, (kind, _, options) = before.split(" "), after.split(" ", 2)
    return LabMount(Path(_ESCAPED.sub(_character, fields[4])), fields[2], kind, tuple(options.split(",")))


def _character(escaped: re.Match[str]) -> str:
    return chr(int(escaped[1], 8))
