"""The mount table: /proc/self/mountinfo (man 5 proc)."""

from __future__ import annotations

import re
from typing import NamedTuple

from howdah.probe.tree import Tree


class Mount(NamedTuple):
    """One line of the mount table; ``top`` is the folder of the file system that is shown at ``point``."""

    number: str
    top: str
    point: str
    options: tuple[str, ...]
    kind: str
    source: str


def read_mounts(tree: Tree) -> list[Mount]:
    """The mounts one can see: of several at one place the last hides the others."""
    mounts: dict[str, Mount] = {}
    for line in tree.lines("proc/self/mountinfo", "file systems"):
        # Optional fields stand before the lone hyphen, so both halves are read from their starts.
        mount_half, _, system_half = line.partition(" - ")
        _, _, number, top, point, options, *_ = mount_half.split(" ")
        kind, source, *system_options = system_half.split(" ")
        # Both halves say rw or ro; the mount's own word is the one that counts.
        own = options.split(",")
        system = [word for word in ",".join(system_options).split(",") if word and word not in {"rw", "ro"}]
        mounts.pop(_plain(point), None)
        mounts[_plain(point)] = Mount(
            number=number,
            top=_plain(top),
            point=_plain(point),
            options=tuple(dict.fromkeys([*own, *system])),
            kind=kind,
            source=_plain(source),
        )
    return list(mounts.values())


def _plain(field: str) -> str:
    """Undo the kernel's octal escapes for white space and backslashes."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), field)
