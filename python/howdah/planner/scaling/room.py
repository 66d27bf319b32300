"""What of this machine a laboratory may have."""

from __future__ import annotations

from typing import NamedTuple

from howdah.model.host import Host
from howdah.units import GIB

_KEPT_SHARE = 16
_KEPT_LEAST = GIB
"""A sixteenth of memory, at least 1 GiB, stays with whatever else runs here (howdah)."""
_SPACE_SHARE = 0.9
"""Of free space, what disk images may grow to: a full file system fails them half-way."""


class Room(NamedTuple):
    """CPUs, bytes of memory, and bytes of space for disks."""

    cpus: float
    memory_bytes: int
    space_bytes: int


def room_on(machine: Host, free_bytes: int) -> Room:
    """What a laboratory may have where so many bytes are free for its disks.

    Memory is what the machine has, not what is available this minute, so that a plan is fitted the same
    way whatever else happens to run.
    """
    memory = machine.memory.total_bytes
    if machine.cgroup.memory_limit_bytes is not None:
        memory = min(memory, machine.cgroup.memory_limit_bytes)
    return Room(
        cpus=machine.usable_cpus,
        memory_bytes=max(0, memory - max(_KEPT_LEAST, memory // _KEPT_SHARE)),
        space_bytes=int(free_bytes * _SPACE_SHARE),
    )
