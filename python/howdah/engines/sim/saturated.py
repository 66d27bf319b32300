"""Masters that a simulated suite waits for."""

from __future__ import annotations

from howdah.engines.sim.outcome import Summary
from howdah.model.run import RunWarning
from howdah.model.variation import SATURATED

_MASTERS = {"namenode_busy": "the NameNode", "scheduler_busy": "the scheduler"}


def saturation_warnings(summary: Summary) -> tuple[RunWarning, ...]:
    """One for each master that is saturated, with the phase that loads it most."""
    phases = [(one.kind, phase) for one in summary.workloads for phase in one.phases]
    warnings = []
    for load, master in _MASTERS.items():
        kind, phase = max(phases, key=lambda each: getattr(each[1], load))
        busy: float = getattr(phase, load)
        if busy >= SATURATED:
            text = (
                f"{master} is busy for {busy:.0%} of its core in {kind}'s {phase.name}, which waits for it: "
                "more hosts or places for tasks would not help there, larger blocks and so fewer tasks would"
            )
            warnings.append(RunWarning(code="master-saturated", text=text))
    return tuple(warnings)
