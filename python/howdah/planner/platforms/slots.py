"""How many map and reduce tasks a worker runs at once, in the papers' slots."""

from __future__ import annotations

import math
from typing import NamedTuple

from howdah.model.inventory import HostGroup
from howdah.model.plan import Worker
from howdah.model.request import PlanRequest
from howdah.planner.platforms.division import spinning_disks
from howdah.planner.platforms.memory import mapreduce_share, slots_in

PER_CORE = 1.1
"""Of each kind: 22 for the 20 cores of a vSphere 6 host, 11 for half of one, 6 for a quarter (RULES 50)."""


class Slots(NamedTuple):
    """How many of each kind, what asks for them, and what allows them.

    ``cores`` are those of the worker; ``wanted`` is the larger of what its cores and its spinning
    disks ask for; threads and memory allow ``by_threads`` and ``by_memory``.
    """

    cores: float
    spindles: int
    by_cores: int
    wanted: int
    by_threads: int
    by_memory: int

    @property
    def each(self) -> int:
        """Map tasks at once, and as many reduce tasks."""
        return min(self.wanted, self.by_threads, self.by_memory)


def slots_of(group: HostGroup, request: PlanRequest, *, vcpus: int, disks: int, memory_bytes: int) -> Slots:
    """The slots of a worker of that size; where MapReduce shares it with HBase, of MapReduce's share."""
    share = mapreduce_share(request)
    cores = vcpus / group.cpu.threads_per_core
    spindles = spinning_disks(group) * disks // max(1, group.data_disks)
    by_cores = max(1, math.floor(PER_CORE * cores * share + 0.5))
    return Slots(
        cores=cores,
        spindles=spindles,
        by_cores=by_cores,
        wanted=max(by_cores, math.ceil(spindles * share)),
        by_threads=max(1, math.floor(vcpus * share)),
        by_memory=slots_in(memory_bytes, request),
    )


def slots_of_worker(group: HostGroup, request: PlanRequest, worker: Worker) -> Slots:
    """The slots that the rules give a worker, whatever it was given."""
    return slots_of(
        group,
        request,
        vcpus=worker.vcpus or 0,
        disks=worker.data_disks or 0,
        memory_bytes=worker.memory_bytes,
    )
