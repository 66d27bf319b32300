"""Elapsed time per workload, stacked by phase, with the raw hardware's own time marked."""

from __future__ import annotations

from typing import Any

from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.wording import seconds as seconds_said
from howdah.analysis.wording import took
from howdah.model.run import Outcome
from howdah.report import vega
from howdah.report.document import Figure, Table
from howdah.report.figures.timeaxis import FigureSource, run_unit

ROW, BAR = 72, 26
TOKENS = ("phase-1", "phase-2", "phase-3")
_WORD = 0.13  # The width of a total next to the axis.
_BESIDE_EDGE = {"expr": "scale('x', datum.limit) < 3.4 * length(datum.text) ? 'left' : 'center'"}
"""A mark's name stands below its middle, and begins there where half of it would be cut off at the left."""
_HALF = 7  # Of the end marks, in pixels above and below the line.
_RIMS = (("$page", 5), ("$ink", 2))  # Lines in ink with a pale rim show on a bar of any shade.


_Marks = tuple[str, dict[str, float]]  # The name of what bars are compared with, and its seconds by workload.


def elapsed(source: FigureSource) -> Figure | None:
    """The figure, or None if no workload started."""
    workloads = source.evidence.workloads
    if not workloads:
        return None
    floors = {floor.workload: floor.floor_s for floor in source.evidence.floors}
    limits = {limit.workload: limit.limit_s for limit in source.evidence.limits if limit.phase is None}
    name, seconds = marks = ("floor", floors) if floors else ("limit", limits)
    ends = [datum["high"] for datum in intervals(source, unit_s=1.0)]
    longest = max(*(workload.elapsed_s for workload in workloads), *seconds.values(), *ends, 1e-3)
    rows: list[tuple[str, ...]] = []
    for workload in workloads:
        mark = seconds.get(workload.workload)
        rows.append((workload.workload, "", f"{workload.elapsed_s:.3f}", f"{mark:.3f}" if mark else ""))
        rows += [(workload.workload, phase.name, f"{phase.elapsed_s:.3f}", "") for phase in workload.phases]
    caption = [f"How long each workload {took(source.record)}, divided into its phases."]
    if any(result.job for result in source.record.workloads):
        caption.append("Gaps are the time before a job's first task.")
    if ends:
        caption.append("The line across a bar's end covers 90 % of all simulations.")
    if floors:
        caption.append("The floor is the same work on the same hardware without Hadoop.")
    elif limits:
        caption.append("The limit is the raw hardware's own time for the same bytes.")
    return Figure(
        id="elapsed",
        title="Elapsed time",
        caption=" ".join(caption),
        spec=_spec(source, marks, longest),
        table=Table(("workload", "phase", "elapsed (s)", f"{name} (s)"), tuple(rows)),
        marks=len(workloads) * 4,
    )


def _segments(source: FigureSource, workload: WorkloadTime, row: int) -> list[dict[str, Any]]:
    """The phases laid end to end, and what lies outside any phase as a segment of its own."""
    seconds = run_unit(source).size
    pieces = [(phase.name, phase.start_s, phase.end_s) for phase in workload.phases]
    pieces = pieces or [("", workload.start_s, workload.end_s)]
    return [
        {
            "row": row,
            "workload": workload.workload,
            "phase": name or "whole workload",
            "start": (start - workload.start_s) / seconds,
            "end": (end - workload.start_s) / seconds,
            "token": TOKENS[place % len(TOKENS)],
            "text": f"{name} {seconds_said(end - start)}".strip() if len(pieces) > 1 else name,
            "spent": seconds_said(end - start),
        }
        for place, (name, start, end) in enumerate(pieces)
    ]


def clear_of(end: float, limit: float, longest: float) -> float:
    """Where a total begins: behind its bar, and behind a limit that would strike it through."""
    return limit if end < limit < end + _WORD * longest else end


