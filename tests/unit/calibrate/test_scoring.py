"""A prediction is scored by a measured run of the same work on the same plan that began after it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from howdah.calibrate.scoring import score_times, why_not
from howdah.errors import UserError
from howdah.model.prediction import tally
from howdah.model.run import Origin, Outcome
from howdah.model.workloads.terasort import TeraSort
from howdah.report.prediction import scored as scored_page
from howdah.session.predicting import past_scores, score_run
from howdah.session.reporting import write_page
from howdah.store.predictions import SCORES, load_prediction, read_scores, save_prediction
from support.predicted import measured_after, small_prediction
from support.sim_runs import small_run
from support.stored import write_run


def test_every_predicted_time_is_held_against_the_measured_one() -> None:
    prediction = small_prediction()
    scores = score_times(prediction, measured_after(slower=1.25))
    assert len(scores) == len(prediction.forecasts) > 4
    assert all(one.error == pytest.approx(1 / 1.25 - 1, abs=0.1) for one in scores)
    assert not any(one.inside for one in scores if (one.forecast.width or 0) < 0.1)


def test_a_run_as_it_was_predicted_is_inside_its_intervals() -> None:
    prediction = small_prediction()
    scores = score_times(prediction, measured_after())
    inside = sum(one.inside is True for one in scores)
    assert inside >= 0.7 * len(scores)
    said = tally(scores)
    assert said is not None
    assert said.inside == inside / len(scores)
    assert said.median_error < 0.1
    assert said.runs == 1


def test_phases_are_scored_from_the_workloads_start_to_its_end() -> None:
    record = measured_after()
    results = tuple(
        one.model_copy(
            update={
                "phases": tuple(
                    phase.model_copy(
                        update={"start_s": phase.start_s + 0.1, "end_s": phase.end_s - 0.1 * last}
                    )
                    for phase, last in zip(one.phases, (False, True), strict=False)
                )
            }
        )
        for one in record.workloads
    )
    # A job's history knows no submission before its first phase, and nothing after its last.
    assert score_times(small_prediction(), record.model_copy(update={"workloads": results})) == score_times(
        small_prediction(), record
    )


def test_nothing_is_said_of_no_scores() -> None:
    assert tally(()) is None


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"origin": Origin.SIMULATED}, "it was simulated"),
        ({"outcome": Outcome.FAILED}, "it failed"),
        ({"created": "2025-12-31T00:00:00+00:00"}, "it began at 2025-12-31"),
    ],
)
def test_what_measures_nothing_or_came_before_is_refused(update: dict[str, object], said: str) -> None:
    record = measured_after().model_copy(update=update)
    with pytest.raises(UserError, match=said):
        score_times(small_prediction(), record)


def test_other_work_and_another_plan_are_told() -> None:
    prediction, record = small_prediction(), measured_after()
    assert why_not(prediction, record) is None
    workloads = tuple(
        one.model_copy(update={"rows": 2 * (one.rows or 0)}) if isinstance(one, TeraSort) else one
        for one in record.suite.workloads
    )
    more = record.model_copy(update={"suite": record.suite.model_copy(update={"workloads": workloads})})
    assert why_not(prediction, more) == "terasort has rows 200000000, not 100000000"
    settings = tuple(
        one.model_copy(update={"value": 2}) if one.key == "dfs.replication" else one
        for one in record.plan.settings
    )
    other = record.model_copy(update={"plan": record.plan.model_copy(update={"settings": settings})})
    assert why_not(prediction, other) == "its plan differs in dfs.replication"
    assert record.plan.cluster is not None
    weighed = record.plan.cluster.model_copy(update={"candidates": (), "advice": ()})
    same = record.model_copy(update={"plan": record.plan.model_copy(update={"cluster": weighed})})
    assert why_not(prediction, same) is None
    moved = record.plan.cluster.model_copy(update={"masters": record.plan.cluster.masters[:1]})
    elsewhere = record.model_copy(update={"plan": record.plan.model_copy(update={"cluster": moved})})
    assert why_not(prediction, elsewhere) == "its plan has other masters"


def test_a_prediction_is_kept_once(tmp_path: Path) -> None:
    prediction = small_prediction()
    path = save_prediction(tmp_path, prediction)
    assert load_prediction(path) == prediction
    with pytest.raises(UserError, match="already exists"):
        save_prediction(tmp_path, prediction.model_copy(update={"seed": 8}))
    assert load_prediction(path) == prediction
    assert [one.name for one in tmp_path.iterdir()] == ["small"]


@pytest.mark.parametrize("name", ["../other", ".hidden", "a/b", ""])
def test_a_name_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="is not a valid name of a prediction"):
        save_prediction(tmp_path / "predictions", small_prediction(name))
    assert list(tmp_path.iterdir()) == []


def test_the_history_has_every_run_once(tmp_path: Path) -> None:
    predictions, runs = tmp_path / "predictions", tmp_path / "runs"
    with pytest.raises(UserError, match="contains no score"):
        past_scores(predictions)
    save_prediction(predictions, small_prediction("first"))
    save_prediction(predictions, small_prediction("second"))
    for name, slower in (("one", 1.0), ("two", 1.1)):
        record = measured_after(slower=slower).model_copy(update={"id": name})
        write_run(runs, small_run()._replace(record=record))
    scored = score_run("one", "first", runs_dir=runs, predictions_dir=predictions)
    again = score_run("one", "first", runs_dir=runs, predictions_dir=predictions)
    assert again == scored
    assert len(read_scores(predictions)) == len(scored.scores)
    after = score_run("two", None, runs_dir=runs, predictions_dir=predictions)
    assert after.so_far is not None
    assert after.so_far.runs == 2
    assert after.so_far.times == 2 * len(scored.scores)
    assert past_scores(predictions) == after.history
    write_page(scored_page.scored(after.prediction, after.scores, after.history), tmp_path / "page")
    with (tmp_path / "page/data/history.csv").open() as file:
        assert [row["run"] for row in csv.DictReader(file)] == [one.run for one in after.history]
    (predictions / SCORES).write_text("{}\n")
    with pytest.raises(UserError, match=r"scores\.jsonl:1: is not a score"):
        score_run("one", "first", runs_dir=runs, predictions_dir=predictions)


def test_without_a_prediction_of_it_a_run_is_not_scored(tmp_path: Path) -> None:
    predictions, runs = tmp_path / "predictions", tmp_path / "runs"
    record = small_run().record.model_copy(update={"id": "one"})
    write_run(runs, small_run()._replace(record=record))
    with pytest.raises(UserError, match="contains no prediction"):
        score_run("one", None, runs_dir=runs, predictions_dir=predictions)
    save_prediction(predictions, small_prediction())
    with pytest.raises(
        UserError, match=r"matches no prediction in .*; the newest, small, differs: it was simulated"
    ):
        score_run("one", None, runs_dir=runs, predictions_dir=predictions)
    with pytest.raises(UserError, match="no such prediction"):
        score_run("one", "large", runs_dir=runs, predictions_dir=predictions)
