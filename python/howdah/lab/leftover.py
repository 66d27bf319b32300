"""What of a laboratory exists on this machine."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Leftover(NamedTuple):
    """One thing of a laboratory that exists, and after removing, why it could not be removed."""

    kind: Literal["process", "mount", "loop device", "file", "network namespace", "control group"]
    """What it is."""
    name: str
    """Its name: a process's id and command, a path, a namespace."""
    why: str = ""
    """Why it is still there."""
