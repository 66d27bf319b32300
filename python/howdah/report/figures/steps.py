"""Series over time brought onto one grid that a page can draw.

A series is constant between two samples. Where there are more steps than a screen has room for,
neighbours are averaged over time, so that the area under every line (bytes, CPU seconds) stays
what was measured; the peaks of rates are kept beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from howdah.analysis.evidence.use import FloatArray, Gauge, Series
from howdah.analysis.timeline import means_within, peaks_within
from howdah.report.document import Key
from howdah.report.figure import FigureSource
from howdah.report.figures.timeline import SeriesLine

MOST_STEPS = 480
"""More steps than this are narrower than two pixels of a plot."""
Sampled = TypeVar("Sampled", Series, Gauge)


def common_grid(series: Sequence[Series], from_s: float = 0.0) -> FloatArray:
    """Edges that all series share: their own if they agree and are few, else equal steps; may be empty.

    Nothing before ``from_s`` is on the grid; the step that this falls into begins there.
    """
    every = [_since(samples.edges_s, from_s) for samples in series if len(samples.values)]
    edges = [grid for grid in every if len(grid) > 1]
    if not edges:
        return np.empty(0)
    first = edges[0]
    if len(first) <= MOST_STEPS + 1 and all(np.array_equal(grid, first) for grid in edges):
        return first
    start = min(float(grid[0]) for grid in edges)
    end = max(float(grid[-1]) for grid in edges)
    steps = min(MOST_STEPS, max(len(grid) - 1 for grid in edges))
    return np.linspace(start, end, steps + 1)


def _since(edges: FloatArray, from_s: float) -> FloatArray:
    if edges[0] >= from_s:
        return edges
    if edges[-1] <= from_s:
        return np.empty(0)
    return np.concatenate([[from_s], edges[edges > from_s]])


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
    """The sum over series."""
    return np.asarray(values.sum(axis=0))


def mean(values: FloatArray) -> FloatArray:
    """The mean over series."""
    return np.asarray(values.mean(axis=0))


def working(source: FigureSource, every: Sequence[Sampled]) -> list[Sampled]:
    """Those of the workers, or of a host whose workers were not sampled; all of them off a cluster."""
    if source.record.cluster is None:
        return list(every)
    sampled = {sample.host for sample in every}
    workers = [
        machine
        for machine in source.evidence.machines
        if machine.level == "worker" and machine.name in sampled
    ]
    within = {worker.host for worker in workers}
    names = {worker.name for worker in workers}
    names |= {
        machine.name
        for machine in source.evidence.machines
        if machine.level == "host" and machine.name not in within
    }
    return [sample for sample in every if sample.host in names]


def of_workers(source: FigureSource) -> str:
    """What a total's title adds on a cluster; empty elsewhere."""
    return "" if source.record.cluster is None else " of all workers"
