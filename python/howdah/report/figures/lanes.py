"""Tasks as swim-lanes: every slot a lane, every task a bar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from howdah.report.document import Figure, Key, Table
from howdah.report.figure import FigureSource, series_colour
from howdah.report.figures.timeaxis import UNIT_LINE, end_of_run_s, header, start_of_axis_s, time_unit, time_x
from howdah.report.theme import DATA, SHOWN, WIDTH, chart, layer
from howdah.units import format_bytes, format_counted, format_seconds

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
    x = time_x(source, "start")
    y_scale = {"domain": [-0.5, len(every) - 0.5], "reverse": True, "nice": False, "zero": False}
    y = {"type": "quantitative", "scale": y_scale, "axis": None}
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
    mark: dict[str, Any] = {
        "type": "rect",
        "stroke": "$page",
        "strokeWidth": 0.8 if len(bars) < MOST_BARS else 0.2,
    }
    if source.dash != [1, 0]:
        mark |= {"fillOpacity": 0.3, "stroke": "$ink", "strokeDash": source.dash}
    layers = [
        *above.layers,
        layer(
            values,
            mark,
            {
                "x": x,
                "x2": {"field": "end"},
                "y": {**y, "field": "y"},
                "y2": {"field": "y2"},
                "color": series_colour(kinds),
                "tooltip": [
                    {"field": "what", "title": "task"},
                    {"field": "start", "title": f"start ({unit.name})", "format": ".4~g"},
                    {"field": "took", "title": "elapsed"},
                    {"field": "moved", "title": "in and out"},
                ],
            },
            SHOWN,
            name=DATA,
        ),
        layer(
            _lane_names(every),
            {"type": "text", "align": "right", "dx": -8, "x": 0, "color": "$muted"},
            {"y": {**y, "field": "lane"}, "text": {"field": "name"}},
        ),
    ]
    return chart(
        layers,
        height=pitch * len(every),
        # There is no unit to write above this plot, only room for the tallest letters.
        top=above.height + UNIT_LINE // 3,
        resolve={"scale": {"color": "independent", "opacity": "independent"}},
    )


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
