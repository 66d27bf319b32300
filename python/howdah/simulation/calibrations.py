"""Calibrations that exist: files, and the one that howdah ships."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from howdah.documents.calibration import parse_calibration, read_calibration
from howdah.model.calibration import Calibration

PUBLISHED = "published"
"""The name of the calibration that howdah ships."""


def load_calibration(name: str) -> Calibration:
    """The calibration in a file, or the one that howdah ships where it is called ``published``."""
    if name != PUBLISHED:
        return read_calibration(Path(name))
    shipped = files("howdah.calibrate") / "published.yaml"
    return parse_calibration(shipped.read_text(encoding="utf-8"), "published.yaml")
