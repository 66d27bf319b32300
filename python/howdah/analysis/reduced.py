"""Rates over time brought onto fewer steps than they were sampled in.

Neighbouring samples are put together as their mean, so that the area under a line stays what was
measured, and as their peak, so that no peak is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from howdah.analysis.evidence import FloatArray, Series
from howdah.analysis.use import LEAST_RESOLVED_S

MOST_MOMENTS = 20_000
"""More moments than this are put together before their peak is sought."""


def means_within(series: Series, grid: FloatArray) -> FloatArray:
    """The series' mean over each cell of the grid; it is zero where it was not sampled."""
    area = np.concatenate([[0.0], np.cumsum(series.values * np.diff(series.edges_s))])
    return np.asarray(np.diff(np.interp(grid, series.edges_s, area)) / np.diff(grid))


def peaks_within(series: Sequence[Series], grid: FloatArray) -> FloatArray:
    """The highest that the sum of the series reaches in each cell of the grid."""
    fine = np.union1d(moments(series, float(grid[0]), float(grid[-1])), grid)
    together = sum((means_within(one, fine) for one in series), np.zeros(len(fine) - 1))
    return np.asarray(np.maximum.reduceat(together, np.searchsorted(fine, grid[:-1])))


def moments(series: Sequence[Series], start_s: float, end_s: float) -> FloatArray:
    """The moments between two at which any series was sampled, and those two.

    Machines sampled at moments of their own may have very many together; then equal steps do.
    """
    every = np.unique(np.concatenate([one.edges_s for one in series])) if series else np.empty(0)
    within = every[(every > start_s) & (every < end_s)]
    if len(within) > MOST_MOMENTS:
        return np.linspace(start_s, end_s, MOST_MOMENTS)
    edges = [start_s]
    for edge in within:
        # Samples at the ends of phases may lie next to those taken at the interval.
        if min(edge - edges[-1], end_s - edge) >= LEAST_RESOLVED_S:
            edges.append(float(edge))
    return np.array([*edges, end_s])
