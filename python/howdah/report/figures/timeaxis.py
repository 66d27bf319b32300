"""The time axis that every figure over time shares: from just before the first workload to the run's end.

Preparation (touching memory, measuring limits) may take longer than a short suite and is left out; the
times are the run's own all the same, as its record has them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from howdah.analysis.evidence import FloatArray
from howdah.report.figure import FigureSource
from howdah.report.theme import linear
from howdah.units import format_seconds

LEAD = 0.01
"""The share of the time shown that lies before the first workload."""
_LINE = 0.01
"""The width of a line beside the figure's height."""


class TimeUnit(NamedTuple):
    """The unit a run's times are read in: how many seconds it has, and its name."""

    seconds: float
    name: str


class PhaseBand(NamedTuple):
    """A stretch of the run: a phase of a workload, seconds since the run's start."""

    workload: str
    phase: str
    start_s: float
    end_s: float


def bands(source: FigureSource) -> list[PhaseBand]:
    """The phases shown, in order; a workload without phases is one band of its own.

    The preparation's are among them only in a run that came no further.
    """
    shown: list[PhaseBand] = []
    for workload in source.evidence.workloads:
        shown.extend(
            PhaseBand(workload.workload, phase.name, phase.start_s, phase.end_s) for phase in workload.phases
        )
        if not workload.phases:
            shown.append(PhaseBand(workload.workload, "", workload.start_s, workload.end_s))
    return shown or [
        PhaseBand("prepare", phase.name, phase.start_s, phase.end_s) for phase in source.record.preparation
    ]


def first_shown_s(source: FigureSource) -> float:
    """The start of the first workload, before which nothing is drawn; the run's start where none began."""
    workloads = source.evidence.workloads
    return workloads[0].start_s if workloads else 0.0


def start_of_axis_s(source: FigureSource) -> float:
    """A little before the first moment shown, so that its marks do not touch the axis."""
    first = first_shown_s(source)
    return max(0.0, first - LEAD * (end_of_run_s(source) - first))


def left_out(source: FigureSource) -> str:
    """A sentence on the preparation that no figure over time shows; empty where there was none."""
    workloads, phases = source.evidence.workloads, source.record.preparation
    if not workloads or not phases:
        return ""
    each = ", ".join(
        f"{phase.name.replace('-', ' ')} {format_seconds(phase.end_s - phase.start_s)}" for phase in phases
    )
    spent = format_seconds(workloads[0].start_s)
    return f"The {spent} of preparation before {workloads[0].workload} are left out: {each}."


def end_of_run_s(source: FigureSource) -> float:
    """The last moment the record knows of, at least a millisecond after the first workload's start."""
    shown = bands(source)
    ends = [source.record.elapsed_s, *(band.end_s for band in shown)]
    ends += [float(series.edges_s[-1]) for series in source.evidence.series if len(series.edges_s)]
    return max(*ends, 1e-3 + (shown[0].start_s if shown else 0.0))


def time_unit(source: FigureSource) -> TimeUnit:
    """Seconds for runs up to ten minutes, then minutes, then hours."""
    end_s = end_of_run_s(source)
    if end_s <= 600:
        return TimeUnit(1.0, "s")
    if end_s <= 6 * 3600:
        return TimeUnit(60.0, "min")
    return TimeUnit(3600.0, "h")


def time_x(source: FigureSource, field: str = "time") -> dict[str, Any]:
    """The x encoding from just before the first workload to the run's end."""
    unit = time_unit(source)
    return linear(
        field,
        [start_of_axis_s(source) / unit.seconds, end_of_run_s(source) / unit.seconds],
        {
            "title": f"time since the start of the run ({unit.name})",
            "tickCount": {"expr": "clamp(ceil(width / 90), 3, 8)"},
        },
        zero=False,
    )


class ScaledUnit(NamedTuple):
    """A unit with its size in the base unit."""

    size: float
    name: str


def rate_unit(most_bytes_per_s: float) -> ScaledUnit:
    """The largest 1000-based unit in which the largest rate is at least 1."""
    for size, name in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        if most_bytes_per_s >= size:
            return ScaledUnit(size, name)
    return ScaledUnit(1.0, "B/s")


def memory_unit(most_bytes: float) -> ScaledUnit:
    """The largest 1024-based unit in which the largest size is at least 1, MiB at least."""
    for size, name in ((2.0**40, "TiB"), (2.0**30, "GiB")):
        if most_bytes >= size:
            return ScaledUnit(size, name)
    return ScaledUnit(2.0**20, "MiB")


def number_format(top: float) -> str:
    """As many decimals as an axis that ends at ``top`` needs (d3 format)."""
    if top >= 20:
        return ".0f"
    return ".1f" if top >= 2 else ".2f"


def hidden(means: FloatArray, peaks: FloatArray) -> bool:
    """Whether a step holds samples that differ by more than a line is wide."""
    return bool(np.any(peaks > means + _LINE * peaks.max()))
