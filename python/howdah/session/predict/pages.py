"""The pages of what is predicted and of how right it was."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from howdah.calibrate.document import accuracy_page
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.prediction import Prediction
from howdah.model.tuning import Tuning
from howdah.model.variation import LoadSweep, Sweep, WhatIf
from howdah.report.prediction.loads import loads
from howdah.session.predict.scoring import Scored
from howdah.simulation.calibrations import PUBLISHED, load_calibration

if TYPE_CHECKING:
    from howdah.report.prediction.page import PredictionContent


# Drawing charts takes longer to import than most of what is drawn takes to find out.


def check_directory(out_dir: Path) -> None:
    """Raise UserError for what can hold no page, before anything takes its time to be found out."""
    if out_dir.exists() and not out_dir.is_dir():
        raise UserError(f"--output {out_dir}", "is a file", "give a directory; it is created if needed")


def write_predicted(prediction: Prediction, calibration: str | None, out_dir: Path) -> Path:
    """Write a prediction's page into a directory; raises UserError if it cannot be written."""
    from howdah.report.prediction.predicted import predicted  # noqa: PLC0415

    known = load_calibration(calibration) if calibration is not None else None
    return _write(predicted(prediction, known), out_dir)


def write_variation(variation: WhatIf | Sweep | LoadSweep, calibration: str | None, out_dir: Path) -> Path:
    """Write the page of changes, growth or loads into a directory; raises UserError if it fails."""
    from howdah.report.prediction.changes import changes  # noqa: PLC0415
    from howdah.report.prediction.growth import growth  # noqa: PLC0415

    known = load_calibration(calibration) if calibration is not None else None
    match variation:
        case WhatIf():
            return _write(changes(variation, known), out_dir)
        case Sweep():
            return _write(growth(variation, known), out_dir)
        case LoadSweep():
            return _write(loads(variation, known), out_dir)


def write_tuning(tuning: Tuning, calibration: Calibration | None, out_dir: Path) -> Path:
    """Write the page of a search into a directory; raises UserError if it cannot be written."""
    from howdah.report.prediction.tuned import tuned  # noqa: PLC0415

    return _write(tuned(tuning, calibration), out_dir)


def write_scored(scored: Scored, out_dir: Path) -> Path:
    """Write the page of a run's scores into a directory; raises UserError if it cannot be written."""
    from howdah.report.prediction.scored import scored as said  # noqa: PLC0415

    return _write(said(scored.prediction, scored.scores, scored.history), out_dir)


def _write(said: PredictionContent, out_dir: Path) -> Path:
    from howdah.report.prediction.page import write_page  # noqa: PLC0415

    try:
        return write_page(said, out_dir)
    except OSError as error:
        raise UserError(
            str(out_dir),
            f"the page cannot be written: {error.strerror}",
            "give a writable directory on a disk with free space",
        ) from error


def page() -> str:
    """The page's text."""
    about = (files("howdah.calibrate") / "accuracy.md").read_text(encoding="utf-8")
    return accuracy_page(load_calibration(PUBLISHED), about)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
