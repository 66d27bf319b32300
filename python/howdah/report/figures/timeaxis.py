"""The time axis that all figures over time share, and the phases as bands and names above the plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.use import FloatArray
from howdah.model.run import Origin, RunRecord
from howdah.model.tables import RunData
from howdah.report import vega
from howdah.report.document import Key
from howdah.units import format_seconds

UNIT_LINE = 19  # The height above the names that holds an axis's unit, pixels.
ROW = 12  # The height of a row of names, pixels.
LEAST_SHARE = 0.04  # A phase of at least this share of the width is always named.
MOST_ROWS = 2  # Rows of names for the workloads, and as many for their phases.
NARROW_RIGHT = 14  # Pixels right of the plot on a page without room for labels; the page's script sets it.
_LETTER, _GAP, _BELOW = 6.0, 8.0, 3
_WIDE_LETTER = 6.6
LEGEND_HEIGHT = 18  # The room it takes below everything else, pixels.
STILL = "still"  # The variable that the page's script sets to false.
_SQUARE, _KEY_LETTER, _KEY_GAP = 15.0, 6.0, 22.0


class FigureSource(NamedTuple):
    """What a figure is drawn from: a run and what analysis derived from it."""

    run: RunData
    evidence: Evidence

    @property
    def record(self) -> RunRecord:
        return self.run.record

    @property
    def simulated(self) -> bool:
        return self.record.origin is Origin.SIMULATED

    @property
    def dash(self) -> list[int]:
        """Measured lines are solid, simulated ones dashed."""
        return [6, 3] if self.simulated else [1, 0]


class Name(NamedTuple):
    """A name over its band, in the axis's unit."""

    name: str
    start: float
    until: float | None  # Where it may reach; None is beyond the plot.
    row: int  # Counted from the plot upwards.


class Header(NamedTuple):
    """What stands behind and above a plot, and how high above it that reaches, pixels."""

    layers: list[dict[str, Any]]
    height: int


def placed(stretches: Sequence[tuple[str, float, float]], shown: float, width: float) -> list[Name]:
    """The names of stretches (name, start, end), each in the lowest row with room on such an axis."""
    pixels = width / shown
    names: list[Name] = []
    ends: list[float] = []
    for text, start, end in stretches:
        wide = _LETTER * len(text) + _GAP
        if (end - start) * pixels < min(wide, LEAST_SHARE * width):
            continue
        row = next((row for row, taken in enumerate(ends) if taken <= start * pixels), len(ends))
        if row == MOST_ROWS:
            row = min(range(MOST_ROWS), key=ends.__getitem__)
        ends[row : row + 1] = [start * pixels + wide]
        names.append(Name(text, start, None, row))
    # A name may reach to the next one of its row.
    for place, name in enumerate(names):
        until = next((later.start for later in names[place + 1 :] if later.row == name.row), None)
        names[place] = name._replace(until=until)
    return names


def header(source: FigureSource, width: float) -> Header:
    """The bands and the names above a plot that is ``width`` pixels wide on its still picture."""
    unit = run_unit(source)
    shown_until = end_of_run_s(source)
    shown = (shown_until - start_of_axis_s(source)) / unit.size
    rows = []
    phases: list[tuple[str, float, float]] = []
    workloads: list[tuple[str, float, float]] = []
    for index, band in enumerate(bands(source)):
        start, end = band.start_s / unit.size, band.end_s / unit.size
        rows.append({"start": start, "end": end, "shade": index % 2})
        phases += [(band.phase, start, end)] if band.phase else []
        if workloads and workloads[-1][0] == band.workload:
            start = workloads.pop()[1]
        workloads.append((band.workload, start, end))
    below = placed(phases, shown, width)
    lifted = 1 + max((name.row for name in below), default=-1)
    above = [name._replace(row=name.row + lifted) for name in placed(workloads, shown, width)]
    height = 1 + max((name.row for name in (*below, *above)), default=-1)
    # Thin ink instead of a colour of its own lets the grid show through.
    shades = {"domain": [0, 1], "range": [0.055, 0.02]}
    opacity = {"field": "shade", "type": "ordinal", "scale": shades, "legend": None}
    stretch = {"x": vega.quantity("start"), "x2": "end", "opacity": opacity}
    layers = [
        vega.layer(rows, {"type": "rect", "color": "$ink"}, stretch),
        *_faults(source, shown_until),
        *_names(above, "$ink", "bold"),
        *_names(below, "$muted", "normal"),
    ]
    return Header(layers, ROW * height + 3 * _BELOW)


def _faults(source: FigureSource, until_s: float) -> list[dict[str, Any]]:
    """What was done to the cluster, each from its beginning until it was undone."""
    unit = run_unit(source)
    values = [
        {
            "start": fault.begun_s / unit.size,
            "end": (until_s if fault.state == "in force" else fault.ended_s or fault.begun_s) / unit.size,
            "fault": fault.fault,
        }
        for fault in source.record.faults
        if fault.begun_s is not None
    ]
    x = vega.quantity("start")
    tooltip = vega.tips(fault="fault")
    shade = {"type": "rect", "color": "$fault", "opacity": 0.1}
    return vega.filled(
        vega.layer(values, shade, {"x": x, "x2": "end", "tooltip": tooltip}),
        vega.layer(values, {"type": "rule", "color": "$fault"}, {"x": x, "tooltip": tooltip}),
    )


