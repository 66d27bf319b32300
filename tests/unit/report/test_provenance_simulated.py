"""A report of a simulated run says at once that it is one, how sure its times are, and what it rests on."""

from __future__ import annotations

import json

import pytest

from howdah.analysis.analyse import analyse
from howdah.model.tables import RunData
from howdah.report.document import Document, FindingText, Warnings
from howdah.report.figures.elapsed import elapsed
from howdah.report.figures.timeaxis import FigureSource
from howdah.report.provenance import provenance, simulation_facts
from howdah.report.run import run_report
from support import records
from support.sim_runs import small_run


@pytest.fixture(scope="module")
def repeated() -> RunData:
    return small_run(5)


def _warned(report: Document) -> list[FindingText]:
    return [
        finding
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Warnings)
        for finding in block.findings
    ]


def test_the_title_says_simulated_and_names_the_planned_cluster(repeated: RunData) -> None:
    said = run_report(repeated, analyse(repeated))
    assert said.title == "terasuite on cluster seven, simulated"
    assert said.kicker[-1] == "simulated"
    assert said.answer.startswith("terasort would take ")
    assert {finding.certainty for finding in _warned(said)} <= {"simulated", "likely", "a guess"}
    assert "not calibrated" not in said.answer


def test_nothing_is_said_of_rows_that_nobody_sorted(repeated: RunData) -> None:
    found = analyse(repeated).findings
    assert not [one.text for one in found if "checksum" in one.text or one.id == "not-validated"]


def test_intervals_and_the_use_of_every_phase_have_tables(repeated: RunData) -> None:
    titles = run_report(repeated, analyse(repeated)).tables()
    bands = titles["How far chance moves the simulated times"]
    assert "5 simulations" in bands.about
    assert "unknown without a calibration" in bands.about
    assert [row[0] for row in bands.rows][:4] == [
        "teragen", "teragen map", "terasort", "terasort map-shuffle",
    ]  # fmt: skip
    used = titles["What each phase used"]
    assert [row[0] for row in used.rows][:3] == [
        "teragen map", "terasort map-shuffle", "terasort reduce-merge",
    ]  # fmt: skip


def test_a_calibrated_run_is_certain_to_some_extent(repeated: RunData) -> None:
    simulated = repeated.record.simulated
    assert simulated is not None
    record = repeated.record.model_copy(
        update={"simulated": simulated.model_copy(update={"calibration": "mine"})}
    )
    calibrated = repeated._replace(record=record)
    (bands,) = (
        table
        for title, table in run_report(calibrated, analyse(calibrated)).tables().items()
        if title.startswith("How certain")
    )
    assert "unknown" not in bands.about


def test_intervals_are_drawn_across_the_bars_ends(repeated: RunData) -> None:
    figure = elapsed(FigureSource(repeated, analyse(repeated).evidence))
    assert figure is not None
    assert "90 %" in figure.caption
    drawn = json.dumps(figure.spec)
    assert "90 % of the simulations" in drawn
    once = small_run()
    without = elapsed(FigureSource(once, analyse(once).evidence))
    assert without is not None
    assert "90 % of the simulations" not in json.dumps(without.spec)


def test_what_it_rests_on_is_told(repeated: RunData) -> None:
    facts = dict(simulation_facts(repeated.record))
    assert facts["calibration"].startswith("none")
    assert facts["simulations"] == "5"
    assert int(facts["streams simulated"].replace(",", "")) > 0


def test_a_measured_run_has_none_of_this() -> None:
    measured = records.terasuite()
    said = run_report(measured, analyse(measured))
    assert not said.title.endswith("simulated")
    assert "What each phase used" not in said.tables()
    assert "Simulation" not in {group.title for group in provenance(measured.record)}
