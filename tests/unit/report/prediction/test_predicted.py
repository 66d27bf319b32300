"""What pages about predictions say and draw: times, changes, growth, and hits and misses."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from howdah.model.calibration import Calibration
from howdah.model.prediction import Beyond, Distance
from howdah.report.document import Document, FactList, Figure, Form, Paragraph
from howdah.report.prediction.changes import changes
from howdah.report.prediction.growth import growth
from howdah.report.prediction.predicted import predicted
from howdah.report.prediction.scored import MOST, hits, scored
from howdah.report.prediction.words import INPUTS, distance_text, saturation_text, scored_runs
from howdah.report.write import write_document
from howdah.simulation.calibrations import load_calibration
from support.predicted import small_prediction
from support.shown import first_figure, first_table, leads, warnings
from support.varied import changed, effect, grown, point
from support.varied import predicted as forecast
from support.varied import scored as score


@pytest.fixture(scope="module")
def published() -> Calibration:
    """The calibration that howdah ships."""
    return load_calibration("published")


def _drawn(figure: Figure | None) -> list[dict[str, Any]]:
    assert figure is not None
    layer = next(layer for layer in figure.spec["layer"] if layer.get("name") == "data")
    values: list[dict[str, Any]] = layer["data"]["values"]
    return values


def test_a_prediction_says_the_longest_workload_with_its_interval(published: Calibration) -> None:
    made = small_prediction().model_copy(
        update={
            "forecasts": (
                forecast("teragen", 100),
                forecast("terasort", 200),
                forecast("terasort", 150, "map-shuffle"),
            )
        }
    )
    said = predicted(made, published)
    assert said.answer == "terasort would take 3 min 20 s."
    assert leads(said)[0] == (
        "Nine of ten runs are expected within 3 min 00 s to 3 min 42 s. The other workload would take "
        "1 min 40 s. `howdah score` compares a real run with this prediction."
    )
    assert said.kicker[-1] == "simulated"
    assert [row[0] for row in first_table(said).rows] == ["teragen", "terasort", "terasort map-shuffle"]
    assert [one["low"] for one in _drawn(first_figure(said))] == [90, 180, 135]


def test_what_it_rests_on_is_told_with_units(published: Calibration) -> None:
    tables = predicted(small_prediction(), published).tables()
    parameters = {row[0]: row for row in tables["Parameters"].rows}
    known = {one.name: one for one in published.parameters}
    assert parameters["generate_s_per_byte"][2] == f"{known['generate_s_per_byte'].value * 1e9:.3g} ns/B"
    assert parameters["block_s"][2].endswith(" ms")
    assert len(tables["Unexplained deviation"].rows) == len(published.residuals)
    assert "Parameters" not in predicted(small_prediction(), None).tables()


def test_a_page_shows_how_far_the_run_lies_from_the_calibration(published: Calibration) -> None:
    text = "hosts 64, calibrated from 7 to 32"
    outside = Beyond(name="hosts", value=64, low=7, high=32, factor=2, text=text)
    far = Distance(length=0.69, deviation=0.04, beyond=(outside,))
    document = predicted(small_prediction().model_copy(update={"distance": far}), published)
    groups = {
        block.title: dict(block.entries)
        for section in document.sections
        for block in section.blocks
        if isinstance(block, FactList)
    }
    assert groups["Distance from the calibration"] == {
        "length": "0.69, mostly in hosts, which is outside its runs by a factor of 2; "
        "intervals are wider by a standard deviation of 4.0 %",
        "hosts": "64, calibrated from 7 to 32",
    }
    assert distance_text(Distance(length=0, deviation=0)).startswith("0: every quantity is within")
    small = outside.model_copy(update={"factor": 1000.0})
    assert "by a factor of 1,000;" in distance_text(Distance(length=6.9, deviation=0.4, beyond=(small,)))


def test_every_known_figure_stands_beside_the_simulator_s(published: Calibration) -> None:
    tables = predicted(small_prediction(), published).tables()
    rows = {row[0]: row for row in tables["Accuracy of the calibration"].rows}
    assert len(rows) == len(published.cells)
    for cell in published.cells:
        row = rows[f"{cell.case}: {cell.quantity}"]
        assert row[3].endswith("points" if cell.unit == "%" else "%")
        assert (row[4] == "–") == (cell.left_out is None)


def test_the_largest_gain_and_the_largest_loss_are_the_answer() -> None:
    said = changes(
        changed(effect("disks", "5", 0.6), effect("hosts", "20", -0.4), effect("nics", "4", -0.02)), None
    )
    assert said.answer == "terasuite would take 40 % less time with hosts=20 instead of 10."
    assert leads(said)[0].endswith("The worst change: 60 % more time with disks=5 instead of 10.")
    assert [row[-1] for row in first_table(said).rows] == ["60 % longer", "40 % shorter", "cannot tell"]


def test_one_change_is_no_choice() -> None:
    said = changes(changed(effect("disks", "5", 0.6)), None)
    assert said.answer.startswith("terasuite would take 60 % more time with disks=5")
    assert "worst" not in leads(said)[0]
    untold = changes(changed(effect("nics", "4", -0.02), impossible=("hosts=5: too small",)), None)
    assert untold.answer.startswith("No change can be distinguished from none")
    assert warnings(untold) == ("Not possible: hosts=5: too small.",)
    nothing = changes(changed(), None)
    assert first_figure(nothing) is None


def test_changes_of_one_quantity_stand_together_and_what_cannot_be_told_is_pale() -> None:
    figure = first_figure(
        changes(
            changed(effect("disks", "5", 0.6), effect("hosts", "20", -0.4), effect("disks", "20", -0.02)),
            None,
        )
    )
    bars = sorted(_drawn(figure), key=lambda one: one["y"])
    assert [one["name"] for one in bars] == ["disks 5", "disks 20", "hosts 20"]
    assert bars[1]["shade"] < bars[0]["shade"] == bars[2]["shade"]
    assert [one["series"] for one in bars] == ["longer", "shorter", "shorter"]


@pytest.mark.parametrize(
    ("loads", "said"),
    [
        (((0.1, 0.5), (0.2, 1.0)), "The scheduler saturates between 10 hosts and 20 hosts."),
        (((0.96, 0.5), (1.0, 1.0)), "The NameNode is saturated at 10 hosts already."),
        (
            ((0.1, 0.2), (0.1, 0.4)),
            "No master saturates: at 20 hosts the scheduler uses 40 % of a core.",
        ),
    ],
)
def test_where_a_master_saturates(loads: tuple[tuple[float, float], ...], said: str) -> None:
    points = [point(hosts, *load) for hosts, load in zip((10, 20), loads, strict=True)]
    assert saturation_text(grown(*points)) == said


def test_growth_is_drawn_with_its_bands_and_where_it_ends() -> None:
    said = growth(grown(point(10, 0.1, 0.5), point(20, 0.2, 1.0, 360), point(40, 0.3, 1.2, 700)), None)
    values = _drawn(first_figure(said))
    whole = [one for one in values if one["series"] == "all together"]
    assert [one["size"] for one in whole] == [10, 20, 40]
    assert all(one["low"] < one["time"] < one["high"] for one in values)
    drawing = first_figure(said)
    assert drawing is not None
    assert "In the grey band" in drawing.caption
    (band,) = drawing.spec["layer"][0]["data"]["values"]
    assert (band["size"], band["size2"]) == (10, 20)
    quiet = growth(grown(point(10, 0.1, 0.5), point(20, 0.2, 0.6)), None)
    drawing = first_figure(quiet)
    assert drawing is not None
    assert "grey" not in drawing.caption
    assert warnings(quiet) == ("Outside the range of the calibration mine.",)


def test_a_run_s_scores_say_what_hit_and_what_missed() -> None:
    scores = (
        score("one", forecast("terasort", 100), 105),
        score("one", forecast("terasort", 60, "map-shuffle"), 80),
    )
    said = scored(small_prediction(), scores, (score("zero", forecast("terasort", 100), 100), *scores))
    assert said.answer == "terasort took 1 min 45 s; the prediction was 1 min 40 s."
    assert "−4.8 %, inside its 90 % interval; 1 of 2 times of this run are inside theirs." in leads(said)[0]
    assert "2 of 3 times are inside their 90 % intervals" in leads(said)[0]
    assert [row[-1] for row in first_table(said).rows] == ["inside", "outside"]
    history = said.figures()[-1]
    assert [one["series"] for one in _drawn(history)] == ["inside", "inside", "outside"]
    assert [row[4] for row in scored_runs(scores).rows] == ["1 of 2"]


def test_of_very_many_scores_the_newest_are_drawn() -> None:
    many = [score(f"run-{place}", forecast("terasort", 100), 100 + place) for place in range(MOST + 20)]
    values = _drawn(hits(many))
    assert len(values) == MOST
    assert values[-1]["run"] == f"run-{MOST + 19}"


def test_a_page_its_pictures_and_its_numbers_are_written(tmp_path: Path, published: Calibration) -> None:
    made = small_prediction()
    path = write_document(predicted(made, published), tmp_path / "out")
    assert path.name == "prediction.html"
    assert (tmp_path / "out/figures/times.svg").read_text().startswith("<svg")
    assert f"## {INPUTS}" in (tmp_path / "out/prediction.md").read_text()
    with (tmp_path / "out/data/forecasts.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["median"]) for row in rows] == [one.median for one in made.forecasts]
    again = write_document(predicted(made, published), tmp_path / "again")
    assert again.read_bytes() == path.read_bytes()


def _texts(document: Document) -> str:
    """Everything that a page says and draws, except its warnings."""
    shown = document.in_form(Form.HTML)
    parts = [shown.answer, *(block.text for block in shown.blocks if isinstance(block, Paragraph))]
    tables = list(shown.tables().items())
    for figure in shown.figures():
        parts += [figure.caption, str(figure.spec)]
        tables.append((figure.title, figure.table))
    rows = (" ".join((*row,)) for _, table in tables for row in (table.columns, *table.rows))
    return "\n".join([*parts, *(title for title, _ in tables), *rows])


def test_without_a_calibration_no_page_shows_an_interval() -> None:
    bare = small_prediction(calibration=None)
    unknown = {"low": None, "high": None}
    effects = [effect("disks", "5", 0.6).model_copy(update=unknown)]
    points = [
        point(hosts, 0.1, 0.5).model_copy(
            update={
                **{"low_s": None, "high_s": None},
                "forecasts": tuple(
                    one.model_copy(update=unknown) for one in point(hosts, 0.1, 0.5).forecasts
                ),
            }
        )
        for hosts in (10, 20)
    ]
    swept = grown(*points).model_copy(update={"calibration": None})
    scores = tuple(
        score("one", one, 1.1 * one.median).model_copy(update={"calibration": None}) for one in bare.forecasts
    )
    pages = (
        predicted(bare, None),
        changes(changed(*effects).model_copy(update={"calibration": None}), None),
        growth(swept, None),
        scored(bare, scores, scores),
    )
    for said in pages:
        text = _texts(said)
        for phrase in ("nine times in ten", "Nine of ten", "90 % intervals", "inside its", "±", "% to"):
            assert phrase not in text, (said.name, phrase)
        if said.name == "score":
            assert {row[2] for row in first_table(said).rows} == {"unknown"}
        else:
            assert "interval" not in text
