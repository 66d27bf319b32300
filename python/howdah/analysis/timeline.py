"""The samples of a run as one track per host and metric, with exact integrals.

A counter is read as straight between two samples, so what it grew by in adjoining stretches adds up
exactly to what it grew by over all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from howdah.analysis.evidence import FloatArray
from howdah.hadoop.daemons import BY_NAME

_APART = frozenset((*BY_NAME, "region", "jvm", "kernel"))
"""What is sampled at times of its own: daemons over the network, and the kernel's many threads."""
_EMPTY: FloatArray = np.zeros(0)


class Track(NamedTuple):
    """One metric on one host: times ascending without repeats, and the value at each."""

    times_s: FloatArray
    values: FloatArray

    def at(self, time_s: float | FloatArray) -> FloatArray:
        """The value at a time, straight between samples and level beyond the first and the last."""
        return np.asarray(np.interp(time_s, self.times_s, self.values), dtype=np.float64)

    def growth(self, start_s: float, end_s: float) -> float:
        """How much a counter grew from start to end."""
        return float(self.at(end_s) - self.at(start_s))

    def uncertainty(self, time_s: float) -> float:
        """How far a counter's true value may lie from the interpolated one: to the farther neighbour."""
        after = int(np.searchsorted(self.times_s, time_s))
        if after == 0 or after == len(self.times_s) or self.times_s[after] == time_s:
            return 0.0
        here = float(self.at(time_s))
        return max(here - float(self.values[after - 1]), float(self.values[after]) - here)


class Timeline:
    """All tracks of a run's samples."""

    def __init__(self, samples: pa.Table) -> None:
        self._tracks = _split(samples)
        self._metrics: dict[str, list[str]] = {}
        for host, metric in self._tracks:
            self._metrics.setdefault(host, []).append(metric)
        self.hosts = tuple(self._metrics)
        # Machines may be sampled apart, those whose samples were imported at minutes: the one in the
        # middle stands for all.
        grids = sorted((self._grid(host) for host in self.hosts), key=len)
        self.times_s: FloatArray = grids[len(grids) // 2] if grids else _EMPTY

    def _grid(self, host: str) -> FloatArray:
        """When a machine was sampled; what has times of its own counts if nothing else was."""
        own = [metric for metric in self._metrics[host] if metric.partition("/")[0] not in _APART]
        return np.unique(
            np.concatenate([self._tracks[host, metric].times_s for metric in own or self._metrics[host]])
        )

    def track(self, host: str, metric: str) -> Track | None:
        """The track of a metric, None where it was never sampled."""
        return self._tracks.get((host, metric))

    def instances(self, host: str, subject: str) -> tuple[str, ...]:
        """The instances of a subject that were sampled on a host: ``disk`` gives ``vda``, ``vdb``."""
        names = [metric.split("/") for metric in self._metrics.get(host, ())]
        return tuple(dict.fromkeys(parts[1] for parts in names if parts[0] == subject and len(parts) == 3))

    def metrics(self, host: str, subject: str) -> tuple[str, ...]:
        """The metrics of a subject that were sampled on a host."""
        return tuple(metric for metric in self._metrics.get(host, ()) if metric.startswith(f"{subject}/"))

    def growth(self, host: str, metric: str, start_s: float, end_s: float) -> float:
        """How much a counter grew from start to end, 0 where it was never sampled."""
        track = self.track(host, metric)
        return track.growth(start_s, end_s) if track else 0.0

    def blurred(self, start_s: float, end_s: float) -> bool:
        """Whether a stretch shows mostly what its neighbours did: it is shorter than two sample intervals.

        An end of the stretch that falls on a sample, give or take a twentieth of the stretch, is sharp;
        only the interval around an end that does not is interpolated.
        """
        length = end_s - start_s
        return sum(self._gap_at(moment, length / 20) for moment in (start_s, end_s)) > length

    def _gap_at(self, time_s: float, near_s: float) -> float:
        """The length of the sample interval around a moment, 0 at a sample and beyond the ends."""
        after = int(np.searchsorted(self.times_s, time_s))
        if after == 0 or after == len(self.times_s):
            return 0.0
        before_s, after_s = float(self.times_s[after - 1]), float(self.times_s[after])
        return 0.0 if min(time_s - before_s, after_s - time_s) <= near_s else after_s - before_s

    def intervals(self, start_s: float, end_s: float) -> float:
        """How many sample intervals fit between start and end, by the median interval."""
        if len(self.times_s) < 2:
            return 0.0
        return (end_s - start_s) / float(np.median(np.diff(self.times_s)))

    def covers(self, start_s: float, end_s: float) -> bool:
        """Whether samples were taken from start to end, give or take one interval at each end."""
        if len(self.times_s) < 2:
            return False
        slack = float(np.median(np.diff(self.times_s)))
        return bool(self.times_s[0] <= start_s + slack and self.times_s[-1] >= end_s - slack)


def _split(samples: pa.Table) -> dict[tuple[str, str], Track]:
    if samples.num_rows == 0:
        return {}
    hosts, host_names = _codes(samples, "host")
    metrics, metric_names = _codes(samples, "metric")
    times = samples.column("time_s").to_numpy()
    values = samples.column("value").to_numpy()
    key = hosts * len(metric_names) + metrics
    order = np.lexsort((times, key))
    keys, starts = np.unique(key[order], return_index=True)
    tracks = {}
    for number, rows in zip(keys, np.split(order, starts[1:]), strict=True):
        place, quantity = divmod(int(number), len(metric_names))
        known = rows[np.isfinite(values[rows]) & np.isfinite(times[rows])]
        moments, first = np.unique(times[known], return_index=True)
        if len(moments):
            tracks[host_names[place], metric_names[quantity]] = Track(moments, values[known][first])
    return tracks


def _codes(table: pa.Table, column: str) -> tuple[NDArray[np.int64], list[str]]:
    """A text column as numbers, and the text each number stands for."""
    encoded = table.column(column).combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), [str(name) for name in encoded.dictionary.to_pylist()]
