"""Operations over time, their latencies, the highest rate kept in time, and answers to probes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from howdah.analysis.evidence.operations import LatencyCourse, OperationLatency
from howdah.analysis.evidence.use import Series
from howdah.analysis.operation_steps import is_request
from howdah.analysis.wording import delay, seconds
from howdah.model.faults import ProbeReport
from howdah.model.reported import RateStep
from howdah.report import vega
from howdah.report.document import Figure, Key, Table
from howdah.report.figures.steps import common_grid, summed
from howdah.report.figures.timeaxis import UNIT_LINE, FigureSource, first_shown_s, header, run_unit, time_x
from howdah.report.figures.timeline import peaks_text, scaled_figure
from howdah.report.words import table_of
from howdah.units import format_counted, format_per_s

IN_TIME, TOO_LATE = Key("in time", "group-2"), Key("too late, or not kept", "fault")
_HEIGHT = 200


def rates(source: FigureSource) -> list[Figure]:
    """A figure for each workload whose highest rate was looked for."""
    return [
        _rates_figure(time.workload, sorted(steps, key=lambda step: step.asked_per_s))
        for time in source.evidence.workloads
        if (steps := time.result.rates)
    ]


def _rates_figure(workload: str, steps: Sequence[RateStep]) -> Figure:
    held = [step for step in steps if step.held]
    caption = f"{format_counted(len(steps), 'rate')} were tried. "
    caption += (
        f"{format_per_s(held[-1].asked_per_s)} is the highest that was kept and answered in time: 99 % of "
        f"the slowest kind of operation within {delay(held[-1].within_s)}, from when each should have begun."
        if held
        else "None was kept and answered in time."
    )
    values = [
        {
            "series": (IN_TIME if step.held else TOO_LATE).name,
            "asked": step.asked_per_s,
            "ms": 1000 * step.within_s,
            "done": format_per_s(step.done_per_s),
            "within": delay(step.within_s),
        }
        for step in steps
    ]
    most = max(step.asked_per_s for step in steps)
    x = vega.linear("asked", [0, 1.05 * most], vega.across("target operations per second", format="~s"))
    y = vega.logarithmic("ms", vega.level_title("99 % within, ms", format="~g", tickCount=5))
    tooltip = [
        vega.number_tip("asked", "requested in a second", ",.0f"),
        *vega.tips(done="done", within="99 % within"),
    ]
    line = {"type": "line", "color": "$muted", "strokeWidth": 1.2}
    point = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    coloured = {"x": x, "y": y, "color": vega.series_colour((IN_TIME, TOO_LATE))}
    layers = [vega.layer(values, line, {"x": x, "y": y}), vega.own(values, point, coloured, tooltip)]
    table = table_of(
        steps,
        "requested in a second {asked_per_s:,.0f} | done in a second {done_per_s:,.0f} | "
        "99 % within {within_s:delay} | in time {held}",
        held=lambda step: "yes" if step.held else "no",
    )
    return Figure(
        id=f"rates-{workload}".replace(" ", "-").replace("#", ""),
        title=f"{workload}: times of operations at each rate",
        caption=caption,
        spec=vega.chart(layers, height=_HEIGHT, top=24),
        table=table,
        keys=(IN_TIME, TOO_LATE),
        marks=len(steps),
    )


_COLOURS = ("group-2", "group-3", "group-4", "group-5", "group-6", "group-1")
_LEAST_SHARE = 1e-6


def latencies(source: FigureSource) -> list[Figure]:
    """A figure for each workload whose operations were timed."""
    workloads = dict.fromkeys(latency.workload for latency in source.evidence.latencies)
    return [
        _figure(source, name, [latency for latency in source.evidence.latencies if latency.workload == name])
        for name in workloads
    ]


def operation_keys(source: FigureSource) -> dict[str, Key]:
    """Every operation of the run with its colour, the same in all figures."""
    names = dict.fromkeys(latency.operation for latency in source.evidence.latencies)
    return {name: Key(name, _COLOURS[at % len(_COLOURS)]) for at, name in enumerate(names)}


def _figure(source: FigureSource, workload: str, timed: list[OperationLatency]) -> Figure:
    keys = tuple(operation_keys(source)[latency.operation] for latency in timed)
    percentiles = ". ".join(
        f"{latency.operation[:1].upper()}{latency.operation[1:]}: "
        f"half within {delay(latency.within_s[0][1])}, 99 % within {delay(dict(latency.within_s)[0.99])}, "
        f"the longest {delay(latency.longest_s)}"
        for latency in timed
    )
    shares = [share for share, _ in timed[0].within_s]
    columns = ("operation", "how often", *(f"{100 * share:g} % within" for share in shares), "longest")
    rows = tuple(
        (
            latency.operation,
            f"{latency.count:,}",
            *(delay(time_s) for _, time_s in latency.within_s),
            delay(latency.longest_s),
        )
        for latency in timed
    )
    points = [
        {
            "series": latency.operation,
            "longer": max(1 - share, _LEAST_SHARE),
            "ms": 1000 * time_s,
            "text": delay(time_s),
            "share": f"{100 * share:.4g} %",
        }
        for latency in timed
        for share, time_s in latency.curve
    ]
    least = min(max(1 - share, _LEAST_SHARE) for latency in timed for share, _ in latency.curve)
    axis = {
        "title": "of all operations took longer",
        "labelExpr": "format(100 * datum.value, '~g') + ' %'",
        "values": [1, 0.1, 0.01, 0.001, 0.0001, 0.00001],
    }
    x = vega.logarithmic("longer", axis, [1, least])
    y = vega.logarithmic("ms", vega.level_title("ms", format="~g", tickCount=5))
    curves = vega.own(
        points,
        {"type": "line", "strokeWidth": 1.5, "strokeDash": source.dash},
        {"x": x, "y": y, "color": vega.series_colour(keys)},
        vega.tips(series="operation", share="of all", text="within"),
    )
    return Figure(
        id=f"latencies-{workload}".replace(" ", "-").replace("#", ""),
        title=f"{workload}: how long operations took",
        caption=f"{percentiles}.",
        spec=vega.chart([curves], height=180, top=24),
        table=Table(columns, rows),
        keys=keys,
        marks=sum(len(latency.curve) for latency in timed),
    )


_THOUSAND = 1000.0
TOGETHER = "ink"  # The colour of what stands for all operations.


def operations(source: FigureSource) -> Figure | None:
    """The figure, or None where no operation was timed."""
    courses = source.evidence.courses
    whole = [course for course in courses if course.requests]
    if not whole:
        return None
    names = dict.fromkeys(
        course.operation for course in courses if not course.requests and is_request(course.operation)
    )
    series = {
        name: _series(whole, [timed for timed in courses if timed.operation == name], name) for name in names
    }
    every = _series(whole, whole, whole[0].operation)
    grid = common_grid([every, *series.values()], first_shown_s(source))
    lines = [summed(operation_keys(source)[name], [timed], grid) for name, timed in series.items()]
    if len(lines) > 1:
        lines.append(summed(Key(every.instance, TOGETHER), [every], grid))
    most = max(float(course.per_s.max()) for course in whole)
    unit = vega.ScaledUnit(_THOUSAND, "thousand/s") if most >= _THOUSAND else vega.ScaledUnit(1.0, "1/s")
    means = [float(np.average(course.per_s, weights=np.diff(course.edges_s))) for course in whole]
    busiest = ", ".join(
        f"{course.workload} {format_per_s(mean)}" for course, mean in zip(whole, means, strict=True)
    )
    caption = f"Operations answered per second; on average {busiest}{peaks_text(lines)}."
    words = ("operations", "Operations", caption)
    highest = max(line.highest for line in lines)
    return scaled_figure(source, words, grid, lines, unit=unit, highest=highest)


def _series(whole: list[LatencyCourse], courses: list[LatencyCourse], name: str) -> Series:
    """An operation over all workloads, on the steps of all requests; zero where nobody asked for it."""
    per_s = {course.workload: course.per_s for course in courses}
    edges: list[float] = []
    values: list[float] = []
    for course in sorted(whole, key=lambda timed: float(timed.edges_s[0])):
        starts = [float(edge) for edge in course.edges_s]
        if edges:
            values.append(0.0)
            # A workload that begins within the last step of the one before goes on where that ends.
            starts = [max(edge, edges[-1] + 1e-3 * (at + 1)) for at, edge in enumerate(starts)]
        edges += starts
        own = per_s.get(course.workload, np.zeros(len(course.per_s)))
        values += [float(value) for value in own]
    return Series("clients", "operations", name, "answered", "1/s", np.array(edges), np.array(values))


ANSWERED, OUT = Key("answered", "phase-3"), Key("no answer", "fault")
_PITCH, _BAR = 15.0, 0.62
_LETTER, _AXIS = 6.4, 46


def availability(source: FigureSource) -> Figure | None:
    """The figure, or None where nothing was probed."""
    probes = source.record.probes
    if not probes:
        return None
    out = [probe for probe in probes if probe.outages]
    longest = max((outage.elapsed_s for probe in probes for outage in probe.outages), default=0.0)
    caption = f"{format_counted(len(probes), 'probe')} sent a request ten times a second. "
    caption += (
        f"{len(out)} had no answer for more than a second, the longest for {seconds(longest)}."
        if out
        else "All had an answer within a second."
    )
    if source.record.faults:
        caption += " Faults are shaded, from injection until they were reverted."
    unit = run_unit(source)
    above = header(source, vega.WIDTH)
    y: dict[str, Any] = {
        "field": "probe",
        "type": "nominal",
        "sort": None,
        "scale": {"paddingInner": 1 - _BAR, "paddingOuter": (1 - _BAR) / 2},
        "axis": {"title": None, "labelLimit": 260, "ticks": False, "domain": False},
    }
    stretches = [(ANSWERED.name, probe, probe.start_s, probe.end_s, "") for probe in probes] + [
        (OUT.name, probe, outage.start_s, outage.end_s, outage.said or "slow")
        for probe in probes
        for outage in probe.outages
    ]
    values = [
        {
            "series": series,
            "probe": _probe_name(probe),
            "time": start_s / unit.size,
            "end": end_s / unit.size,
            "lasted": seconds(end_s - start_s),
            "said": error,
        }
        for series, probe, start_s, end_s, error in stretches
    ]
    tooltip = vega.tips(probe="probe", series="what", lasted="for", said="first error")
    place = {"x": time_x(source), "x2": "end", "y": y, "color": vega.series_colour((ANSWERED, OUT))}
    table = table_of(
        probes,
        "probe {name} | requests {asked:,} | failed {failed:,} | slowest answer {longest_s:s} | "
        "outages {count:,} | longest {longest:s} | all together {out_s:s}",
        name=_probe_name,
        count=lambda probe: len(probe.outages),
        longest=lambda probe: max((out.elapsed_s for out in probe.outages), default=None),
    )
    return Figure(
        id="availability",
        title="Answers to probes",
        caption=caption,
        spec=vega.chart(
            [*above.layers, vega.own(values, {"type": "bar"}, place, tooltip)],
            height=_PITCH * len(probes),
            top=above.height + UNIT_LINE // 3,
            bottom=_AXIS,
            left=max(vega.LEFT, round(_LETTER * max(len(_probe_name(probe)) for probe in probes))),
        ),
        table=table,
        keys=(ANSWERED, OUT),
        marks=len(probes) + sum(len(probe.outages) for probe in probes),
    )


def _probe_name(probe: ProbeReport) -> str:
    return f"{probe.of}, {probe.operation}"
