"""What a reader of simulated times should know: how they are calibrated, and which masters are saturated."""

from __future__ import annotations

from howdah.calibrate.extents import beyond
from howdah.model.calibration import Calibration
from howdah.model.plan import Plan
from howdah.model.run import RunWarning
from howdah.model.variation import SATURATED
from howdah.model.workload import Suite
from howdah.simulation.outcome import Summary

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


def calibration_warnings(plan: Plan, suite: Suite, calibration: Calibration | None) -> tuple[RunWarning, ...]:
    """What a reader should know of the calibration that predicts a suite on a plan."""
    if calibration is None:
        text = (
            "not calibrated: the simulator's parameters are its defaults, so that times may be far off, and "
            "intervals are those of seeds alone; give --calibration"
        )
        return (RunWarning(code="uncalibrated", text=text),)
    found = beyond(calibration, plan, suite)
    if not found:
        return ()
    text = f"outside what {calibration.name} was calibrated from: {'; '.join(found)}"
    return (RunWarning(code="outside-calibration", text=text),)
