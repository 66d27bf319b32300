"""Tasks as swim-lanes: a bar for each, in lanes grouped by worker, or by kind on a single machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from howdah.model.run import TaskAttempt
from howdah.report import vega
from howdah.report.document import Figure, Key
from howdah.report.figures import task_bars, timeaxis
from howdah.report.figures.task_bars import KEYS, OTHER_KIND, STAGE, Lane, LaneBar, lane_of, series_of
from howdah.report.figures.timeaxis import FigureSource
from howdah.units import format_bytes, format_counted, format_seconds

SHUFFLE = Key("reduce fetching map output", "phase-3")
FAILED, KILLED = Key("failed", "fault"), Key("killed", "muted")
MISSED = Key("lost, not yet given up", "rule")

_DASHED_PITCH = 7.0  # Height of a bar, in pixels, from which a dashed outline can be seen as one.
_LETTER, _MOST_LEFT, _AXIS = 6.4, 150, 46
_OF_CLUSTER, _OF_MACHINE = (760.0, 4.0, 13.0), (420.0, 1.0, 22.0)
"""The height of all lanes together, and the least and the most of each, pixels."""
_GAP, _SMALL = 7.0, 4.0


class LaneGroup(NamedTuple):
    """The lanes of one worker or one kind of task, from ``top`` to ``bottom`` in pixels."""

    name: str
    top: float
    bottom: float


class Places(NamedTuple):
    """Where everything is: each group, each lane's upper edge, and a lane's height, pixels."""

    groups: tuple[LaneGroup, ...]
    lanes: tuple[Lane, ...]
    tops: tuple[float, ...]
    pitch: float


def tasks(source: FigureSource) -> Figure | None:
    """The figure, or None if no task was recorded."""
    table = source.run.tasks
    if not table.num_rows:
        return None
    every = table.sort_by([("start_s", "ascending")]).to_pylist()
    workers = task_bars.telling(source, every)
    rows = [row for row in every if row["worker"] in set(workers)]
    places = _places(rows, workers if source.record.cluster else ())
    # Hadoop learned only later when attempts ended on workers that were lost.
    ends = {
        attempt: loss.lost_s
        for loss in source.evidence.losses
        for attempt in loss.ended
        if attempt.worker == loss.worker and attempt.start_s < loss.lost_s < attempt.end_s
    }
    bars = _bars(rows, places.lanes, ends)
    drawn = task_bars.merged(bars, timeaxis.end_of_run_s(source) - timeaxis.start_of_axis_s(source))
    every_key = (KEYS["map"], SHUFFLE, KEYS["reduce"], STAGE, OTHER_KIND, FAILED, KILLED, MISSED)
    keys = [key for key in every_key if any(bar.series == key.name for bar in drawn)]
    text = format_counted(len(every), "task attempt")
    if source.record.cluster is None:
        text += f" in {format_counted(len({lane_of(row) for row in every}), 'slot')}."
    count = len({row["worker"] for row in every})
    if source.record.cluster is not None:
        text += f" on {format_counted(count, 'worker')}."
    if count > len(workers):
        most = task_bars.MOST_WORKERS
        text += (
            f" Drawn are {most} of them: those lost, slow, with failed attempts or the longest "
            f"tasks, and others picked evenly to compare with; {count - most:,} more are not drawn."
        )
    if len(drawn) < len(bars):
        text += " Bars of a lane with too little room between them are joined."
    if any(row["state"] == "killed" for row in every):
        text += " An outline alone is an attempt that was killed, a cross one that failed."
    if source.record.events:
        text += " Vertical marks show when daemons were lost, and when they came back."
    if any(straggler.worker in workers for straggler in source.evidence.stragglers):
        text += " At the right, why a worker or its slowest task was slow."
    return Figure(
        id="tasks",
        title="Tasks by worker" if source.record.cluster else "Tasks",
        caption=text,
        spec=_spec(source, places, drawn, keys),
        table=task_bars.tasks_table(every),
        keys=tuple(keys) if len(keys) > 1 else (),
        marks=len(drawn),
    )


def _places(rows: list[dict[str, Any]], workers: Sequence[str]) -> Places:
    """The lanes of each worker; of each kind of task if there are none."""
    own: dict[str, set[Lane]] = {worker: set() for worker in workers}
    for row in rows:
        lane = lane_of(row)
        own.setdefault(lane.worker if workers else lane.kind, set()).add(lane)
    count = sum(map(len, own.values()))
    height, least, most = _OF_CLUSTER if workers else _OF_MACHINE
    pitch = max(least, min(most, (height - _GAP * len(own)) / count))
    groups, lanes, tops, y = [], [], [], _GAP / 2
    for name, mine in own.items():
        groups.append(LaneGroup(name, y, y + pitch * len(mine)))
        for lane in sorted(mine):
            lanes.append(lane)
            tops.append(y)
            y += pitch
        y += _GAP
    return Places(tuple(groups), tuple(lanes), tuple(tops), pitch)


def _bars(
    rows: list[dict[str, Any]], lanes: Sequence[Lane], ends: Mapping[TaskAttempt, float]
) -> list[LaneBar]:
    """One bar for each attempt, two for a reduce that told when it had all its map output.

    Two as well for one that was lost with its worker: until the loss, and until Hadoop knew.
    """
    places = {lane: index for index, lane in enumerate(lanes)}
    bars = []
    for row in rows:
        series = {"failed": FAILED, "killed": KILLED}.get(row["state"]) or series_of(row["kind"])
        again = f", attempt {row['attempt'] + 1}" if row["attempt"] else ""
        ended = f", {row['state']}" if row["state"] != "succeeded" else ""
        why = f": {row['error']}" if row["error"] else ""
        label = f"{row['workload']} {row['kind']} {row['task']}{again}{ended}{why}"
        lane, moved_bytes = places[lane_of(row)], row["input_bytes"] + row["output_bytes"]
        bar = LaneBar(series.name, lane, row["start_s"], row["end_s"], label, moved_bytes, 1)
        fetched_s = row["shuffle_end_s"]
        if series is KEYS["reduce"] and fetched_s is not None and row["start_s"] < fetched_s < row["end_s"]:
            bars.append(bar._replace(series=SHUFFLE.name, end_s=fetched_s, label=f"{bar.label}, fetching"))
            bar = bar._replace(start_s=fetched_s, label=f"{bar.label}, merging and reducing")
        lost_s = ends.get(TaskAttempt(**row))
        if lost_s is not None:
            bars.append(bar._replace(series=MISSED.name, start_s=lost_s))
            bar = bar._replace(end_s=lost_s)
        bars.append(bar)
    return bars


def _spec(source: FigureSource, places: Places, bars: list[LaneBar], keys: Sequence[Key]) -> dict[str, Any]:
    unit = timeaxis.run_unit(source)
    above = timeaxis.header(source, vega.WIDTH)
    height = places.groups[-1].bottom + _GAP / 2
    y = vega.scaled([0, height], down=True, zero=False)
    inner = min(0.5, places.pitch * 0.06)
    values: list[dict[str, Any]] = [
        {
            "series": bar.series,
            "y": round(places.tops[bar.lane] + inner, 2),
            "y2": round(places.tops[bar.lane] + places.pitch - inner, 2),
            "start": round(bar.start_s / unit.size, 4),
            "end": round(bar.end_s / unit.size, 4),
            "what": bar.label,
            "worker": places.lanes[bar.lane].worker,
            "took": format_seconds(bar.end_s - bar.start_s),
            "moved": format_bytes(bar.moved_bytes),
        }
        for bar in bars
    ]
    hollow = f"datum.series === '{KILLED.name}'"
    # Dashes around bars of a few pixels are a grey noise; there only the paleness tells.
    dashed = source.simulated and places.pitch >= _DASHED_PITCH
    mark: dict[str, Any] = {
        "type": "rect",
        "strokeWidth": 0.8 if len(bars) < task_bars.MOST_BARS else 0.2,
        # What is not a colour alone can be distinguished on any paper: a killed attempt is an outline.
        "fillOpacity": {"expr": f"{hollow} ? 0.15 : {(0.3 if dashed else 0.5) if source.simulated else 1}"},
    }
    if dashed:
        mark["strokeDash"] = source.dash
    outline = "$ink" if dashed else "$page"
    stroke = {"condition": {"test": hollow, "value": "$muted"}, "value": outline}
    place = {"x": timeaxis.time_x(source, "start"), "x2": "end", "y": vega.on(y, "y"), "y2": "y2"}
    tooltip = [
        *vega.tips(what="task", worker="worker"),
        vega.number_tip("start", f"start ({unit.name})"),
        *vega.tips(took="elapsed", moved="in and out"),
    ]
    # A cross where an attempt failed, so that colour is not all that shows it.
    failed = [
        {"series": value["series"], "end": value["end"], "y": (value["y"] + value["y2"]) / 2}
        for value in values
        if value["series"] == FAILED.name
    ]
    cross = {"type": "text", "text": "×", "dx": 5, "fontSize": max(9, places.pitch), "color": "$fault"}
    cross |= {"baseline": "middle", "fontWeight": "bold"}
    at_end = {"x": vega.quantity("end"), "y": vega.on(y, "y")}
    spans = {group.name: (group.top, group.bottom) for group in places.groups}
    layers = [
        *above.layers,
        vega.own(values, mark, {**place, "color": vega.series_colour(keys), "stroke": stroke}, tooltip),
        *vega.filled(vega.layer(failed, cross, at_end, vega.SHOWN)),
        *task_bars.event_layers(task_bars.event_marks(source), spans, unit, y),
        *_names(source, places, y),
        *timeaxis.legend(keys, height + _AXIS + timeaxis.LEGEND_HEIGHT / 2),
    ]
    longest = max(map(len, shortened(places)))
    spec = vega.chart(
        layers,
        height=height,
        top=above.height + timeaxis.UNIT_LINE // 3,
        bottom=_AXIS + timeaxis.LEGEND_HEIGHT,
        left=max(vega.LEFT, min(_MOST_LEFT, round(_LETTER * longest) + 14)),
    )
    return timeaxis.with_still(spec)


def _names(source: FigureSource, places: Places, y: dict[str, Any]) -> list[dict[str, Any]]:
    """The workers at the left, and at the right why they or their slowest tasks were slow."""
    middles = [(group.top + group.bottom) / 2 for group in places.groups]
    names = [{"name": name, "y": middle} for name, middle in zip(shortened(places), middles, strict=True)]
    causes: dict[str, list[str]] = {}
    for straggler in source.evidence.stragglers:
        causes.setdefault(straggler.worker, []).append(straggler.cause)
    at = {group.name: middle for group, middle in zip(places.groups, middles, strict=True)}
    reasons = [
        {"y": at[worker], "text": ", ".join(dict.fromkeys(own))}
        for worker, own in causes.items()
        if worker in at
    ]
    left = {"type": "text", "align": "right", "baseline": "middle", "dx": -8, "x": 0, "color": "$muted"}
    left |= {"fontSize": 11 if places.pitch > _SMALL else 10, "limit": _MOST_LEFT - 14}
    right = {"type": "text", "align": "left", "baseline": "middle", "dx": 8, "fontSize": 11}
    right |= {"color": "$fault", "limit": vega.RIGHT - 8, "opacity": {"expr": "roomy ? 1 : 0"}}
    return vega.filled(
        vega.layer(names, left, {"y": vega.on(y, "y"), "text": "name"}),
        vega.layer(reasons, right, {"x": vega.RIGHT_END, "y": vega.on(y, "y"), "text": "text"}),
    )


def shortened(places: Places) -> list[str]:
    """The workers' names without their domain, which leaves more room to the bars, where that is enough."""
    whole = [group.name for group in places.groups]
    short = [name.partition(".")[0] for name in whole]
    return short if len(set(short)) == len(whole) else whole
