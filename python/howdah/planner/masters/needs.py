"""What masters need: processors, and memory by the daemons' heaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from howdah.model.plan import Role, Worker
from howdah.planner.heap import MASTER_HEAPS
from howdah.units import GIB

PLACE_VCPUS = 4
"""Masters use at most a fifth of a core (D0 58); four let them collect garbage and answer at once."""
PLACE_BYTES = 16 * GIB
"""The least memory of a place for masters."""

SYSTEM_BYTES = 2 * GIB
"""What an operating system for masters alone keeps of its memory."""
HEAP_SHARE = 0.75
"""Java takes about a third more than its heap: threads, code, buffers."""


class Need(NamedTuple):
    """Virtual CPUs and bytes of memory."""

    vcpus: int
    memory_bytes: int


class Sizing(NamedTuple):
    """What sizes are reckoned from: the kinds of workers by name, and the NameNode's heap in bytes."""

    kinds: Mapping[str, Worker]
    namenode_heap_bytes: int

    def beside_workers(self, roles: Iterable[Role]) -> Need:
        """What daemons take of a worker that they share."""
        heaps = sum(MASTER_HEAPS.get(role, self.namenode_heap_bytes) for role in roles)
        return Need(1, round(heaps / HEAP_SHARE))

    def place_of_their_own(self, roles: Iterable[Role]) -> Need:
        """What an operating system for these daemons alone should have at least."""
        daemons = self.beside_workers(roles)
        return Need(PLACE_VCPUS, max(PLACE_BYTES, daemons.memory_bytes + SYSTEM_BYTES))

    def of(self, takes: Iterable[str]) -> Need:
        """What workers' places have together."""
        workers = [self.kinds[kind] for kind in takes]
        return Need(sum(one.vcpus or 0 for one in workers), sum(one.memory_bytes for one in workers))
