"""Series over time brought onto one grid that a page can draw, of all machines and of each.

A series is constant between two samples. Where there are more steps than a screen has room for,
neighbours are averaged over time, so that the area under every line (bytes, CPU seconds) stays
what was measured; the peaks of rates are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from howdah.analysis.evidence.use import FloatArray, Gauge, MachineOfRun, Series
from howdah.analysis.machines import means_within, peaks_within
from howdah.report.document import Key
from howdah.report.figures.timeaxis import FigureSource, first_shown_s
from howdah.report.figures.timeline import SeriesLine
from howdah.units import format_count, format_counted

MOST_STEPS = 480  # More steps than this are narrower than two pixels of a plot.
Sampled = TypeVar("Sampled", Series, Gauge)


def common_grid(series: Sequence[Series], from_s: float = 0.0) -> FloatArray:
    """Edges that all series share: their own if they agree and are few, else equal steps; may be empty.

    Nothing before ``from_s`` is on the grid; the step that this falls into begins there.
    """
    edges = []
    for grid in (samples.edges_s for samples in series if len(samples.values)):
        if grid[0] >= from_s:
            edges.append(grid)
        elif grid[-1] > from_s:
            edges.append(np.concatenate([[from_s], grid[grid > from_s]]))
    edges = [grid for grid in edges if len(grid) > 1]
    if not edges:
        return np.empty(0)
    first = edges[0]
    if len(first) <= MOST_STEPS + 1 and all(np.array_equal(grid, first) for grid in edges):
        return first
    start = min(float(grid[0]) for grid in edges)
    end = max(float(grid[-1]) for grid in edges)
    steps = min(MOST_STEPS, max(len(grid) - 1 for grid in edges))
    return np.linspace(start, end, steps + 1)


def combined(
    series: Sequence[Series], grid: FloatArray, how: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Several series on the grid, put together by ``how`` (a sum of rates, a mean of shares) over axis 0."""
    drawn = [means_within(samples, grid) for samples in series if len(samples.values)]
    return how(np.stack(drawn)) if drawn else np.zeros(len(grid) - 1)


def summed(key: Key, series: Sequence[Series], grid: FloatArray) -> SeriesLine:
    """The sum of several rates as a line that knows the peaks between the grid's edges."""
    return SeriesLine(key, combined(series, grid, total), peaks_within(series, grid))


def total(values: FloatArray) -> FloatArray:
    return np.asarray(values.sum(axis=0))


def mean(values: FloatArray) -> FloatArray:
    return np.asarray(values.mean(axis=0))


def working(source: FigureSource, every: Sequence[Sampled]) -> list[Sampled]:
    """Those of the workers, or of a host whose workers were not sampled; all of them off a cluster."""
    if source.record.cluster is None:
        return list(every)
    sampled, every_machine = {sample.host for sample in every}, source.evidence.machines
    workers = [machine for machine in every_machine if machine.level == "worker" and machine.name in sampled]
    within = {worker.host for worker in workers}
    names = {worker.name for worker in workers}
    names |= {
        machine.name for machine in every_machine if machine.level == "host" and machine.name not in within
    }
    return [sample for sample in every if sample.host in names]


def of_workers(source: FigureSource) -> str:
    """What a total's title adds on a cluster; empty elsewhere."""
    return "" if source.record.cluster is None else " of all workers"


MOST_ROWS = 12  # More rows than this no reader compares.
MOST_MACHINE_STEPS = 160  # Steps of one row; a small chart has no room for more.


class MachineRow(NamedTuple):
    """One small chart: its name, what it is, and its quantities on the grid, in the order asked for."""

    name: str
    role: str
    values: tuple[FloatArray, ...]
    peaks: tuple[float, ...]  # The highest sample of each quantity, which a step of the grid may hide.

    def scaled(self, by: float) -> MachineRow:
        return self._replace(
            values=tuple(by * grid for grid in self.values), peaks=tuple(by * peak for peak in self.peaks)
        )

    def only(self, places: Sequence[int]) -> MachineRow:
        return self._replace(
            values=tuple(self.values[place] for place in places),
            peaks=tuple(self.peaks[place] for place in places),
        )


