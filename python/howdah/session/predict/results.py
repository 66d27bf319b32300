"""Scores of predictions once their runs are over, and the pages of predictions, searches and scores."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from howdah.calibrate.document import accuracy_page
from howdah.calibrate.scoring import Tally, score_times, tally, why_not
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.prediction import LoadSweep, Prediction, Score, Sweep, WhatIf
from howdah.model.run import RunRecord
from howdah.model.tuning import Tuning
from howdah.report.document import Document
from howdah.report.prediction.growth import loads
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.store.predictions import keep_scores, list_predictions, load_prediction, read_scores
from howdah.store.reader import find_run, read_record


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
    prediction = (
        _named(predictions_dir, name) if name is not None else _newest_fitting(predictions_dir, record)
    )
    scores = score_times(prediction, record)
    return Scored(prediction, record.id, scores, tuple(keep_scores(predictions_dir, scores)))


def past_scores(predictions_dir: Path) -> tuple[Score, ...]:
    """Every score so far, oldest first; raises UserError where there is none."""
    history = tuple(read_scores(predictions_dir))
    if not history:
        raise UserError(str(predictions_dir), "contains no score", "give a run to score: howdah score last")
    return history


def _named(directory: Path, name: str) -> Prediction:
    predictions = [path.name for path in list_predictions(directory)]
    if name not in predictions:
        newest = ", ".join(sorted(predictions)[-5:])
        raise UserError(
            f"--prediction {name}",
            f"no such prediction in {directory}",
            f"the newest are {newest}" if predictions else "make one before a run: howdah predict plan.yaml",
        )
    return load_prediction(directory / name)


def _newest_fitting(directory: Path, record: RunRecord) -> Prediction:
    predictions = sorted(
        (load_prediction(path) for path in list_predictions(directory)),
        key=lambda prediction: prediction.created,
    )
    if not predictions:
        raise UserError(
            str(directory), "contains no prediction", "make one before a run: howdah predict plan.yaml"
        )
    fitting = [prediction for prediction in predictions if why_not(prediction, record) is None]
    if not fitting:
        newest = predictions[-1]
        raise UserError(
            f"run {record.id}",
            f"matches no prediction in {directory}; the newest, {newest.id}, differs: "
            f"{why_not(newest, record)}",
            "predict a plan, then run the same suite on it, then score",
        )
    return fitting[-1]


# Drawing charts takes longer to import than most of what is drawn takes to find out.


def check_directory(out_dir: Path) -> None:
    """Raise UserError for what can hold no page, before anything takes its time to be found out."""
    if out_dir.exists() and not out_dir.is_dir():
        raise UserError(f"--output {out_dir}", "is a file", "give a directory; it is created if needed")


def predicted_page(prediction: Prediction, calibration: str | None) -> Document:
    """A prediction's page."""
    from howdah.report.prediction.predicted import predicted  # noqa: PLC0415

    return predicted(prediction, _calibration(calibration))


def variation_page(variation: WhatIf | Sweep | LoadSweep, calibration: str | None) -> Document:
    """The page of changes, growth or loads."""
    from howdah.report.prediction.changes import changes  # noqa: PLC0415
    from howdah.report.prediction.growth import growth  # noqa: PLC0415

    match variation:
        case WhatIf():
            return changes(variation, _calibration(calibration))
        case Sweep():
            return growth(variation, _calibration(calibration))
        case LoadSweep():
            return loads(variation, _calibration(calibration))


def tuning_page(tuning: Tuning, calibration: Calibration | None) -> Document:
    """The page of a search."""
    from howdah.report.prediction.tuned import tuned  # noqa: PLC0415

    return tuned(tuning, calibration)


def scored_page(scored: Scored) -> Document:
    """The page of a run's scores."""
    from howdah.report.prediction.scored import scored as document_of  # noqa: PLC0415

    return document_of(scored.prediction, scored.scores, scored.history)


def write_page(document: Document, out_dir: Path) -> Path:
    """Write a page into a directory and return its path; raises UserError if it cannot be written."""
    from howdah.report.write import write_document  # noqa: PLC0415

    try:
        return write_document(document, out_dir)
    except OSError as error:
        raise UserError(
            str(out_dir),
            f"the page cannot be written: {error.strerror}",
            "give a writable directory on a disk with free space",
        ) from error


def _calibration(name: str | None) -> Calibration | None:
    return load_calibration(name) if name is not None else None


def page() -> str:
    """The page's text."""
    about = (files("howdah.calibrate") / "accuracy.md").read_text(encoding="utf-8")
    return accuracy_page(load_calibration(PUBLISHED), about)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
