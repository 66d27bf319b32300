"""A page's data of its figures, each word once, and legends of pictures that stand alone."""

from __future__ import annotations

from typing import Any

from howdah.report.document import Figure, Key, Table
from howdah.report.html import breakable
from howdah.report.renderer import figure_data, folded, page_specs
from howdah.report.study.paper import legible
from howdah.report.vega import DATA, chart, series_colour

KEYS = (Key("native", "group-1"), Key("1 VM", "group-2"))


def _figure(mark: str) -> Figure:
    layer = {"name": DATA, "mark": {"type": mark}, "encoding": {"color": series_colour(KEYS)}}
    return Figure("one", "One", "", chart([layer], height=10), Table((), ()), KEYS)


def _legend(figure: Figure) -> dict[str, Any]:
    (layer,) = figure.spec["layer"]
    legend: dict[str, Any] = layer["encoding"]["color"]["legend"]
    return legend


def test_a_table_of_data_names_its_columns_once() -> None:
    rows = [{"time": 0.0, "series": "read"}, {"time": 1, "series": "write"}, {"time": 2.5, "series": "read"}]
    done = folded({"layer": [{"data": {"values": rows}}], "height": 10})
    table = {
        "columns": ["time", "series"],
        "words": {"series": ["read", "write"]},
        "rows": [[0, 0], [1, 1], [2.5, 0]],
    }
    assert done == {"layer": [{"data": {"values": table}}], "height": 10}
    assert [type(row[0]) for row in done["layer"][0]["data"]["values"]["rows"]] == [int, int, float]


def test_a_page_tells_what_its_figures_are_drawn_from() -> None:
    rows = [{"time": 0.5, "series": "</script>"}, {"time": 1, "series": ""}]
    figure = _figure("line")
    figure = figure._replace(spec=figure.spec | {"data": {"values": rows}})
    page = f'<p><script type="application/json" id="data">{figure_data("run", [figure])}</script>'
    assert page_specs(page) == {"one": figure.spec}
    assert page_specs("<p>no figures") == {}


def test_only_an_endless_word_is_broken_within_a_table() -> None:
    assert breakable("a host's name") == "a host&#39;s name"
    path = "x" * 70
    assert breakable(f"<{path}> of it") == f'<span class="long">&lt;{path}&gt;</span> of it'


def test_what_is_no_table_stays_as_it_is() -> None:
    for values in ([], [1, 2, 5], [{"a": 1}, {"b": 2}], [{"a": 1}, {"a": 1, "b": 2}]):
        assert folded({"values": values}) == {"values": values}


def test_a_legend_shows_what_the_figure_is_drawn_with() -> None:
    assert _legend(legible(_figure("point")))["symbolType"] == "circle"
    assert _legend(legible(_figure("line")))["symbolType"] == "stroke"
