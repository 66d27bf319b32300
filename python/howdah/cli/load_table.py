"""A planned HBase that is asked more and more, as the terminal shows it."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.variation import LoadSweep
from howdah.report.prediction.loads import load_table
from howdah.report.prediction.words import load_said
from howdah.units import format_counted


def load_shown(sweep: LoadSweep) -> RenderableType:
    """Every load with what it comes to, then what that says."""
    said = load_table(sweep)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in said.columns:
        table.add_column(column, justify="left" if column == "busiest" else "right")
    for row in said.rows:
        table.add_row(*row)
    return Group(
        table,
        Text(),
        Text(load_said(sweep)),
        Text(f"simulated, nothing measured; {format_counted(sweep.replications, 'simulation')} of each load"),
        *(Text(f"warning  {warning.text}", style="yellow") for warning in sweep.warnings),
    )


def load_json(sweep: LoadSweep) -> dict[str, Any]:
    """The same for programs."""
    return {
        "quantity": sweep.quantity,
        "replications": sweep.replications,
        "points": [point.model_dump(mode="json") for point in sweep.points],
        "saturated_at": sweep.saturated and sweep.saturated.asked,
        "warnings": [warning.model_dump() for warning in sweep.warnings],
    }
