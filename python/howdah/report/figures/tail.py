"""How long requests took over time, and when servers collected, flushed, compacted and moved regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from howdah.analysis.evidence.operations import LatencyCourse
from howdah.analysis.operation_steps import SHARES
from howdah.analysis.wording import delay
from howdah.model.tables import COLLECTION, COMPACTION, FLUSH, MOVE, SLOW_SYNC, SPLIT, ServerEvent
from howdah.report import vega
from howdah.report.document import Figure, Key, Table
from howdah.report.figures import timeaxis
from howdah.report.figures.timeaxis import FigureSource
from howdah.report.figures.timeline import Label, label_layers, spread
from howdah.units import format_counted

_HEIGHT, _LANE, _GAP = 220.0, 16.0, 12.0
MOST_STEPS = 1200  # Of more steps than this only the slowest of neighbours are drawn.
MOST_EVENTS = 500  # Of more events of a kind than this only the longest are drawn.
_COLOURS = ("group-6", "group-2", "group-3", "group-4")
_LANES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("collections", (COLLECTION,), "fault"),
    ("flushes", (FLUSH,), "disk-read"),
    ("compactions", (COMPACTION,), "memory-process"),
    ("moves and splits", (MOVE, SPLIT), "net-send"),
    ("slow syncs", (SLOW_SYNC,), "cpu-iowait"),
)


def tail(source: FigureSource) -> Figure | None:
    """The figure, or None where no request was timed."""
    courses = [course for course in source.evidence.courses if course.requests]
    if not courses:
        return None
    keys = tuple(Key(_named(share), colour) for share, colour in zip(SHARES, _COLOURS, strict=True))
    start_s, end_s = timeaxis.start_of_axis_s(source), timeaxis.end_of_run_s(source)
    shown = [
        event for event in source.evidence.server_events if event.end_s >= start_s and event.start_s <= end_s
    ]
    lanes = [
        (Key(name, token), events)
        for name, kinds, token in _LANES
        if (events := [event for event in shown if event.kind in kinds])
    ]
    sentences = ["Time within which 50 to 99.9 % of requests ended in each step, on a logarithmic scale."]
    for course in courses:
        within = dict(course.within_s)[0.99]
        if np.isfinite(within).any():
            sentences.append(
                f"{course.workload}: 99 % within {_time(float(np.nanmedian(within)))} in half of the steps, "
                f"{_time(float(np.nanmax(within)))} in the worst."
            )
    if lanes:
        counts = [f"{len(events):,} {key.name}" for key, events in lanes]
        for at, (_, events) in enumerate(lanes):
            if len(events) > MOST_EVENTS:
                counts[at] += f", of which the {MOST_EVENTS} longest are drawn"
        sentences.append(f"Below, what RegionServers did at the same time: {', '.join(counts)}.")
    return Figure(
        id="tail",
        title="How long requests took",
        caption=" ".join(sentences),
        spec=_spec(source, courses, keys, lanes),
        table=_table(source, courses, lanes),
        keys=(*keys, *(key for key, _ in lanes)),
        marks=len(SHARES) * sum(len(course.per_s) for course in courses)
        + sum(min(len(events), MOST_EVENTS) for _, events in lanes),
        labelled=True,
    )


_Lane = tuple[Key, list[ServerEvent]]


def _named(share: float) -> str:
    return f"{100 * share:g} % within"


def _rows(source: FigureSource, courses: Sequence[LatencyCourse]) -> list[dict[str, Any]]:
    """A row for each step and share; nothing between workloads, and where no request ended."""
    unit = timeaxis.run_unit(source)
    many = -(-sum(len(course.per_s) for course in courses) // MOST_STEPS)
    rows: list[dict[str, Any]] = []
    for course in courses:
        starts = course.edges_s[:-1][::many]
        for share, values in course.within_s:
            worst = [
                float(np.nanmax(some)) if np.isfinite(some := values[at : at + many]).any() else None
                for at in range(0, len(values), many)
            ]
            times = [*starts, course.edges_s[-1], course.edges_s[-1]]
            for time_s, value in zip(times, [*worst, worst[-1], None], strict=True):
                step: dict[str, Any] = {"series": _named(share), "workload": course.workload}
                step["time"] = round(float(time_s) / unit.size, 4)
                step["ms"] = None if value is None else float(f"{1000 * value:.4g}")
                step["text"] = "" if value is None else _time(value)
                rows.append(step)
    return rows


def _spec(
    source: FigureSource, courses: Sequence[LatencyCourse], keys: tuple[Key, ...], lanes: Sequence[_Lane]
) -> dict[str, Any]:
    above = timeaxis.header(source, vega.WIDTH)
    unit = timeaxis.run_unit(source)
    rows = _rows(source, courses)
    times_ms = [row["ms"] for row in rows if row["ms"] is not None]
    low, high = 0.8 * min(times_ms), 1.2 * max(times_ms)
    # The powers of ten between the shortest and the longest time, or what is between two of them.
    decades = vega.round_numbers(low, high, (1,)) or [float(f"{end:.1g}") for end in (low * 1.3, high / 1.3)]
    scale = {"type": "log", "domain": [low, high], "range": [_HEIGHT, 0], "nice": False}
    axis = vega.level_title("ms", above.height, format="~g", values=decades)
    y = vega.quantity("ms", scale=scale, axis=axis)
    height = _HEIGHT + (_GAP + _LANE * len(lanes) if lanes else 0)
    line = {"type": "line", "interpolate": "step-after", "strokeWidth": 1.5, "strokeDash": source.dash}
    line |= {"invalid": "break-paths-show-domains", "clip": True}
    place = {"x": timeaxis.time_x(source), "y": y, "color": vega.series_colour(keys), "detail": "workload"}
    tooltip = [vega.number_tip("time", f"at ({unit.name})"), *vega.tips(series="of all", text="within")]
    layers = [*above.layers, vega.own(rows, line, place, tooltip)]
    times = {"x": vega.quantity("start"), "x2": "end", "y": vega.in_pixels("top"), "y2": "below"}
    for at, (key, events) in enumerate(lanes):
        top = _HEIGHT + _GAP + _LANE * at
        longest = sorted(events, key=lambda event: event.start_s - event.end_s)[:MOST_EVENTS]
        values = [
            {
                "series": key.name,
                "start": round(event.start_s / unit.size, 4),
                "end": round(event.end_s / unit.size, 4),
                "top": top + 2,
                "below": top + _LANE - 2,
                "where": event.machine,
                "what": event.detail,
                "took": _time(event.seconds),
            }
            for event in sorted(longest, key=lambda event: event.start_s)
        ]
        colour = f"${key.token}"
        bar = {
            "type": "rect",
            "color": colour,
            "stroke": colour,
            "strokeWidth": 1,
            "opacity": 0.75,
            "clip": True,
        }
        tooltip = vega.tips(where="where", what=key.name, took="took")
        layers.append(vega.layer(values, bar, {**times, "tooltip": tooltip}, vega.SHOWN))
    # A line's name is at its end, a lane's at its middle.
    names = []
    for key in keys:
        last = [row["ms"] for row in rows if row["series"] == key.name and row["ms"] is not None][-1]
        down = float((np.log(high) - np.log(last)) / (np.log(high) - np.log(low)))
        names.append(Label(key.name, key.token, _HEIGHT * down))
    names = spread(names, _HEIGHT)
    for at, (key, _) in enumerate(lanes):
        names.append(Label(key.name, key.token, _HEIGHT + _GAP + _LANE * (at + 0.5)))
    layers += label_layers(names)
    return vega.chart(layers, height=height, top=above.height + timeaxis.UNIT_LINE, right=vega.RIGHT)


def _table(source: FigureSource, courses: Sequence[LatencyCourse], lanes: Sequence[_Lane]) -> Table:
    unit = timeaxis.run_unit(source)
    rows = []
    for course in courses:
        within = dict(course.within_s)
        worst = np.argsort(np.nan_to_num(within[0.99], nan=-1.0))[::-1][:8]
        for at in sorted(worst):
            start_s, end_s = float(course.edges_s[at]), float(course.edges_s[at + 1])
            met = [
                f"{format_counted(many, key.name.removesuffix('s'))}"
                for key, events in lanes
                if (many := sum(event.end_s >= start_s and event.start_s <= end_s for event in events))
            ]
            rows.append(
                (
                    course.workload,
                    f"{start_s / unit.size:.1f}",
                    f"{course.per_s[at] * (end_s - start_s):,.0f}",
                    *(_time(float(within[share][at])) for share in SHARES),
                    ", ".join(met),
                )
            )
    columns = ("workload", f"worst steps, from ({unit.name})", "requests", *map(_named, SHARES), "meanwhile")
    return Table(columns, tuple(rows))


def _time(seconds: float) -> str:
    return delay(seconds) if np.isfinite(seconds) else "–"
