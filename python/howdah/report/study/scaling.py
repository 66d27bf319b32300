"""How sorting grows with the dataset, against n log n."""

from __future__ import annotations

import math
from statistics import geometric_mean
from typing import Any

from howdah.analysis.comparing.readings import ELAPSED
from howdah.analysis.wording import seconds
from howdah.model.run import Origin
from howdah.report.document import Figure, Key
from howdah.report.figure import MOST_COLOURS, series_colour
from howdah.report.figures.timeline import Label, spread
from howdah.report.study.found import CellRuns, StudyFound
from howdah.report.study.results import SORT, by_size, n_log_n, sizes_table
from howdah.report.theme import (
    DATA,
    RIGHT,
    SHOWN,
    as_is,
    chart,
    in_pixels,
    layer,
    level_title,
    logarithmic,
    switching,
    tips,
)
from howdah.units import format_bytes

HEIGHT = 260

_ROOM = 1.08
"""Above and below what is drawn, so many times."""

_POWERS = range(-3, 7)
"""Powers of ten that times in seconds lie between."""


def scaling(findings: StudyFound) -> Figure | None:
    """The figure; None where size does not vary."""
    lines = by_size(findings)[:MOST_COLOURS]
    if not lines:
        return None
    names = [_name(findings, cells) for cells in lines]
    keys = tuple(Key(name, f"group-{place}") for place, name in enumerate(names, start=1))
    return Figure(
        id="scaling",
        title="Time to sort against the dataset's size",
        caption=(
            "Points are runs, hollow if simulated; dashed lines grow with n log n from the "
            "smallest dataset. Both axes are logarithmic."
        ),
        spec=_spec(dict(zip(names, lines, strict=True)), keys),
        table=sizes_table(findings),
        keys=keys if len(keys) > 1 else (),
        marks=sum(len(cell.good) for cells in lines for cell in cells) + 2 * len(lines),
        labelled=True,
    )


def _name(findings: StudyFound, cells: list[CellRuns]) -> str:
    labels = [label for name, label in cells[0].cell.levels.items() if name != "dataset"]
    return ", ".join(labels) or SORT


def _spec(lines: dict[str, list[CellRuns]], keys: tuple[Key, ...]) -> dict[str, Any]:
    points: list[dict[str, Any]] = []
    laws: list[dict[str, Any]] = []
    ends: list[tuple[str, float]] = []
    for name, cells in lines.items():
        sizes = [cell.cell.settings.dataset or 0 for cell in cells]
        times = [cell.values(ELAPSED, SORT, None) for cell in cells]
        first = geometric_mean(times[0])
        points += [
            {
                "series": name,
                "size": size / 1e9,
                "time": value,
                "said": f"{format_bytes(size)}: {seconds(value)}",
                "solid": 0 if cell.good[0].origin is Origin.SIMULATED else 0.6,
            }
            for cell, size, some in zip(cells, sizes, times, strict=True)
            for value in some
        ]
        laws += [
            {"series": name, "size": size / 1e9, "time": first * n_log_n(size) / n_log_n(sizes[0])}
            for size in sizes
        ]
        ends.append((name, geometric_mean(times[-1])))
    drawn = [datum["time"] for datum in (*points, *laws)]
    low, high = min(drawn) / _ROOM, max(drawn) * _ROOM
    colours = {key.name: key.token for key in keys}
    names = spread(
        [
            Label(name, colours[name], HEIGHT * (1 - math.log(end / low) / math.log(high / low)))
            for name, end in ends
        ],
        HEIGHT,
    )
    x = {
        "field": "size",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {
            "title": "dataset (GB)",
            "format": "~g",
            "values": sorted({point["size"] for point in points}),
            "labelOverlap": True,
        },
    }
    y = logarithmic(
        "time",
        {
            **level_title("terasort (s)"),
            "format": "~g",
            "values": [value for value in _round(high / low) if low <= value <= high],
            "grid": True,
        },
        [low, high],
    )
    colour = series_colour(keys)
    layers: list[dict[str, Any]] = [
        layer(
            laws,
            {"type": "line", "strokeDash": [4, 4], "strokeWidth": 1, "opacity": 0.7},
            {"x": x, "y": y, "color": colour},
            SHOWN,
        ),
        layer(
            points,
            {"type": "point", "size": 50, "strokeWidth": 1.5},
            {
                "x": x,
                "y": y,
                "color": colour,
                "fill": colour,
                "fillOpacity": as_is("solid"),
                "tooltip": tips(series=None, said="terasort"),
            },
            SHOWN,
            name=DATA,
        ),
        switching(
            layer(
                [{"series": label.name, "y": label.y} for label in names],
                {"type": "text", "align": "left", "baseline": "middle", "dx": 8, "limit": RIGHT - 8},
                {
                    "x": {"value": {"expr": "width"}},
                    "y": in_pixels("y"),
                    "text": {"field": "series"},
                    "color": colour,
                },
            )
        ),
    ]
    return chart(
        layers,
        height=HEIGHT,
        top=28,
        right=RIGHT,
        resolve={"scale": {"color": "independent", "fill": "independent"}},
    )


def _round(span: float) -> list[float]:
    """Seconds that are written at an axis whose end is so many times its beginning."""
    steps = (1, 2, 5) if span > 5 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    return [step * 10.0**power for power in _POWERS for step in steps]