def _spec(source: FigureSource, held: _Marks, longest: float) -> dict[str, Any]:
    unit = run_unit(source)
    mark_name, mark_seconds = held
    workloads = source.evidence.workloads
    spans = intervals(source, unit.size)
    beyond = {span["row"]: span["high"] for span in spans}
    segments, totals, marks = [], [], []
    for row, workload in enumerate(workloads):
        mark_s = mark_seconds.get(workload.workload, 0.0)
        place = mark_s / unit.size
        segments += [part | {"mark": place} for part in _segments(source, workload, row)]
        end = max(workload.elapsed_s / unit.size, beyond.get(row, 0.0))
        ended = "" if workload.outcome is Outcome.SUCCEEDED else f", {workload.outcome.value}"
        text = f"{seconds_said(workload.elapsed_s)}{ended}"
        totals.append({"row": row, "end": clear_of(end, place, longest / unit.size), "text": text})
        if mark_s:
            marks.append({"row": row, "limit": place, "text": f"{mark_name} {seconds_said(mark_s)}"})
    names = [{"row": row, "text": workload.workload} for row, workload in enumerate(workloads)]
    x = vega.scaled([0, 1.02 * longest / unit.size], vega.across(f"elapsed ({unit.name})", tickCount=6))
    y = vega.rows(len(workloads))
    bar: dict[str, Any] = {"type": "bar", "size": BAR, "stroke": "$page", "strokeWidth": 1}
    if source.simulated:
        bar |= {"fillOpacity": 0.25, "stroke": "$ink", "strokeDash": [5, 3]}
    tick = {"type": "tick", "orient": "vertical", "size": BAR + 10}
    wide = "6.4 * length(datum.text) + 14"
    # A name that its bar's mark would strike through begins behind it.
    before = "scale('x', datum.mark) - scale('x', datum.start)"
    moved = f"(datum.start < datum.mark && {before} < {wide} ? {before} : 0)"
    room = f"scale('x', datum.end) - scale('x', datum.start) - {moved}"
    colours = vega.coloured_by("token", {token: token for token in TOKENS})
    stacked = {
        **vega.stacked(x, y, colours),
        "tooltip": vega.tips(workload=None, phase=None, spent="elapsed"),
    }
    on_bars = {token: "ink" if source.simulated else f"on-{token}" for token in TOKENS}
    limit = {"x": vega.on(x, "limit"), "y": y}
    name = {"type": "text", "align": _BESIDE_EDGE, "dy": 27, "fontSize": 11}
    # The interval of a simulation is a line across a bar's end, with a mark at each of its ends.
    tips = vega.tips(text="90 % of the simulations")
    across = {"x": vega.on(x, "low"), "x2": {"field": "high"}, "y": y, "tooltip": tips}
    interval: list[dict[str, Any]] = []
    for ink, width in _RIMS:
        mark = {"type": "tick", "orient": "vertical", "size": 2 * _HALF, "thickness": width, "color": ink}
        interval.append(vega.layer(spans, {"type": "rule", "strokeWidth": width, "color": ink}, across))
        interval += [vega.layer(spans, mark, {"x": vega.on(x, side), "y": y}) for side in ("low", "high")]
    layers: list[dict[str, Any]] = [
        vega.layer(segments, bar, stacked, name=vega.DATA),
        vega.texts(
            segments,
            {"x": vega.on(x, "start"), "y": y, "color": vega.coloured_by("token", on_bars)},
            dx={"expr": f"8 + {moved}"},
            # A name wider than its segment would read as the next one's, so it is left out.
            opacity={"expr": f"{room} > {wide} ? 1 : 0"},
            tooltip=None,
        ),
        vega.texts(names, {"y": y}, dy=-24, fontSize=13, fontWeight=600, x=0),
        vega.texts(totals, {"x": vega.on(x, "end"), "y": y}, dx=8, fontSize=15, fontWeight=600),
        *(vega.layer(marks, {**tick, "thickness": width, "color": ink}, limit) for ink, width in _RIMS),
        *vega.rimmed(marks, name, {**limit, "text": {"field": "text"}}),
        *vega.filled(*interval),
    ]
    return vega.chart(layers, height=ROW * len(workloads), width=vega.WIDTH + 62, top=4, left=4, right=114)


def intervals(source: FigureSource, unit_s: float) -> list[dict[str, Any]]:
    """The ends of every workload's interval in a figure's own unit of time; none of a measured run."""
    simulated = source.record.simulated
    bands = {band.workload: band for band in simulated.bands if band.phase is None} if simulated else {}
    return [
        {
            "row": row,
            "low": band.low_s / unit_s,
            "high": band.high_s / unit_s,
            "text": f"{band.low_s:,.0f} to {band.high_s:,.0f} s",
        }
        for row, workload in enumerate(source.evidence.workloads)
        if (band := bands.get(workload.workload)) is not None
    ]
