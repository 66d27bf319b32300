"""The row of a calibration's figure in tables."""

from __future__ import annotations

from howdah.model.calibration import CalibrationCell
from howdah.units import format_signed_percent


def figure_row(cell: CalibrationCell, *errors: str) -> tuple[str, ...]:
    """The run, name, known and simulated value of a figure, then these errors, then its interval."""
    interval = "" if cell.low is None or cell.high is None else f"{cell.low:.4g} to {cell.high:.4g}"
    known, simulated = (f"{value:.4g} {cell.unit}" for value in (cell.known, cell.simulated))
    return cell.case, cell.quantity, known, simulated, *errors, interval


def error_text(cell: CalibrationCell, error: float | None) -> str:
    """An error of a figure: in points for loads of masters, otherwise relative; empty if unknown."""
    if error is None:
        return ""
    return f"{error:+.0f} points" if cell.unit == "%" else format_signed_percent(error)
