"""Samples as a sampler would have taken them, from a known course of events.

A course is a list of stretches in which every counter grows by a known amount, so a test knows what
any integral over the samples must be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from howdah.model.tables import SAMPLES_SCHEMA

_SLICE_S = 0.1


@dataclass(frozen=True)
class Stretch:
    """Growth of counters on one host from ``start_s`` to ``end_s``; ``wobble`` makes it uneven within."""

    host: str
    start_s: float
    end_s: float
    growth: Mapping[str, float]
    wobble: float = 0.0


@dataclass
class Course:
    """Everything that happens on the hosts of a run, and the samples taken of it."""

    interval_s: float = 0.2
    seed: int = 1
    stretches: list[Stretch] = field(default_factory=list)
    gauges: dict[tuple[str, str], list[tuple[float, float]]] = field(default_factory=dict)
    counters: dict[tuple[str, str], None] = field(default_factory=dict)

    def grow(self, stretch: Stretch) -> None:
        """Add a stretch."""
        self.stretches.append(stretch)
        for metric in stretch.growth:
            self.counters.setdefault((stretch.host, metric))

    def set_gauge(self, host: str, metric: str, time_s: float, value: float) -> None:
        """Let a gauge pass through ``value`` at ``time_s``; between such points it runs straight."""
        self.gauges.setdefault((host, metric), []).append((time_s, value))

    def sample(self, until_s: float) -> pa.Table:
        """The samples from 0 to ``until_s``, the last one exactly there."""
        ticks = np.arange(0.0, until_s, self.interval_s)
        times = np.append(ticks[ticks < until_s - 1e-9], until_s)
        columns: dict[tuple[str, str], NDArray[np.float64]] = {
            key: np.zeros(len(times)) for key in self.counters
        }
        for number, stretch in enumerate(self.stretches):
            done = self._share_done(number, stretch, times)
            for metric, amount in stretch.growth.items():
                columns[(stretch.host, metric)] += amount * done
        for key, points in self.gauges.items():
            xs, ys = zip(*points, strict=True)
            columns[key] = np.interp(times, xs, ys)
        keys = list(columns)
        order = np.array([columns[key] for key in keys]).T if keys else np.zeros((len(times), 0))
        return pa.table(
            {
                "time_s": np.repeat(times, len(keys)),
                "host": [host for host, _ in keys] * len(times),
                "metric": [metric for _, metric in keys] * len(times),
                "value": order.ravel(),
            },
            schema=SAMPLES_SCHEMA,
        )

    def _share_done(self, number: int, stretch: Stretch, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much of the stretch is over at each time, 0 to 1; uneven steps if it wobbles."""
        slices = max(1, round((stretch.end_s - stretch.start_s) / _SLICE_S))
        edges = np.linspace(stretch.start_s, stretch.end_s, slices + 1)
        weights = 1 + stretch.wobble * np.random.default_rng((self.seed, number)).uniform(-1, 1, slices)
        done = np.concatenate([[0.0], np.cumsum(weights)]) / weights.sum()
        progress: NDArray[np.float64] = np.interp(times, edges, done)
        return progress
