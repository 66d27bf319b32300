"""The masters' load for each block that they see to, against how many they see to in a second."""

from __future__ import annotations

from typing import Any

from howdah.analysis.wording import percent
from howdah.model.run import Origin
from howdah.report.comparing.figures.colours import MOST_COLOURS
from howdah.report.figure import Figure, Key, Table, series_colour
from howdah.report.study.found import StudyFound
from howdah.report.study.masters import MASTERS, PER_BLOCKS, Load, loads
from howdah.report.theme import DATA, HALF_WIDTH, LEFT, SHOWN, chart, level_title
from howdah.study.matrix import named

HEIGHT = 170
_BLOCKS = "block_size"


def masters_load(found: StudyFound) -> tuple[Figure, ...]:
    """A figure for each master whose load and blocks are known in two cells or more."""
    every = loads(found)
    figures = []
    for place, (master, _) in enumerate(MASTERS):
        known = [one for one in every if one.normalised(place) is not None]
        if len({one.cell.cell.number for one in known}) > 1:
            figures.append(_figure(found, known, place, master))
    return tuple(figures)


def _figure(found: StudyFound, known: list[Load], place: int, master: str) -> Figure:
    lines = _series(found, known)
    keys = tuple(Key(name, f"group-{number}") for number, name in enumerate(lines, start=1))
    return Figure(
        id=f"masters-{place}",
        title=f"{master}: load for {PER_BLOCKS} blocks a second",
        caption="A point for each cell, hollow where simulated"
        + ("; lines join cells of one kind by block size." if _joined(lines) else "."),
        spec=_spec(lines, keys, place),
        table=_table(lines, place),
        keys=keys if len(keys) > 1 else (),
        half=True,
        marks=2 * len(known),
    )


def _series(found: StudyFound, known: list[Load]) -> dict[str, list[Load]]:
    """A workload with all but the block size alike, where colours suffice; else all of a workload."""
    by_levels: dict[str, list[Load]] = {}
    by_workload: dict[str, list[Load]] = {}
    for one in known:
        rest = {factor: label for factor, label in one.cell.cell.levels.items() if factor != _BLOCKS}
        said = named(found.study, rest)
        by_levels.setdefault(f"{one.workload}, {said}" if said else one.workload, []).append(one)
        by_workload.setdefault(one.workload, []).append(one)
    lines = by_levels if len(by_levels) <= MOST_COLOURS else by_workload
    return {name: sorted(some, key=lambda one: one.blocks_per_s or 0) for name, some in lines.items()}


def _line(one: Load) -> str:
    """The levels of all but the block size: cells that differ in that alone lie on one line."""
    return ", ".join(label for factor, label in one.cell.cell.levels.items() if factor != _BLOCKS)


def _joined(lines: dict[str, list[Load]]) -> bool:
    return any(len({_line(one) for one in some}) < len(some) for some in lines.values())


def _spec(lines: dict[str, list[Load]], keys: tuple[Key, ...], place: int) -> dict[str, Any]:
    rows = [
        {
            "series": name,
            "line": _line(one),
            "blocks": one.blocks_per_s,
            "load": 100 * (one.normalised(place) or 0),
            "cell": one.cell.cell.name,
            "said": percent(one.normalised(place) or 0),
            "solid": 0 if one.cell.good[0].origin is Origin.SIMULATED else 0.6,
        }
        for name, some in lines.items()
        for one in some
    ]
    x = {
        "field": "blocks",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {"title": "blocks a second", "format": "~g", "tickCount": 5},
    }
    y = {
        "field": "load",
        "type": "quantitative",
        "scale": {"zero": True, "nice": True},
        "axis": {**level_title("% of a core"), "tickCount": 4},
    }
    colour = series_colour(keys)
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": rows},
            "transform": [{"filter": SHOWN}],
            "mark": {"type": "line", "strokeWidth": 1, "strokeDash": [4, 4], "opacity": 0.7},
            "encoding": {"x": x, "y": y, "color": colour, "detail": {"field": "line"}},
        },
        {
            "name": DATA,
            "data": {"values": rows},
            "transform": [{"filter": SHOWN}],
            "mark": {"type": "point", "size": 50, "strokeWidth": 1.5},
            "encoding": {
                "x": x,
                "y": y,
                "color": colour,
                "fill": colour,
                "fillOpacity": {"field": "solid", "type": "quantitative", "scale": None, "legend": None},
                "tooltip": [{"field": "cell"}, {"field": "series"}, {"field": "said", "title": "load"}],
            },
        },
    ]
    return chart(
        layers,
        height=HEIGHT,
        width=HALF_WIDTH - LEFT - 14,
        top=28,
        right=14,
        resolve={"scale": {"color": "independent", "fill": "independent"}},
    )


def _table(lines: dict[str, list[Load]], place: int) -> Table:
    rows = tuple(
        (
            name,
            one.cell.cell.name,
            f"{one.blocks_per_s or 0:.3g}",
            f"{100 * (one.busy[place] or 0):.3g}",
            f"{100 * (one.normalised(place) or 0):.3g}",
        )
        for name, some in lines.items()
        for one in some
    )
    columns = ("line", "cell", "blocks/s", "busy (% of a core)", f"for {PER_BLOCKS} blocks/s (%)")
    return Table(columns, rows)
