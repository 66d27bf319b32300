"""Requests over time: what is drawn of them, and of what servers did meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from howdah.analysis.analyse import analyse
from howdah.report.cluster import region_server_tables
from howdah.report.figures.operations import operations
from howdah.report.figures.tail import MOST_EVENTS, MOST_STEPS, tail
from howdah.report.figures.timeaxis import FigureSource
from howdah.report.renderer import still
from support import records
from support.table_runs import RATE, TableScene, table_run


@pytest.fixture(scope="module")
def source() -> FigureSource:
    run = table_run(TableScene(cause="collector"))
    return FigureSource(run, analyse(run).evidence)


def _drawn(spec: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The values of a layer with this series in its data."""
    return [
        row
        for layer in spec["layer"]
        for row in layer.get("data", {}).get("values", ())
        if row.get("series") == name and ("ms" in row or "start" in row)
    ]


def test_every_share_of_every_step_is_drawn(source: FigureSource) -> None:
    figure = tail(source)
    assert figure is not None
    assert [key.name for key in figure.keys] == [
        *("50 % within", "95 % within", "99 % within", "99.9 % within"),
        *("collections", "flushes"),
    ]
    rows = _drawn(figure.spec, "99 % within")
    assert len([row for row in rows if row["ms"] is not None]) == 61
    assert rows[-1]["ms"] is None, "nothing is drawn from the end of a workload on"
    assert max(row["ms"] for row in rows if row["ms"] is not None) > 80
    assert "99 % within" in figure.caption
    still(figure)


def test_events_are_drawn_when_they_were(source: FigureSource) -> None:
    figure = tail(source)
    assert figure is not None
    pauses = _drawn(figure.spec, "collections")
    assert len(pauses) == len([one for one in source.evidence.server_events if one.kind == "collection"])
    longest = max(pauses, key=lambda row: float(row["end"] - row["start"]))
    assert (longest["where"], longest["took"]) == ("w2", "120 ms")
    assert longest["what"] == "Pause Full (G1 Compaction Pause)"


def test_the_table_tells_of_the_worst_steps(source: FigureSource) -> None:
    figure = tail(source)
    assert figure is not None
    assert len(figure.table.rows) == 8
    assert all("collection" in row[-1] for row in figure.table.rows)


def test_many_steps_and_events_are_thinned_and_said(source: FigureSource) -> None:
    (whole,) = [course for course in source.evidence.courses if course.requests]
    many = 40
    evidence = replace(
        source.evidence,
        courses=(whole,) * many,
        server_events=source.evidence.server_events * 4,
    )
    figure = tail(FigureSource(source.run, evidence))
    assert figure is not None
    drawn = [row for row in _drawn(figure.spec, "99 % within") if row["ms"] is not None]
    assert len(drawn) <= MOST_STEPS + many
    assert max(row["ms"] for row in drawn) > 80, "of neighbours the slowest is kept"
    assert len(_drawn(figure.spec, "collections")) == MOST_EVENTS
    assert f"the {MOST_EVENTS} longest are drawn" in figure.caption


def test_throughput_is_that_of_all_operations_and_of_each(source: FigureSource) -> None:
    figure = operations(source)
    assert figure is not None
    assert [key.name for key in figure.keys] == ["read", "update", "all requests"]
    rows = figure.spec["data"]["values"]
    inside = [row for row in rows if 5 < row["time"] < 60]
    assert {row["read"] for row in inside} == {float(RATE)}
    assert {row["all requests"] for row in inside} == {float(2 * RATE)}
    still(figure)


def test_without_operations_there_is_nothing_to_draw() -> None:
    run = records.pi()
    quiet = FigureSource(run, analyse(run).evidence)
    assert tail(quiet) is None
    assert operations(quiet) is None
    assert not any(one.rows for one in region_server_tables(quiet.evidence))


def test_tables_of_causes_and_of_servers(source: FigureSource) -> None:
    causes, answered, wrote, regions = region_server_tables(source.evidence)
    assert causes.rows[0][2] == "pauses of the RegionServers' collectors"
    assert [row[1] for row in answered.rows] == ["w1", "w2", "w3"]
    assert answered.rows[1][-1] == "120 ms"
    assert [row[6] for row in wrote.rows] == ["3", "3", "3"]
    assert len(regions.rows) == 10