_SmallChart = tuple[str, str, list[Series]]  # What one is of: its name, what that is, and its samples.


class MachineRows(NamedTuple):
    """The rows on their common grid, and in a sentence which machines are not among them."""

    grid: FloatArray
    rows: tuple[MachineRow, ...]
    left_out: str


def machines(source: FigureSource, every: Sequence[Series], quantities: Sequence[str]) -> MachineRows | None:
    """The rows of these series: rates added, CPU shares averaged; None for fewer than two machines."""
    sampled: dict[str, list[Series]] = {}
    for series in every:
        sampled.setdefault(series.host, []).append(series)
    candidates = [
        machine for machine in source.evidence.machines if machine.name in sampled and machine.planned
    ]
    samples = [series for machine in candidates for series in sampled[machine.name]]
    grid = common_grid(samples, first_shown_s(source))
    if len(candidates) < 2 or not len(grid):
        return None
    if len(grid) > MOST_MACHINE_STEPS + 1:
        grid = np.linspace(float(grid[0]), float(grid[-1]), MOST_MACHINE_STEPS + 1)
    by_host = len(candidates) > MOST_ROWS and len({machine.host for machine in candidates}) < len(candidates)
    parts = _hosts(candidates, sampled) if by_host else _charts_of(candidates, sampled)
    rows = [_row(part, grid, quantities) for part in parts]
    left_out = "Each host is drawn with all its workers together." if by_host else ""
    if len(rows) <= MOST_ROWS:
        return MachineRows(grid, tuple(rows), left_out)
    middle = _median(rows)

    def distance(row: MachineRow) -> float:
        apart = zip(row.values, middle, strict=True)
        return float(sum(np.abs(values - typical).mean() for values, typical in apart))

    ordered = sorted(rows, key=distance, reverse=True)
    picked, remaining = ordered[: MOST_ROWS - 1], ordered[MOST_ROWS - 1 :]
    count = format_count(len(remaining))
    note = f"Of {format_count(len(rows))} machines, the {len(picked)} that differ most from the median."
    highest = np.median([row.peaks for row in remaining], axis=0)
    typical = MachineRow(f"{count} more", "their median", _median(remaining), tuple(map(float, highest)))
    return MachineRows(grid, (*picked, typical), f"{left_out} {note}".strip())


def _charts_of(
    candidates: Sequence[MachineOfRun], sampled: Mapping[str, list[Series]]
) -> Iterator[_SmallChart]:
    for machine in candidates:
        role = f"{machine.level} on {machine.host}" if machine.name != machine.host else machine.level
        yield machine.name, role, sampled[machine.name]


def _hosts(candidates: Sequence[MachineOfRun], sampled: Mapping[str, list[Series]]) -> Iterator[_SmallChart]:
    """Every host as it was sampled from outside, or else as its workers together."""
    by_host: dict[str, list[MachineOfRun]] = {}
    for machine in candidates:
        by_host.setdefault(machine.host, []).append(machine)
    for host, here in by_host.items():
        workers = [machine.name for machine in here if machine.level == "worker" and machine.name != host]
        if host in sampled:
            yield host, "host" if workers else here[0].level, sampled[host]
        elif workers:
            together = [series for name in workers for series in sampled[name]]
            yield host, f"its {format_counted(len(workers), 'worker')}", together
        else:
            yield from _charts_of(here, sampled)


def _row(part: _SmallChart, grid: FloatArray, quantities: Sequence[str]) -> MachineRow:
    """Shares of CPUs are averaged, rates added up."""
    name, role, every = part
    values, peaks = [], []
    for quantity in quantities:
        own = [series for series in every if series.quantity == quantity]
        shares = bool(own) and own[0].unit == "1"
        values.append(combined(own, grid, mean if shares else total))
        peaks.append(float(peaks_within(own, grid[[0, -1]])[0]) / (len(own) if shares else 1))
    return MachineRow(name, role, tuple(values), tuple(peaks))


def _median(rows: Sequence[MachineRow]) -> tuple[FloatArray, ...]:
    return tuple(
        np.asarray(np.median(np.stack(values), axis=0))
        for values in zip(*(row.values for row in rows), strict=True)
    )
