"""Which machines are drawn one by one, and what each did over time.

A cluster may have hundreds. Then its hosts stand for their workers, and of more hosts than a reader can
compare, those that differ most from the median are drawn; one row more is the median of all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from howdah.analysis.evidence.use import FloatArray, MachineOfRun, Series
from howdah.analysis.timeline import peaks_within
from howdah.report.figure import FigureSource
from howdah.report.figures.steps import combined, common_grid, mean, total
from howdah.report.figures.timeaxis import first_shown_s
from howdah.units import format_count, format_counted

MOST_ROWS = 12
"""More rows than this no reader compares."""

MOST_STEPS = 160
"""Steps of one row; a small chart has no room for more."""


class MachineRow(NamedTuple):
    """One small chart: its name, what it is, and its quantities on the grid, in the order asked for."""

    name: str
    what: str
    values: tuple[FloatArray, ...]
    peaks: tuple[float, ...]
    """The highest that was sampled of each quantity, which a step of the grid may hide."""

    def scaled(self, by: float) -> MachineRow:
        """The row with all its numbers times this."""
        return self._replace(
            values=tuple(by * grid for grid in self.values), peaks=tuple(by * peak for peak in self.peaks)
        )

    def only(self, places: Sequence[int]) -> MachineRow:
        """The row with these of its quantities."""
        return self._replace(
            values=tuple(self.values[place] for place in places),
            peaks=tuple(self.peaks[place] for place in places),
        )


class SmallChart(NamedTuple):
    """What one small chart is of: its name, what that is, and its samples."""

    name: str
    what: str
    series: list[Series]


class MachineRows(NamedTuple):
    """The rows on their common grid, and in a sentence which machines are not among them."""

    grid: FloatArray
    rows: tuple[MachineRow, ...]
    left_out: str


def machines(source: FigureSource, every: Sequence[Series], quantities: Sequence[str]) -> MachineRows | None:
    """The rows drawn from these series; None if fewer than two machines have any.

    Rates of several devices are added up; shares of CPUs are averaged.
    """
    sampled: dict[str, list[Series]] = {}
    for series in every:
        sampled.setdefault(series.host, []).append(series)
    candidates = [
        machine for machine in source.evidence.machines if machine.name in sampled and machine.planned
    ]
    grid = _thinned(
        common_grid([series for each in candidates for series in sampled[each.name]], first_shown_s(source))
    )
    if len(candidates) < 2 or not len(grid):
        return None
    by_host = len(candidates) > MOST_ROWS and len({machine.host for machine in candidates}) < len(candidates)
    parts = _hosts(candidates, sampled) if by_host else _each(candidates, sampled)
    rows = [_row(part, grid, quantities) for part in parts]
    left_out = "Each host is drawn with all its workers together." if by_host else ""
    if len(rows) <= MOST_ROWS:
        return MachineRows(grid, tuple(rows), left_out)
    picked, others = _most_different(rows)
    count = format_count(len(others))
    note = f"Of {format_count(len(rows))} machines, the {len(picked)} that differ most from the median."
    highest = np.median([row.peaks for row in others], axis=0)
    typical = MachineRow(f"{count} more", "their median", _median(others), tuple(map(float, highest)))
    return MachineRows(grid, (*picked, typical), f"{left_out} {note}".strip())


def _thinned(grid: FloatArray) -> FloatArray:
    if len(grid) <= MOST_STEPS + 1:
        return grid
    return np.linspace(float(grid[0]), float(grid[-1]), MOST_STEPS + 1)


def _each(candidates: Sequence[MachineOfRun], sampled: Mapping[str, list[Series]]) -> Iterator[SmallChart]:
    for machine in candidates:
        what = f"{machine.level} on {machine.host}" if machine.name != machine.host else machine.level
        yield SmallChart(machine.name, what, sampled[machine.name])


def _hosts(candidates: Sequence[MachineOfRun], sampled: Mapping[str, list[Series]]) -> Iterator[SmallChart]:
    """Every host as it was sampled from outside, or else as its workers together."""
    by_host: dict[str, list[MachineOfRun]] = {}
    for machine in candidates:
        by_host.setdefault(machine.host, []).append(machine)
    for host, here in by_host.items():
        workers = [machine.name for machine in here if machine.level == "worker" and machine.name != host]
        if host in sampled:
            yield SmallChart(host, "host" if workers else here[0].level, sampled[host])
        elif workers:
            together = [series for name in workers for series in sampled[name]]
            yield SmallChart(host, f"its {format_counted(len(workers), 'worker')}", together)
        else:
            yield from _each(here, sampled)


def _row(part: SmallChart, grid: FloatArray, quantities: Sequence[str]) -> MachineRow:
    """Shares of CPUs are averaged, rates added up."""
    values, peaks = [], []
    for quantity in quantities:
        own = [series for series in part.series if series.quantity == quantity]
        shares = bool(own) and own[0].unit == "1"
        values.append(combined(own, grid, mean if shares else total))
        peaks.append(float(peaks_within(own, grid[[0, -1]])[0]) / (len(own) if shares else 1))
    return MachineRow(part.name, part.what, tuple(values), tuple(peaks))


def _most_different(rows: list[MachineRow]) -> tuple[list[MachineRow], list[MachineRow]]:
    """The rows farthest from the median of all, the farthest first, and the rest."""
    middle = _median(rows)

    def distance(row: MachineRow) -> float:
        apart = zip(row.values, middle, strict=True)
        return float(sum(np.abs(values - typical).mean() for values, typical in apart))

    ordered = sorted(rows, key=distance, reverse=True)
    return ordered[: MOST_ROWS - 1], ordered[MOST_ROWS - 1 :]


def _median(rows: Sequence[MachineRow]) -> tuple[FloatArray, ...]:
    return tuple(
        np.asarray(np.median(np.stack(values), axis=0))
        for values in zip(*(row.values for row in rows), strict=True)
    )
