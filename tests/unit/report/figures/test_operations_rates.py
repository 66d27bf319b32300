"""Rates that were tried, in order, with what became of each."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.model.reported import RateStep
from howdah.report.figures.operations import rates
from howdah.report.figures.timeaxis import FigureSource
from howdah.report.renderer import still
from support.table_runs import TableScene, table_run


def source(*steps: RateStep) -> FigureSource:
    run = table_run(TableScene(seconds=24))
    (result,) = run.record.workloads
    update = {"workloads": (result.model_copy(update={"rates": steps}),)}
    run = run._replace(record=run.record.model_copy(update=update))
    return FigureSource(run, analyse(run).evidence)


def step(asked: float, within_s: float, *, held: bool) -> RateStep:
    return RateStep(asked_per_s=asked, done_per_s=0.99 * asked, within_s=within_s, held=held)


def test_rates_are_in_order_and_the_highest_that_held_is_told() -> None:
    (figure,) = rates(
        source(step(4000, 0.4, held=False), step(2000, 0.004, held=True), step(3000, 0.009, held=True))
    )
    assert [row[0] for row in figure.table.rows] == ["2,000", "3,000", "4,000"]
    assert [row[3] for row in figure.table.rows] == ["yes", "yes", "no"]
    assert "3 rates were tried. 3,000/s is the highest that was kept" in figure.caption
    assert "within 9 ms" in figure.caption
    drawn = figure.spec["layer"][1]["data"]["values"]
    assert [(row["series"], row["ms"]) for row in drawn] == [
        ("in time", 4.0),
        ("in time", 9.0),
        ("too late, or not kept", 400.0),
    ]
    still(figure)


def test_none_that_held_is_told_and_nothing_is_drawn_without_any() -> None:
    (figure,) = rates(source(step(4000, 0.4, held=False)))
    assert "None was kept and answered in time." in figure.caption
    assert rates(source()) == []


@pytest.mark.parametrize("within_s", [0.0005, 5.0])
def test_every_time_has_a_place(within_s: float) -> None:
    (figure,) = rates(source(step(100, within_s, held=True)))
    still(figure)
