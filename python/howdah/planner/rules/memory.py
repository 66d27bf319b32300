"""Rules about a host's memory: what the hypervisor keeps, what a worker gets, what a worker needs."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.found import Found
from howdah.model.plan import Input
from howdah.planner.facts import Facts
from howdah.planner.inspecting import working_memory
from howdah.planner.rule import Inspection, Observation, Rule, Severity
from howdah.units import format_gib

HELD_BACK = Rule(
    id="memory.held-back",
    says="The hypervisor keeps 1.7 GiB and 5.2 % of a host's memory; workers get the rest in whole GiB.",
    sources=("X8", "D0 18", "D0 19", "D1 90", "D3 122"),
    condition="virtual machines",
    today="The published shares, 94.4 % of 72 GiB to 94.1 % of 256 GiB, lie within 2 points of this curve.",
)
WORKER_SHARE = Rule(
    id="memory.worker-share",
    says="Workers share what the hypervisor leaves, in the proportion of their disks, all of it reserved.",
    sources=("D0 16", "D0 20", "D1 89", "D2 107"),
    condition="virtual machines",
)
NATIVE = Rule(
    id="memory.native",
    says="A host that is itself the worker has all its memory; YARN gets what system and daemons leave.",
    sources=("D0 16", "D0 24"),
    condition="hosts that are not divided",
)
ENOUGH = Rule(
    id="memory.enough",
    says="A worker has memory for its operating system, its daemons and one task of each kind.",
    sources=("D0 24", "D0 25", "D3 122", "D4 129"),
    severity=Severity.MUST,
)

_SEEN_OF_GIVEN = 0.95
"""A guest's kernel sees a little less than it was given: firmware and the kernel itself come off it."""


def _as_planned(found: Found, facts: Facts) -> Iterator[Observation]:
    if found.host is None:
        return
    planned, seen = facts.worker.memory_bytes, found.host.memory.total_bytes
    yield Observation(
        seen >= planned * _SEEN_OF_GIVEN,
        "memory",
        format_gib(seen),
        f"{format_gib(planned)}, as planned",
        fix=f"give the worker {format_gib(planned)} and reserve all of it, or plan again with what it has",
        inputs=(Input(name="planned", value=planned, unit="B"), Input(name="found", value=seen, unit="B")),
    )


AS_PLANNED = Inspection(
    id="memory.as-planned",
    says="A worker has the memory that its containers were sized for.",
    sources=("D0 19", "D0 20", "D4 129"),
    severity=Severity.MUST,
    condition="a probed worker and its plan",
    inspect=_as_planned,
)

RULES: tuple[Rule, ...] = (HELD_BACK, WORKER_SHARE, NATIVE, ENOUGH, AS_PLANNED, *working_memory.RULES)
