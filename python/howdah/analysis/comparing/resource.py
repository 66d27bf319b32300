"""A reading of a resource."""

from __future__ import annotations

from typing import Literal

from howdah.model.comparison import Measure, Reading

Unit = Literal["s", "B", "1", "share"]
"""The units of measures."""


def resource(workload: str, phase: str | None, name: str, value: float, unit: Unit = "B") -> Reading:
    """What one resource did in a workload or a phase of it."""
    measure = Measure(workload=workload, phase=phase, kind="resource", name=name, unit=unit)
    return Reading(measure=measure, value=value)
