"""A calibration as the terminal shows it: every parameter, then every known figure beside the simulator's."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.calibration import CalibratedValue, Calibration, CalibrationCell
from howdah.units import format_counted

_FAR = 0.1


def calibration_table(calibration: Calibration, path: Path) -> RenderableType:
    """The parameters, the figures and a line of summary."""
    return Group(
        _parameters(calibration.parameters),
        Text(),
        _cells(calibration.cells),
        Text(),
        *_summary(calibration),
        Text.assemble(("calibration  ", "bold"), str(path)),
    )


def _parameters(values: tuple[CalibratedValue, ...]) -> Table:
    table = _table("parameter", "value", "90 % interval", "rests on")
    for one in values:
        table.add_row(
            one.name,
            f"{one.value:.3g}",
            f"{one.low:.3g} to {one.high:.3g}",
            "; ".join(one.rests_on[:1]) or "what was expected of it",
        )
    return table


def _cells(cells: tuple[CalibrationCell, ...]) -> Table:
    table = _table("run", "figure", "known", "simulated", "error", "left out", "90 % interval")
    before = ""
    for cell in cells:
        table.add_row(
            "" if cell.case == before else cell.case,
            cell.quantity,
            _number(cell, cell.known),
            _number(cell, cell.simulated),
            _error(cell, cell.error),
            _error(cell, cell.left_out_error),
            "" if cell.low is None or cell.high is None else f"{cell.low:.4g} to {cell.high:.4g}",
        )
        before = cell.case
    return table


def _summary(calibration: Calibration) -> list[Text]:
    times = [cell for cell in calibration.cells if cell.unit == "s"]
    if not times:
        return []
    fitted = [abs(cell.error) for cell in times]
    left_out = [abs(cell.left_out_error) for cell in times if cell.left_out_error is not None]
    lines = [
        f"{format_counted(len(calibration.parameters), 'parameter')} for "
        f"{format_counted(len(calibration.cells), 'figure')}; of the times, fitted: median error "
        f"{median(fitted):.1%}, largest {max(fitted):.1%}"
    ]
    if left_out:
        lines.append(f"left out: median error {median(left_out):.1%}, largest {max(left_out):.1%}")
    if calibration.best_of > 1:
        lines.append(
            f"the figures are the best of {calibration.best_of} runs, and so is what is simulated with them"
        )
    return [Text(line) for line in lines]


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        text = column in ("parameter", "rests on", "run", "figure")
        table.add_column(column, justify="left" if text else "right", no_wrap=not text)
    return table


def _number(cell: CalibrationCell, value: float) -> str:
    return f"{value:.4g} {cell.unit}"


def _error(cell: CalibrationCell, error: float | None) -> Text:
    if error is None:
        return Text("–")
    said = f"{error:+.0f} points" if cell.unit == "%" else f"{error:+.1%}"
    far = cell.unit == "s" and abs(error) > _FAR
    return Text(said, style="yellow" if far else "")
