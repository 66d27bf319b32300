"""Parts of the figure of tasks: their bars, joined where they are many, and marks of events on workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from howdah.hadoop.daemons import BY_NAME
from howdah.report import vega
from howdah.report.document import Key, Table
from howdah.report.figures.timeaxis import FigureSource, end_of_run_s, start_of_axis_s
from howdah.units import listed

_GONE = {"lost", "given-up"}
TOGETHER = 0.15  # Words at marks of one worker closer than this part of the time shown would overlap.
MOST_WORKERS = 40  # A picture of more workers is unreadable.


class EventMark(NamedTuple):
    """What befell one worker at one moment, seconds since the run's start: who was lost, or back."""

    worker: str
    time_s: float
    state: str
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
        daemon, _, state = event.kind.partition("-")
        at_s = event.seen_s if state == "lost" and event.seen_s is not None else event.time_s
        mark = EventMark(event.worker, at_s, state, (BY_NAME[daemon].value,), event.text)
        last = marks[-1] if marks else None
        if last and last.worker == mark.worker and _same(last, mark, near_s):
            daemons = tuple(dict.fromkeys((*last.daemons, *mark.daemons)))
            marks[-1] = last._replace(daemons=daemons, text=f"{last.text}; {mark.text}")
        else:
            marks.append(mark)
    return marks


def _same(last: EventMark, mark: EventMark, near_s: float) -> bool:
    """Whether the next thing that befell a worker goes with the one before it."""
    near = mark.time_s - last.time_s < near_s
    if last.state == mark.state:
        return near or set(mark.daemons) <= set(last.daemons)
    return near and {last.state, mark.state} == _GONE


def event_layers(
    every: Sequence[EventMark],
    spans: Mapping[str, tuple[float, float]],
    unit: vega.ScaledUnit,
    y: dict[str, Any],
) -> list[dict[str, Any]]:
    """A rule across each worker's lanes with a word beside it; a worker that is not drawn has none."""
    values = [
        {
            "time": mark.time_s / unit.size,
            "y": spans[mark.worker][0] - 3,
            "y2": spans[mark.worker][1] + 3,
            "word": f"{listed(mark.daemons)} {mark.state.replace('-', ' ')}",
            "text": mark.text,
            "worker": mark.worker,
        }
        for mark in every
        if mark.worker in spans
    ]
    at = {"x": vega.quantity("time"), "y": vega.on(y, "y")}
    tooltip = vega.tips(worker="worker", text="what")
    word = {"type": "text", "align": "left", "baseline": "top", "dx": 4, "dy": 3, "fontSize": 11}
    # An outline in the page's own colour keeps the word readable over the bars.
    behind = {**word, "stroke": "$page", "strokeWidth": 3, "strokeJoin": "round", "fontWeight": "bold"}
    rule = {"type": "rule", "color": "$fault", "strokeWidth": 2.5}
    front = {**word, "color": "$fault", "fontWeight": "bold"}
    return vega.filled(
        vega.layer(values, rule, {**at, "y2": "y2", "tooltip": tooltip}),
        vega.layer(values, behind, {**at, "text": "word"}),
        vega.layer(values, front, {**at, "text": "word", "tooltip": tooltip}),
    )


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
    unpicked = [name for name in ordered if name not in picked]
    room = MOST_WORKERS - len(picked)
    picked += [unpicked[place * len(unpicked) // room] for place in range(room)]
    return [name for name in ordered if name in picked]


def _elapsed(row: dict[str, Any]) -> float:
    return float(row["end_s"]) - float(row["start_s"])


KEYS = {"map": Key("map", "phase-1"), "reduce": Key("reduce", "phase-2")}
STAGE = Key("stage", "phase-3")
OTHER_KIND = Key("other", "phase-3")
MOST_BARS = 2_000
_MOST_DRAWN = 10_000  # Bars of which a page of 10 MB has room for their shapes and data.
_WIDEST_JOINED = (2, 4, 8, 16)  # Pixels that joined bars may be wide together, tried in turn.


class LaneBar(NamedTuple):
    """One task, or a row of tasks of one slot that follow each other too quickly to be told apart."""

    series: str
    lane: int
    start_s: float
    end_s: float
    label: str
    moved_bytes: int
    tasks: int


class Lane(NamedTuple):
    """One slot of a worker."""

    worker: str
    kind: str
    slot: int


def series_of(kind: str) -> Key:
    """The series of a kind of task; all stages of Spark are one, because they share their slots."""
    return STAGE if kind.startswith(f"{STAGE.name} ") else KEYS.get(kind, OTHER_KIND)


def lane_of(row: Mapping[str, Any]) -> Lane:
    series = series_of(row["kind"])
    return Lane(row["worker"], STAGE.name if series is STAGE else row["kind"], row["slot"])


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
            tasks, moved_bytes = last.tasks + bar.tasks, last.moved_bytes + bar.moved_bytes
            label = f"{tasks} tasks"
            joined[-1] = last._replace(end_s=bar.end_s, label=label, moved_bytes=moved_bytes, tasks=tasks)
        else:
            joined.append(bar)
    return joined


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
