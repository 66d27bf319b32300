"""The pages of what is predicted and of how right it was."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

from howdah.calibrate.document import accuracy_page
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.prediction import Prediction
from howdah.model.tuning import Tuning
from howdah.model.variation import LoadSweep, Sweep, WhatIf
from howdah.report.document import Document
from howdah.report.prediction.growth import loads
from howdah.session.predict.scoring import Scored
from howdah.simulation.calibrations import PUBLISHED, load_calibration

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
