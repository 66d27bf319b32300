"""Tasks as swim-lanes: every slot a lane, every task a bar, and marks of events on workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from howdah.report.document import Figure, Key, Table
from howdah.report.figures.timeaxis import (
    UNIT_LINE,
    FigureSource,
    TimeUnit,
    end_of_run_s,
    header,
    start_of_axis_s,
    time_unit,
    time_x,
)
from howdah.report.theme import DATA, SHOWN, WIDTH, chart, layer, on, quantity, scaled, series_colour, tips
from howdah.units import format_bytes, format_counted, format_seconds

DAEMONS = {
    "datanode": "DataNode",
    "nodemanager": "NodeManager",
    "namenode": "NameNode",
    "resourcemanager": "ResourceManager",
}

_GONE = {"lost", "given-up"}
TOGETHER = 0.15
"""Words at marks of one worker closer than this share of the time shown would cover one another."""
MOST_WORKERS = 40
"""More workers than this make a picture that nobody reads."""


class EventMark(NamedTuple):
    """What befell one worker at one moment, seconds since the run's start: who was lost, or back."""

    worker: str
    time_s: float
    what: str
    daemons: tuple[str, ...]
    text: str


def event_marks(source: FigureSource) -> list[EventMark]:
    """The record's events; those of one kind that befell a worker at about the same time are one.

    A daemon is lost at its last sign of life, where that is known. Hadoop misses it first and gives it up
    later: that is another mark only where there is room for one.
    """
    near_s = TOGETHER * (end_of_run_s(source) - start_of_axis_s(source))
    marks: list[EventMark] = []
    for event in sorted(source.record.events, key=lambda event: (event.worker, event.time_s)):
        daemon, _, what = event.kind.partition("-")
        at_s = event.seen_s if what == "lost" and event.seen_s is not None else event.time_s
        mark = EventMark(event.worker, at_s, what, (DAEMONS[daemon],), event.text)
        last = marks[-1] if marks else None
        if last and last.worker == mark.worker and _alike(last, mark, near_s):
            daemons = tuple(dict.fromkeys((*last.daemons, *mark.daemons)))
            marks[-1] = last._replace(daemons=daemons, text=f"{last.text}; {mark.text}")
        else:
            marks.append(mark)
    return marks


def _alike(last: EventMark, mark: EventMark, near_s: float) -> bool:
    """Whether the next thing that befell a worker goes with the one before it."""
    near = mark.time_s - last.time_s < near_s
    if last.what == mark.what:
        return near or set(mark.daemons) <= set(last.daemons)
    return near and {last.what, mark.what} == _GONE


def event_layers(
    every: Sequence[EventMark], spans: Mapping[str, tuple[float, float]], unit: TimeUnit, y: dict[str, Any]
) -> list[dict[str, Any]]:
    """A rule across each worker's lanes with a word beside it; a worker that is not drawn has none."""
    values = [
        {
            "time": mark.time_s / unit.seconds,
            "y": spans[mark.worker][0] - 3,
            "y2": spans[mark.worker][1] + 3,
            "word": f"{' and '.join(mark.daemons)} {mark.what.replace('-', ' ')}",
            "text": mark.text,
            "worker": mark.worker,
        }
        for mark in every
        if mark.worker in spans
    ]
    if not values:
        return []
    at = {"x": quantity("time"), "y": on(y, "y")}
    tooltip = tips(worker="worker", text="what")
    word = {"type": "text", "align": "left", "baseline": "top", "dx": 4, "dy": 3, "fontSize": 11}
    # An outline in the page's own colour keeps the word readable over the bars.
    behind = {**word, "stroke": "$page", "strokeWidth": 3, "strokeJoin": "round", "fontWeight": "bold"}
    return [
        layer(
            values,
            {"type": "rule", "color": "$fault", "strokeWidth": 2.5},
            {**at, "y2": {"field": "y2"}, "tooltip": tooltip},
        ),
        layer(values, behind, {**at, "text": {"field": "word"}}),
        layer(
            values,
            {**word, "color": "$fault", "fontWeight": "bold"},
            {**at, "text": {"field": "word"}, "tooltip": tooltip},
        ),
    ]


