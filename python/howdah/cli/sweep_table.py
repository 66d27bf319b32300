"""How a plan grows, as the terminal shows it."""

from __future__ import annotations

from typing import Any

from rich.bar import Bar
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.variation import SATURATED, Sweep
from howdah.report.prediction.words import saturation_said
from howdah.units import format_bytes, format_count, format_counted, format_rate, format_seconds

_WIDE = 24
"""Characters of the longest bar."""


def sweep_table(sweep: Sweep) -> RenderableType:
    """Every size with its time, a bar, its rate and what the masters are loaded with, then what that says."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("hosts", "dataset", "time"):
        table.add_column(column, justify="right", no_wrap=True)
    # In a narrow terminal bars get shorter and intervals two lines, before a number loses a digit.
    table.add_column("", max_width=_WIDE)
    known = sweep.calibration is not None
    if known:
        table.add_column("90 % interval", justify="right", min_width=13)
    for column in ("sorted per second", "NameNode", "scheduler"):
        table.add_column(column, justify="right", no_wrap=True)
    longest = max(point.elapsed_s for point in sweep.points)
    for point in sweep.points:
        table.add_row(
            format_count(point.hosts),
            format_bytes(point.dataset_bytes),
            format_seconds(point.elapsed_s),
            Bar(longest, 0, point.elapsed_s),
            *([" to ".join(map(format_seconds, point.interval or ()))] if known else []),
            format_rate(point.dataset_bytes / point.elapsed_s),
            f"{point.namenode:.0%}",
            f"{point.scheduler:.0%}",
            style="yellow" if point.busiest >= SATURATED else "",
        )
    return Group(
        table,
        Text(),
        Text(saturation_said(sweep)),
        Text(
            "times are those of the whole suite; simulated, nothing measured; "
            f"{format_counted(sweep.replications, 'simulation')} of each size"
        ),
        *(Text(f"warning  {warning.text}", style="yellow") for warning in sweep.warnings),
    )


def sweep_json(sweep: Sweep) -> dict[str, Any]:
    """The same for programs."""
    return {
        "quantity": sweep.quantity,
        "replications": sweep.replications,
        "points": [point.model_dump(mode="json") for point in sweep.points],
        "saturates_between": sweep.saturation
        and [point.model_dump(mode="json") for point in sweep.saturation],
        "warnings": [warning.model_dump() for warning in sweep.warnings],
    }
