"""How sorting grows with the dataset, against n log n."""

from __future__ import annotations

from statistics import geometric_mean
from typing import Any

from howdah.analysis.comparing.readings import ELAPSED
from howdah.analysis.wording import seconds
from howdah.model.run import Origin
from howdah.report.comparing.figures.colours import MOST_COLOURS
from howdah.report.figure import Figure, Key, series_colour
from howdah.report.study.found import CellRuns, Found
from howdah.report.study.results import SORT, by_size, n_log_n, sizes_table
from howdah.report.theme import DATA, RIGHT, SHOWN, chart, level_title
from howdah.units import format_bytes

HEIGHT = 260


def scaling(found: Found) -> Figure | None:
    """The figure; None where size does not vary."""
    lines = by_size(found)[:MOST_COLOURS]
    if not lines:
        return None
    names = [_name(found, cells) for cells in lines]
    keys = tuple(Key(name, f"group-{place}") for place, name in enumerate(names, start=1))
    return Figure(
        id="scaling",
        title="Time to sort against the dataset's size",
        caption=(
            "Points are runs, hollow where they were simulated; dashed lines grow with n log n from the "
            "smallest dataset. Both axes are logarithmic."
        ),
        spec=_spec(dict(zip(names, lines, strict=True)), keys),
        table=sizes_table(found),
        keys=keys if len(keys) > 1 else (),
        marks=sum(len(cell.good) for cells in lines for cell in cells) + 2 * len(lines),
    )


def _name(found: Found, cells: list[CellRuns]) -> str:
    labels = [label for name, label in cells[0].cell.levels.items() if name != "dataset"]
    return ", ".join(labels) or SORT


def _spec(lines: dict[str, list[CellRuns]], keys: tuple[Key, ...]) -> dict[str, Any]:
    points, laws, names = [], [], []
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
        names.append(
            {"series": name, "size": sizes[-1] / 1e9, "time": geometric_mean(times[-1]), "text": name}
        )
    x = {
        "field": "size",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {"title": "dataset (GB)", "format": "~g", "tickCount": 6},
    }
    y = {
        "field": "time",
        "type": "quantitative",
        "scale": {"type": "log", "nice": True},
        "axis": {**level_title("terasort (s)"), "format": "~g", "tickCount": 5, "grid": True},
    }
    colour = series_colour(keys)
    shown = [{"filter": SHOWN}]
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": laws},
            "transform": shown,
            "mark": {"type": "line", "strokeDash": [4, 4], "strokeWidth": 1, "opacity": 0.7},
            "encoding": {"x": x, "y": y, "color": colour},
        },
        {
            "name": DATA,
            "data": {"values": points},
            "transform": shown,
            "mark": {"type": "point", "size": 50, "strokeWidth": 1.5},
            "encoding": {
                "x": x,
                "y": y,
                "color": colour,
                "fill": colour,
                "fillOpacity": {"field": "solid", "type": "quantitative", "scale": None, "legend": None},
                "tooltip": [{"field": "series"}, {"field": "said", "title": "terasort"}],
            },
        },
        {
            "data": {"values": names},
            "transform": [*shown, {"filter": "roomy"}],
            "mark": {"type": "text", "align": "left", "dx": 12, "fontSize": 12},
            "encoding": {"x": x, "y": y, "text": {"field": "text"}, "color": colour},
        },
    ]
    return chart(
        layers,
        height=HEIGHT,
        top=28,
        right=RIGHT,
        resolve={"scale": {"color": "independent", "fill": "independent"}},
    )
