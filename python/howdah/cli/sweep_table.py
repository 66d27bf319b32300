"""How a plan grows, as the terminal shows it."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.session.sweep import SATURATED, Point, Sweep
from howdah.units import format_bytes, format_count, format_counted, format_rate, format_seconds

_WIDE = 24
"""Characters of the longest bar."""


def sweep_table(found: Sweep) -> RenderableType:
    """Every size with its time, a bar, its rate and what the masters are loaded with, then what that says."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("hosts", "dataset", "time"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for column in ("sorted a second", "NameNode", "scheduler"):
        table.add_column(column, justify="right", no_wrap=True)
    longest = max(one.elapsed_s for one in found.points)
    for one in found.points:
        table.add_row(
            format_count(one.hosts),
            format_bytes(one.dataset_bytes),
            format_seconds(one.elapsed_s),
            "█" * max(1, round(_WIDE * one.elapsed_s / longest)),
            format_rate(one.dataset_bytes / one.elapsed_s),
            f"{one.namenode:.0%}",
            f"{one.scheduler:.0%}",
            style="yellow" if one.busiest >= SATURATED else "",
        )
    return Group(
        table,
        Text(),
        Text(_answer(found)),
        Text("times are those of the whole suite, one simulation of each size; nothing is measured"),
        *(Text(f"warning  {one.text}", style="yellow") for one in found.warnings),
    )


def sweep_json(found: Sweep) -> dict[str, Any]:
    """The same for programs."""
    return {
        "quantity": found.quantity,
        "points": [one._asdict() for one in found.points],
        "saturates_between": found.saturation and [one._asdict() for one in found.saturation],
        "warnings": [one.model_dump() for one in found.warnings],
    }


def _answer(found: Sweep) -> str:
    last = found.points[-1]
    if found.saturation is not None:
        before, after = found.saturation
        return f"{_master(after)} saturates between {_size(found, before)} and {_size(found, after)}"
    if found.points[0].busiest >= SATURATED:
        return f"{_master(found.points[0])} is saturated at {_size(found, found.points[0])} already"
    load = f"{_master(last)} is busy for {last.busiest:.0%} of a core"
    return f"no master saturates: at {_size(found, last)} {load}"


def _master(point: Point) -> str:
    return "the NameNode" if point.namenode >= point.scheduler else "the scheduler"


def _size(found: Sweep, point: Point) -> str:
    return (
        format_counted(point.hosts, "host")
        if found.quantity == "hosts"
        else format_bytes(point.dataset_bytes)
    )
