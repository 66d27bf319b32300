"""The quantities of a simulated run that tables know: elapsed times, phases, masters' loads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class SimulatedPhase(NamedTuple):
    """One phase of a simulated workload."""

    name: str
    """Its name."""
    elapsed_s: float
    """Seconds from its start to its end."""
    namenode_busy: float
    """The NameNode's load, 1 for a whole core."""
    scheduler_busy: float
    """The scheduler's load, 1 for a whole core."""


class SimulatedWorkload(NamedTuple):
    """One simulated workload."""

    kind: str
    """Its name."""
    elapsed_s: float
    """Seconds from its submission to its end."""
    phases: tuple[SimulatedPhase, ...]
    """Its phases in their order."""


def quantities(workloads: Iterable[SimulatedWorkload]) -> dict[str, float]:
    """Every quantity by its name; a master's load is its busiest phase's: the studies took peaks."""
    found: dict[str, float] = {}
    for workload in workloads:
        kind = workload.kind
        found[kind] = workload.elapsed_s
        for phase in workload.phases:
            found[f"{kind}/{phase.name}"] = phase.elapsed_s
        found[f"{kind}/namenode-cpu"] = 100 * max(
            (phase.namenode_busy for phase in workload.phases), default=0
        )
        found[f"{kind}/scheduler-cpu"] = 100 * max(
            (phase.scheduler_busy for phase in workload.phases), default=0
        )
    return found
