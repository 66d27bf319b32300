"""Which machines are drawn one by one, and what each did over time.

A cluster may have hundreds. Then its hosts stand for their workers, and of more hosts than a reader can
compare, those that differ most from the median are drawn; one row more is the median of all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from howdah.analysis.evidence import FloatArray, Machine, Series
from howdah.report.figure import Source
from howdah.report.figures.steps import combined, common_grid, mean, total
from howdah.report.figures.timeaxis import first_shown_s
from howdah.units import format_count

MOST_ROWS = 12
"""More rows than this no reader compares."""

MOST_STEPS = 160
"""Steps of one row; a small chart has no room for more."""


class Row(NamedTuple):
    """One small chart: its name, what it is, and its quantities on the grid, in the order asked for."""

    name: str
    what: str
    values: tuple[FloatArray, ...]


class Machines(NamedTuple):
    """The rows on their common grid, and in a sentence which machines are not among them."""

    grid: FloatArray
    rows: tuple[Row, ...]
    left_out: str


def machines(source: Source, every: Sequence[Series], quantities: Sequence[str]) -> Machines | None:
    """The rows drawn from these series; None if fewer than two machines have any.

    Several devices of a machine are added up; shares of a machine's CPUs are one series already.
    """
    sampled: dict[str, list[Series]] = {}
    for one in every:
        sampled.setdefault(one.host, []).append(one)
    known = [one for one in source.evidence.machines if one.name in sampled and one.level != "other"]
    grid = _thinned(common_grid([one for each in known for one in sampled[each.name]], first_shown_s(source)))
    if len(known) < 2 or not len(grid):
        return None
    drawn, left_out = _standing_for_workers(known)
    rows = [_row(one, sampled[one.name], grid, quantities) for one in drawn]
    if len(rows) <= MOST_ROWS:
        return Machines(grid, tuple(rows), left_out)
    picked, others = _most_different(rows)
    count = format_count(len(others))
    said = f"Of {format_count(len(rows))} machines, the {len(picked)} that differ most from the median."
    typical = Row(f"{count} more", "their median", _median(others))
    return Machines(grid, (*picked, typical), f"{left_out} {said}".strip())


def _thinned(grid: FloatArray) -> FloatArray:
    if len(grid) <= MOST_STEPS + 1:
        return grid
    return np.linspace(float(grid[0]), float(grid[-1]), MOST_STEPS + 1)


def _standing_for_workers(known: list[Machine]) -> tuple[list[Machine], str]:
    """Hosts alone where there are too many machines and hosts were sampled themselves."""
    hosts = [one for one in known if one.level == "host"]
    if len(known) <= MOST_ROWS or not hosts:
        return known, ""
    apart = [one for one in known if one.level != "worker" or one.name == one.host]
    return apart, "Each host is drawn with all its workers together."


def _row(machine: Machine, series: list[Series], grid: FloatArray, quantities: Sequence[str]) -> Row:
    values = []
    for quantity in quantities:
        own = [one for one in series if one.quantity == quantity]
        values.append(combined(own, grid, mean if own and own[0].unit == "1" else total))
    on = f"{machine.level} on {machine.host}" if machine.name != machine.host else machine.level
    return Row(machine.name, on, tuple(values))


def _most_different(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """The rows farthest from the median of all, the farthest first, and the rest."""
    middle = _median(rows)

    def distance(row: Row) -> float:
        apart = zip(row.values, middle, strict=True)
        return float(sum(np.abs(values - typical).mean() for values, typical in apart))

    ordered = sorted(rows, key=distance, reverse=True)
    return ordered[: MOST_ROWS - 1], ordered[MOST_ROWS - 1 :]


def _median(rows: Sequence[Row]) -> tuple[FloatArray, ...]:
    return tuple(
        np.asarray(np.median(np.stack(values), axis=0))
        for values in zip(*(row.values for row in rows), strict=True)
    )
