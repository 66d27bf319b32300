"""Holding a run against what was predicted of it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from howdah.calibrate.scoring import Tally, score_times, tally, why_not
from howdah.errors import UserError
from howdah.model.prediction import Prediction, Score
from howdah.model.run import RunRecord
from howdah.store.listing import find_run
from howdah.store.predictions import keep_scores, list_predictions, load_prediction, read_scores
from howdah.store.reader import read_record


class Scored(NamedTuple):
    """A run's scores, and all there are so far, these among them, oldest first."""

    prediction: Prediction
    run: str
    scores: tuple[Score, ...]
    history: tuple[Score, ...]

    @property
    def so_far(self) -> Tally | None:
        """How right predictions were, this one among them."""
        return tally(self.history)


def score_run(run: str, name: str | None, *, runs_dir: Path, predictions_dir: Path) -> Scored:
    """Score a run by the prediction of that name, or by the newest one that predicted it; keep the history.

    Raises UserError where no prediction predicted it, or the one that was named did not.
    """
    record = read_record(find_run(runs_dir, run))
    prediction = _named(predictions_dir, name) if name is not None else _found(predictions_dir, record)
    scores = score_times(prediction, record)
    return Scored(prediction, record.id, scores, tuple(keep_scores(predictions_dir, scores)))


def past_scores(predictions_dir: Path) -> tuple[Score, ...]:
    """Every score so far, oldest first; raises UserError where there is none."""
    history = tuple(read_scores(predictions_dir))
    if not history:
        raise UserError(str(predictions_dir), "contains no score", "give a run to score: howdah score last")
    return history


def _named(directory: Path, name: str) -> Prediction:
    known = [path.name for path in list_predictions(directory)]
    if name not in known:
        newest = ", ".join(sorted(known)[-5:])
        raise UserError(
            f"--prediction {name}",
            f"no such prediction in {directory}",
            f"the newest are {newest}" if known else "make one before a run: howdah predict plan.yaml",
        )
    return load_prediction(directory / name)


def _found(directory: Path, record: RunRecord) -> Prediction:
    known = sorted(
        (load_prediction(path) for path in list_predictions(directory)),
        key=lambda prediction: prediction.created,
    )
    if not known:
        raise UserError(
            str(directory), "contains no prediction", "make one before a run: howdah predict plan.yaml"
        )
    fitting = [prediction for prediction in known if why_not(prediction, record) is None]
    if not fitting:
        newest = known[-1]
        raise UserError(
            f"run {record.id}",
            f"matches no prediction in {directory}; the newest, {newest.id}, differs: "
            f"{why_not(newest, record)}",
            "predict a plan, then run the same suite on it, then score",
        )
    return fitting[-1]
