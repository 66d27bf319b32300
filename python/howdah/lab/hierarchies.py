"""Where the kernel's control groups are: version 1, a tree for each controller, or version 2, one for all.

Both are in the field, and both at once: a machine may mount version 2 beside the trees of version 1 that
still have the controllers, so each controller is looked for on its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from howdah.lab.mounts import Mount, read_mounts


class Controller(StrEnum):
    """What a control group limits or counts."""

    CPU = "cpu"
    CPU_ACCOUNT = "cpuacct"
    MEMORY = "memory"
    IO = "io"


class Hierarchy(NamedTuple):
    """A tree of control groups."""

    root: Path
    """Where it is mounted."""
    version: int
    """1 or 2."""


Hierarchies = Mapping[Controller, Hierarchy]
"""The tree of each controller that there is."""

_VERSION_1 = {
    "cpu": Controller.CPU,
    "cpuacct": Controller.CPU_ACCOUNT,
    "memory": Controller.MEMORY,
    "blkio": Controller.IO,
}


def find_hierarchies(mounts: Iterable[Mount] | None = None) -> Hierarchies:
    """The trees that this user may write to, of this machine or of the given mounts.

    A controller without one is absent.
    """
    found: dict[Controller, Hierarchy] = {}
    for mount in read_mounts() if mounts is None else mounts:
        if not os.access(mount.point, os.W_OK):
            continue
        if mount.kind == "cgroup":
            for name in _VERSION_1.keys() & set(mount.options):
                found[_VERSION_1[name]] = Hierarchy(mount.point, 1)
        elif mount.kind == "cgroup2":
            for controller in _offered(mount.point):
                found.setdefault(controller, Hierarchy(mount.point, 2))
    return found


def _offered(root: Path) -> Iterable[Controller]:
    """The controllers that groups of version 2 below this root can have."""
    hands_down = "cgroup.subtree_control" if _is_crowded(root) else "cgroup.controllers"
    names = (root / hands_down).read_text().split()
    for controller in (Controller.CPU, Controller.MEMORY, Controller.IO):
        if controller.value in names:
            yield controller
            if controller is Controller.CPU:
                # Version 2 counts where it limits.
                yield Controller.CPU_ACCOUNT


def _is_crowded(root: Path) -> bool:
    """Whether processes sit at this root, as in a container: then it hands nothing down that it did not.

    The machine's own root, which may have both, is the only group without a type.
    """
    return (root / "cgroup.type").exists() and (root / "cgroup.procs").read_text().strip() != ""