def _names(names: Sequence[Name], colour: str, weight: str) -> list[dict[str, Any]]:
    right = f"width + (roomy ? {vega.RIGHT} : {NARROW_RIGHT})"
    room = f"(datum.until === null ? {right} : scale('x', datum.until)) - scale('x', datum.start) - 5"
    least = f"roomy ? {2 * _LETTER} : {_WIDE_LETTER} * length(datum.name)"
    return [
        vega.texts(
            [name._asdict() for name in names if name.row == row],
            {"x": vega.quantity("start")},
            field="name", baseline="bottom", dx=2, y=-_BELOW - ROW * row, color=colour, fontWeight=weight,
            fontSize=11, limit={"expr": f"max(1, {room})"}, opacity={"expr": f"{room} > ({least}) ? 1 : 0"},
        )
        for row in sorted({name.row for name in names})
    ]  # fmt: skip


def legend(keys: Sequence[Key], y: float) -> list[dict[str, Any]]:
    """The layers that draw it, its middle ``y`` pixels below the plot's upper edge."""
    values, x = [], 0.0
    for key in keys:
        values.append({"x": x, "name": key.name})
        x += _SQUARE + _KEY_LETTER * len(key.name) + _KEY_GAP
    colour = vega.coloured_by("name", {key.name: key.token for key in keys})
    at = {"x": vega.in_pixels("x")}
    shown = {"y": y, "opacity": {"expr": f"{STILL} ? 1 : 0"}}
    square = {"type": "point", "shape": "square", "filled": True, "size": 60, "xOffset": 5}
    word = {"type": "text", "align": "left", "baseline": "middle", "fontSize": 11, "dx": _SQUARE}
    return [
        vega.layer(values, square | shown, {**at, "color": colour}),
        vega.layer(values, word | shown, {**at, "text": "name"}),
    ]


def with_still(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec with the variable that a legend reads."""
    return {**spec, "params": [*spec["params"], {"name": STILL, "value": True}]}


LEAD = 0.01  # The share of the time shown that lies before the first workload.
_LINE = 0.01  # The width of a line as a share of the figure's height.


class PhaseBand(NamedTuple):
    """A stretch of the run: a phase of a workload, seconds since the run's start."""

    workload: str
    phase: str
    start_s: float
    end_s: float


def bands(source: FigureSource) -> list[PhaseBand]:
    """The phases shown, in order, or workloads without any; the preparation's if a run came no further."""
    shown: list[PhaseBand] = []
    for workload in source.evidence.workloads:
        name, whole = workload.workload, ("", workload.start_s, workload.end_s)
        phases = [(phase.name, phase.start_s, phase.end_s) for phase in workload.phases]
        shown += [PhaseBand(name, *phase) for phase in phases or [whole]]
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
    durations = ", ".join(
        f"{phase.name.replace('-', ' ')} {format_seconds(phase.end_s - phase.start_s)}" for phase in phases
    )
    spent = format_seconds(workloads[0].start_s)
    return f"The {spent} of preparation before {workloads[0].workload} are left out: {durations}."


def end_of_run_s(source: FigureSource) -> float:
    """The last moment the record knows of, at least a millisecond after the first workload's start."""
    shown = bands(source)
    ends = [source.record.elapsed_s, *(band.end_s for band in shown)]
    ends += [float(series.edges_s[-1]) for series in source.evidence.series if len(series.edges_s)]
    return max(*ends, 1e-3 + (shown[0].start_s if shown else 0.0))


def run_unit(source: FigureSource) -> vega.ScaledUnit:
    """The unit in which the run's times are read."""
    return vega.time_unit(end_of_run_s(source))


def time_x(source: FigureSource, field: str = "time") -> dict[str, Any]:
    """The x encoding from just before the first workload to the run's end."""
    unit = run_unit(source)
    ends = [start_of_axis_s(source) / unit.size, end_of_run_s(source) / unit.size]
    title = f"time since the start of the run ({unit.name})"
    axis = {"title": title, "tickCount": {"expr": "clamp(ceil(width / 90), 3, 8)"}}
    return vega.linear(field, ends, axis, zero=False)


def rate_unit(most_bytes_per_s: float) -> vega.ScaledUnit:
    """The largest 1000-based unit in which the largest rate is at least 1."""
    for size, name in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        if most_bytes_per_s >= size:
            return vega.ScaledUnit(size, name)
    return vega.ScaledUnit(1.0, "B/s")


def memory_unit(most_bytes: float) -> vega.ScaledUnit:
    """The largest 1024-based unit in which the largest size is at least 1, MiB at least."""
    for size, name in ((2.0**40, "TiB"), (2.0**30, "GiB")):
        if most_bytes >= size:
            return vega.ScaledUnit(size, name)
    return vega.ScaledUnit(2.0**20, "MiB")


def number_format(top: float) -> str:
    """As many decimals as an axis that ends at ``top`` needs (d3 format)."""
    if top >= 20:
        return ".0f"
    return ".1~f" if top >= 2 else ".2~f"


def hidden(means: FloatArray, peaks: FloatArray) -> bool:
    """Whether a step holds samples that differ by more than a line is wide."""
    return bool(np.any(peaks > means + _LINE * peaks.max()))
