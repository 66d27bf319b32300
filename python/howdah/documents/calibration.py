"""Calibrations as files."""

from __future__ import annotations

from pathlib import Path

from howdah.documents.read import parse_document, read_document
from howdah.documents.writing import write_document
from howdah.model.calibration import Calibration

_KIND = "a calibration"
_HINT = "give a calibration that `howdah calibrate` wrote, calibration.yaml for instance"


def read_calibration(path: Path) -> Calibration:
    """The calibration in a file; raises UserError that names every fault at its line and column."""
    return read_document(path, Calibration, _KIND, _HINT)


def parse_calibration(text: str, file: str) -> Calibration:
    """The calibration in a text; raises UserError that names every fault in ``file``."""
    return parse_document(text, file, Calibration, _KIND, _HINT)


def write_calibration(calibration: Calibration) -> str:
    """The text that reads back as this calibration; the same calibration gives the same text."""
    return write_document(calibration)
