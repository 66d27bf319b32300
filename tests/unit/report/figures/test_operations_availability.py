"""Answers to probes over time, and faults as bands behind every figure over time."""

from __future__ import annotations

from typing import Any

import pytest

from howdah.analysis.analyse import analyse
from howdah.report.figures.operations import availability, operations
from howdah.report.figures.timeaxis import FigureSource
from howdah.report.renderer import still
from support.faulted_runs import KILL, OUT, faulted
from support.table_runs import TableScene, table_run


@pytest.fixture(scope="module")
def source() -> FigureSource:
    run = faulted(KILL, probes=OUT)
    return FigureSource(run, analyse(run).evidence)


def _rows(spec: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """The values of every layer that have this field."""
    return [row for layer in spec["layer"] for row in layer.get("data", {}).get("values", ()) if field in row]


def test_every_outage_is_a_bar_in_its_probes_strip(source: FigureSource) -> None:
    figure = availability(source)
    assert figure is not None
    rows = _rows(figure.spec, "probe")
    assert [(row["probe"], row["series"]) for row in rows] == [
        ("region -, write", "answered"),
        ("region user3, write", "answered"),
        ("region user6, write", "answered"),
        ("region -, write", "no answer"),
        ("region user3, write", "no answer"),
    ]
    assert (rows[3]["time"], rows[3]["end"], rows[3]["said"]) == (20, 31, "ConnectException")
    assert rows[4]["said"] == "slow"
    assert "2 had no answer for more than a second, the longest for 11.0 s" in figure.caption
    assert figure.table.rows[0] == ("region -, write", "390", "3", "0.20 s", "1", "11.0 s", "11.0 s")
    still(figure)


def test_a_fault_is_a_band_in_every_figure_over_time(source: FigureSource) -> None:
    for figure in (availability(source), operations(source)):
        assert figure is not None
        bands = _rows(figure.spec, "fault")
        assert {(row["start"], row["end"], row["fault"]) for row in bands} == {(20.1, 44.0, KILL.fault)}


def test_nothing_is_drawn_where_nothing_was_probed() -> None:
    run = table_run(TableScene(seconds=24))
    plain = FigureSource(run, analyse(run).evidence)
    assert availability(plain) is None
    figure = operations(plain)
    assert figure is not None
    assert _rows(figure.spec, "fault") == []