def telling(source: FigureSource, rows: Sequence[dict[str, Any]]) -> list[str]:
    """At most ``MOST_WORKERS`` names in the plan's order, of those workers that ran tasks.

    First come workers that were lost, then those held to be slow, those with failed attempts, and those
    with the longest task of a kind; the others are taken evenly from the plan, to compare with.
    """
    ran = {row["worker"] for row in rows}
    ordered = [machine.name for machine in source.evidence.machines if machine.name in ran]
    ordered += sorted(ran - set(ordered))
    if len(ordered) <= MOST_WORKERS:
        return ordered
    longest: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        kind = (row["workload"], row["kind"])
        if kind not in longest or _elapsed(row) > _elapsed(longest[kind]):
            longest[kind] = row
    first = [
        *(event.worker for event in source.record.events),
        *(straggler.worker for straggler in source.evidence.stragglers),
        *(row["worker"] for row in rows if row["state"] == "failed"),
        *(row["worker"] for row in longest.values()),
    ]
    # Half of the room at least is for workers to compare with.
    picked = list(dict.fromkeys(name for name in first if name in ran))[: MOST_WORKERS // 2]
    others = [name for name in ordered if name not in picked]
    room = MOST_WORKERS - len(picked)
    picked += [others[place * len(others) // room] for place in range(room)]
    return [name for name in ordered if name in picked]


def _elapsed(row: dict[str, Any]) -> float:
    return float(row["end_s"]) - float(row["start_s"])


KEYS = {"map": Key("map", "phase-1"), "reduce": Key("reduce", "phase-2")}
STAGE = Key("stage", "phase-3")
OTHER = Key("other", "phase-3")
FAULT = Key("failed", "fault")
MOST_BARS = 2_000
_MOST_DRAWN = 10_000
"""Bars of which a page of 10 MB has room for their shapes and data."""
_WIDEST_JOINED = (2, 4, 8, 16)
"""Pixels that joined bars may be wide together, tried in turn."""
MOST_HEIGHT, MOST_LANE = 420.0, 22.0


class LaneBar(NamedTuple):
    """One task, or a row of tasks of one slot that follow each other too quickly to be told apart."""

    series: str
    lane: int
    start_s: float
    end_s: float
    what: str
    moved_bytes: int
    tasks: int


class Lane(NamedTuple):
    """One slot of a worker."""

    worker: str
    kind: str
    slot: int


def series_of(kind: str) -> Key:
    """The series of a kind of task; all stages of Spark are one, because they share their slots."""
    return STAGE if kind.startswith(f"{STAGE.name} ") else KEYS.get(kind, OTHER)


def lane_of(row: Mapping[str, Any]) -> Lane:
    """The lane of a row of the table of tasks."""
    series = series_of(row["kind"])
    return Lane(row["worker"], STAGE.name if series is STAGE else row["kind"], row["slot"])


def lanes(source: FigureSource) -> Figure | None:
    """The figure, or None if no task was recorded."""
    table = source.run.tasks
    if not table.num_rows:
        return None
    rows = table.sort_by([("start_s", "ascending")]).to_pylist()
    every = sorted({lane_of(row) for row in rows})
    bars = merged(_bars(rows, every), end_of_run_s(source) - start_of_axis_s(source))
    kinds = [
        key for key in (*KEYS.values(), STAGE, OTHER, FAULT) if any(bar.series == key.name for bar in bars)
    ]
    caption = f"{format_counted(len(rows), 'task attempt')} in {format_counted(len(every), 'slot')}."
    if len(bars) < len(rows):
        caption += (
            f" Drawn as {len(bars):,} bars: bars of a slot with too little room between them are joined."
        )
    return Figure(
        id="tasks",
        title="Tasks",
        caption=caption,
        spec=_spec(source, every, bars, kinds),
        table=tasks_table(rows),
        keys=tuple(kinds) if len(kinds) > 1 else (),
        marks=len(bars),
    )


def _bars(rows: list[dict[str, Any]], every: list[Lane]) -> list[LaneBar]:
    places = {lane: index for index, lane in enumerate(every)}
    return [
        LaneBar(
            FAULT.name if row["state"] != "succeeded" else series_of(row["kind"]).name,
            places[lane_of(row)],
            row["start_s"],
            row["end_s"],
            f"{row['workload']} {row['kind']} {row['task']}",
            row["input_bytes"] + row["output_bytes"],
            1,
        )
        for row in rows
    ]


def merged(bars: list[LaneBar], shown_s: float) -> list[LaneBar]:
    """Neighbours in a lane joined where both are narrower than a pixel or so; all of them, if few.

    Where that leaves too many for a page, wider ones are joined, too. Gaps of a pixel stay.
    """
    if len(bars) <= MOST_BARS:
        return bars
    pixel_s = shown_s / 900
    ordered = sorted(bars, key=lambda bar: (bar.lane, bar.start_s))
    for pixels in _WIDEST_JOINED:
        joined = _joined(ordered, pixel_s, pixels * pixel_s)
        if len(joined) <= _MOST_DRAWN:
            break
    return joined


def _joined(ordered: list[LaneBar], gap_s: float, width_s: float) -> list[LaneBar]:
    joined: list[LaneBar] = []
    for bar in ordered:
        last = joined[-1] if joined else None
        if (
            last is not None
            and (last.series, last.lane) == (bar.series, bar.lane)
            and bar.start_s - last.end_s < gap_s
            and bar.end_s - last.start_s < width_s
        ):
            tasks = last.tasks + bar.tasks
            joined[-1] = last._replace(
                end_s=bar.end_s,
                what=f"{tasks} tasks",
                moved_bytes=last.moved_bytes + bar.moved_bytes,
                tasks=tasks,
            )
        else:
            joined.append(bar)
    return joined


def _lane_names(every: list[Lane]) -> list[dict[str, Any]]:
    """One name for each run of lanes of the same kind and worker, beside the middle of them."""
    several = len({lane.worker for lane in every}) > 1
    groups: dict[str, list[int]] = {}
    for index, lane in enumerate(every):
        groups.setdefault(f"{lane.worker} {lane.kind}" if several else lane.kind, []).append(index)
    return [{"name": name, "lane": sum(places) / len(places)} for name, places in groups.items()]


def _spec(source: FigureSource, every: list[Lane], bars: list[LaneBar], kinds: list[Key]) -> dict[str, Any]:
    unit = time_unit(source)
    above = header(source, WIDTH)
    pitch = min(MOST_LANE, MOST_HEIGHT / len(every))
    y = scaled([-0.5, len(every) - 0.5], down=True, zero=False)
    values = [
        {
            "series": bar.series,
            "y": bar.lane - 0.42,
            "y2": bar.lane + 0.42,
            "start": round(bar.start_s / unit.seconds, 5),
            "end": round(bar.end_s / unit.seconds, 5),
            "what": bar.what,
            "took": format_seconds(bar.end_s - bar.start_s),
            "moved": format_bytes(bar.moved_bytes),
        }
        for bar in bars
    ]
    mark: dict[str, Any] = {"type": "rect", "stroke": "$page"}
    mark["strokeWidth"] = 0.8 if len(bars) < MOST_BARS else 0.2
    if source.simulated:
        mark |= {"fillOpacity": 0.3, "stroke": "$ink", "strokeDash": source.dash}
    layers = [
        *above.layers,
        layer(
            values,
            mark,
            {
                **bar_places(source, y),
                "color": series_colour(kinds),
                "tooltip": [*tips(what="task"), *bar_tips(unit)],
            },
            SHOWN,
            name=DATA,
        ),
        layer(
            _lane_names(every),
            {"type": "text", "align": "right", "dx": -8, "x": 0, "color": "$muted"},
            {"y": on(y, "lane"), "text": {"field": "name"}},
        ),
    ]
    return chart(
        layers,
        height=pitch * len(every),
        # There is no unit to write above this plot, only room for the tallest letters.
        top=above.height + UNIT_LINE // 3,
    )


def bar_places(source: FigureSource, y: dict[str, Any]) -> dict[str, Any]:
    """Where bars of tasks are: from start to end, in their lanes."""
    return {
        "x": time_x(source, "start"),
        "x2": {"field": "end"},
        "y": on(y, "y"),
        "y2": {"field": "y2"},
    }


def bar_tips(unit: TimeUnit) -> list[dict[str, Any]]:
    """What a pointer shows of a bar's times and bytes."""
    start = {"field": "start", "title": f"start ({unit.name})", "format": ".4~g"}
    return [start, *tips(took="elapsed", moved="in and out")]


def tasks_table(rows: list[dict[str, Any]]) -> Table:
    """Each workload's tasks by kind: how many, and their shortest, median and longest time."""
    groups: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        groups.setdefault((row["workload"], row["kind"]), []).append(row["end_s"] - row["start_s"])
    lines = []
    for (workload, kind), times in groups.items():
        times.sort()
        picked = (times[0], times[len(times) // 2], times[-1])
        lines.append((f"{workload} {kind}", str(len(times)), *(f"{time:.3f}" for time in picked)))
    return Table(("tasks", "count", "shortest (s)", "median (s)", "longest (s)"), tuple(lines))
