"""What a page holds of its figures: their data, told once, and pictures that can be read by themselves."""

from __future__ import annotations

from typing import Any

from howdah.report.document import folded
from howdah.report.figure import Figure, Key, Table, series_colour
from howdah.report.study.page import legible
from howdah.report.theme import DATA, chart

KEYS = (Key("native", "group-1"), Key("1 VM", "group-2"))


def _figure(mark: str) -> Figure:
    layer = {"name": DATA, "mark": {"type": mark}, "encoding": {"color": series_colour(KEYS)}}
    return Figure("one", "One", "", chart([layer], height=10), Table((), ()), KEYS)


def _legend(figure: Figure) -> dict[str, Any]:
    (layer,) = figure.spec["layer"]
    legend: dict[str, Any] = layer["encoding"]["color"]["legend"]
    return legend


def test_a_table_of_data_names_its_columns_once() -> None:
    rows = [{"time": 0, "series": "read"}, {"time": 1, "series": "write"}]
    done = folded({"layer": [{"data": {"values": rows}}], "height": 10})
    table = {"columns": ["time", "series"], "rows": [[0, "read"], [1, "write"]]}
    assert done == {"layer": [{"data": {"values": table}}], "height": 10}


def test_what_is_no_table_stays_as_it_is() -> None:
    for values in ([], [1, 2, 5], [{"a": 1}, {"b": 2}], [{"a": 1}, {"a": 1, "b": 2}]):
        assert folded({"values": values}) == {"values": values}


def test_a_legend_shows_what_the_figure_is_drawn_with() -> None:
    assert _legend(legible(_figure("point")))["symbolType"] == "circle"
    assert _legend(legible(_figure("line")))["symbolType"] == "stroke"
