"""The time axis that every figure over time shares, with the phases as quiet bands behind it."""

from __future__ import annotations

from typing import Any, NamedTuple

from howdah.report.figure import Source

TOP = 52
"""Padding above a plot that holds its unit and the two rows of names, pixels."""

LINE = 14
"""The height of one row of names, pixels."""

UNIT_ABOVE = 33
"""How far above the plot the unit stands, over the names, pixels."""


class TimeUnit(NamedTuple):
    """The unit a run's times are read in: how many seconds it has, and its name."""

    seconds: float
    name: str


class Band(NamedTuple):
    """A stretch of the run: a phase of a workload, seconds since the run's start."""

    workload: str
    phase: str
    start_s: float
    end_s: float


def bands(source: Source) -> list[Band]:
    """The run's phases in order; a workload without phases is one band of its own."""
    found = [Band("prepare", phase.name, phase.start_s, phase.end_s) for phase in source.record.preparation]
    for workload in source.evidence.workloads:
        found.extend(
            Band(workload.workload, phase.name, phase.start_s, phase.end_s) for phase in workload.phases
        )
        if not workload.phases:
            found.append(Band(workload.workload, "", workload.start_s, workload.end_s))
    return found


def end_of_run_s(source: Source) -> float:
    """The last moment the record knows of, at least a millisecond so that an axis can be drawn."""
    ends = [source.record.elapsed_s, *(band.end_s for band in bands(source))]
    ends += [float(series.edges_s[-1]) for series in source.evidence.series if len(series.edges_s)]
    return max(1e-3, *ends)


def time_unit(source: Source) -> TimeUnit:
    """Seconds for runs up to ten minutes, then minutes, then hours."""
    end_s = end_of_run_s(source)
    if end_s <= 600:
        return TimeUnit(1.0, "s")
    if end_s <= 6 * 3600:
        return TimeUnit(60.0, "min")
    return TimeUnit(3600.0, "h")


def time_x(source: Source, field: str = "time") -> dict[str, Any]:
    """The x encoding from the run's start to its end."""
    unit = time_unit(source)
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, end_of_run_s(source) / unit.seconds], "nice": False, "zero": True},
        "axis": {"title": f"time since the start of the run ({unit.name})", "tickCount": 8},
    }


def _named(name: str, start: float, end: float) -> dict[str, Any]:
    return {"name": name, "start": start, "end": end, "length": len(name) + 1}


def _names(rows: list[dict[str, Any]], y: int, colour: str, weight: str) -> dict[str, Any]:
    fits = "scale('x', datum.end) - scale('x', datum.start) > 6 * datum.length"
    return {
        "data": {"values": rows},
        "mark": {
            "type": "text",
            "align": "left",
            "baseline": "bottom",
            "dx": 2,
            "y": y,
            "color": colour,
            "fontWeight": weight,
            "fontSize": 11,
            # A name that does not fit its band would run into the next one, so it is left out.
            "opacity": {"expr": f"{fits} ? 1 : 0"},
        },
        "encoding": {"x": {"field": "start", "type": "quantitative"}, "text": {"field": "name"}},
    }


def phase_layers(source: Source) -> list[dict[str, Any]]:
    """Layers that draw every phase as a quiet band, with the names above the plot in ``TOP`` pixels."""
    unit = time_unit(source)
    every = bands(source)
    rows = [
        {"start": band.start_s / unit.seconds, "end": band.end_s / unit.seconds, "shade": index % 2}
        for index, band in enumerate(every)
    ]
    workloads: list[dict[str, Any]] = []
    for band, row in zip(every, rows, strict=True):
        if workloads and workloads[-1]["name"] == band.workload:
            workloads[-1]["end"] = row["end"]
        else:
            workloads.append(_named(band.workload, row["start"], row["end"]))
    phases = [
        _named(band.phase, row["start"], row["end"])
        for band, row in zip(every, rows, strict=True)
        if band.phase
    ]
    # Thin ink instead of a colour of its own lets the grid show through.
    shades = {"domain": [0, 1], "range": [0.055, 0.02]}
    return [
        {
            "data": {"values": rows},
            "mark": {"type": "rect", "color": "$ink"},
            "encoding": {
                "x": {"field": "start", "type": "quantitative"},
                "x2": {"field": "end"},
                "opacity": {"field": "shade", "type": "ordinal", "scale": shades, "legend": None},
            },
        },
        _names(workloads, -15, "$ink", "bold"),
        _names(phases, -3, "$muted", "normal"),
    ]
