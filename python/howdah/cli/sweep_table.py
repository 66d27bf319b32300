"""How a plan grows, as the terminal shows it."""

from __future__ import annotations

from typing import Any

from rich.bar import Bar
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.variation import SATURATED, Sweep
from howdah.session.predict.pages import saturation_said
from howdah.units import format_bytes, format_count, format_counted, format_rate, format_seconds

_WIDE = 24
"""Characters of the longest bar."""


def sweep_table(found: Sweep) -> RenderableType:
    """Every size with its time, a bar, its rate and what the masters are loaded with, then what that says."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("hosts", "dataset", "time"):
        table.add_column(column, justify="right", no_wrap=True)
    # In a narrow terminal bars get shorter and intervals two lines, before a number loses a digit.
    table.add_column("", max_width=_WIDE)
    table.add_column("90 % interval", justify="right", min_width=13)
    for column in ("sorted per second", "NameNode", "scheduler"):
        table.add_column(column, justify="right", no_wrap=True)
    longest = max(one.elapsed_s for one in found.points)
    for one in found.points:
        table.add_row(
            format_count(one.hosts),
            format_bytes(one.dataset_bytes),
            format_seconds(one.elapsed_s),
            Bar(longest, 0, one.elapsed_s),
            f"{format_seconds(one.low_s)} to {format_seconds(one.high_s)}",
            format_rate(one.dataset_bytes / one.elapsed_s),
            f"{one.namenode:.0%}",
            f"{one.scheduler:.0%}",
            style="yellow" if one.busiest >= SATURATED else "",
        )
    return Group(
        table,
        Text(),
        Text(saturation_said(found)),
        Text(
            "times are those of the whole suite; simulated, nothing measured; "
            f"{format_counted(found.replications, 'simulation')} of each size"
        ),
        *(Text(f"warning  {one.text}", style="yellow") for one in found.warnings),
    )


def sweep_json(found: Sweep) -> dict[str, Any]:
    """The same for programs."""
    return {
        "quantity": found.quantity,
        "replications": found.replications,
        "points": [one.model_dump(mode="json") for one in found.points],
        "saturates_between": found.saturation and [one.model_dump(mode="json") for one in found.saturation],
        "warnings": [one.model_dump() for one in found.warnings],
    }
