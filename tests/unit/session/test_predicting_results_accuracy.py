"""docs/accuracy.md says what the shipped calibration says."""

from __future__ import annotations

from pathlib import Path

from scripts.accuracy import page

from howdah.model.calibration import PARAMETERS
from howdah.simulation.calibrations import PUBLISHED, load_calibration

PAGE = Path(__file__).parents[3] / "docs" / "accuracy.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "python scripts/accuracy.py > docs/accuracy.md"


def test_the_shipped_calibration_holds_every_fitted_parameter_and_few_of_them() -> None:
    calibration = load_calibration(PUBLISHED)
    software = [one.name for one in calibration.parameters if "/" not in one.name]
    assert software == [one.name for one in PARAMETERS]
    assert len(software) <= 14
    assert len([cell for cell in calibration.cells if cell.fitted]) > 3 * len(calibration.parameters)


def test_large_runs_of_the_reference_study_are_within_what_is_promised() -> None:
    large = [
        cell
        for cell in load_calibration(PUBLISHED).cells
        if cell.case.startswith("vsphere6") and " 30 TB" in cell.case
    ]
    assert len(large) > 20
    for cell in large:
        # No mechanism explains why maps took less time with one replica of their input.
        far = cell.quantity == "teravalidate" or " r1" in cell.case
        assert abs(cell.error) < (0.12 if far else 0.10), cell
    assert sorted(abs(cell.error) for cell in large)[len(large) // 2] < 0.031
