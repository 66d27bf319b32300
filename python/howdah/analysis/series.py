"""Rates between samples, on no more steps than a chart has room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from howdah.analysis.evidence import FloatArray, Gauge, Series
from howdah.analysis.timeline import Timeline
from howdah.analysis.use import LEAST_RESOLVED_S, MODES

_DISK = (("read", "read_bytes", "B/s"), ("write", "written_bytes", "B/s"), ("busy", "busy_s", "1"))
_NIC = (("rx", "rx_bytes", "B/s"), ("tx", "tx_bytes", "B/s"))

MOST_MOMENTS = 20_000
"""More moments than this are put together before their peak is sought."""


def all_series(timeline: Timeline) -> tuple[Series, ...]:
    """Every rate and share over time, host by host; empty with fewer than two samples."""
    if len(timeline.times_s) < 2:
        return ()
    return tuple(series for host in timeline.hosts for series in _host_series(timeline, host))


def gauges(timeline: Timeline) -> tuple[Gauge, ...]:
    """Memory and process gauges as they stood at each sample."""
    return tuple(
        Gauge(host, metric, "B", track.times_s, track.values)
        for host in timeline.hosts
        for subject in ("memory", "process")
        for metric in timeline.metrics(host, subject)
        if (track := timeline.track(host, metric)) is not None
    )


def _host_series(timeline: Timeline, host: str) -> Iterator[Series]:
    yield from _cpu(timeline, host)
    for subject, quantities in (("disk", _DISK), ("nic", _NIC)):
        for instance in timeline.instances(host, subject):
            for quantity, metric, unit in quantities:
                track = timeline.track(host, f"{subject}/{instance}/{metric}")
                if track is not None and len(track.times_s) > 1:
                    rates = _rates(track.times_s, track.values)
                    yield Series(host, subject, instance, quantity, unit, track.times_s, rates)
    for metric in timeline.metrics(host, "pressure"):
        track = timeline.track(host, metric)
        if track is not None and len(track.times_s) > 1:
            quantity = metric.removeprefix("pressure/").removesuffix("_s")
            rates = _rates(track.times_s, track.values)
            yield Series(host, "pressure", "all", quantity, "1", track.times_s, rates)


def _rates(times_s: FloatArray, values: FloatArray) -> FloatArray:
    rates: FloatArray = np.diff(values) / np.diff(times_s)
    return rates


def _cpu(timeline: Timeline, host: str) -> Iterator[Series]:
    """The CPUs of a host together, as shares of the time the kernel accounted for in each interval."""
    tracks = {
        mode: [
            track
            for cpu in timeline.instances(host, "cpu")
            if (track := timeline.track(host, f"cpu/{cpu}/{mode}_s")) is not None
        ]
        for mode in MODES
    }
    moments = [track.times_s for some in tracks.values() for track in some]
    if not moments:
        return
    edges = np.unique(np.concatenate(moments))
    if len(edges) < 2:
        return
    spent = {
        mode: np.maximum(sum((np.diff(track.at(edges)) for track in some), np.zeros(len(edges) - 1)), 0.0)
        for mode, some in tracks.items()
    }
    total = sum(spent.values(), np.zeros(len(edges) - 1))
    for mode, seconds in spent.items():
        shares = np.divide(seconds, total, out=np.zeros_like(seconds), where=total > 0)
        yield Series(host, "cpu", "all", mode, "1", edges, shares)


def means_within(series: Series, grid: FloatArray) -> FloatArray:
    """The series' mean over each cell of the grid; it is zero where it was not sampled."""
    area = np.concatenate([[0.0], np.cumsum(series.values * np.diff(series.edges_s))])
    return np.asarray(np.diff(np.interp(grid, series.edges_s, area)) / np.diff(grid))


def peaks_within(series: Sequence[Series], grid: FloatArray) -> FloatArray:
    """The highest that the sum of the series reaches in each cell of the grid."""
    fine = np.union1d(moments(series, float(grid[0]), float(grid[-1])), grid)
    together = sum((means_within(values, fine) for values in series), np.zeros(len(fine) - 1))
    return np.asarray(np.maximum.reduceat(together, np.searchsorted(fine, grid[:-1])))


def moments(series: Sequence[Series], start_s: float, end_s: float) -> FloatArray:
    """The moments between two at which any series was sampled, and those two.

    Machines sampled at moments of their own may have very many together; then equal steps do.
    """
    every = np.unique(np.concatenate([values.edges_s for values in series])) if series else np.empty(0)
    within = every[(every > start_s) & (every < end_s)]
    if len(within) > MOST_MOMENTS:
        return np.linspace(start_s, end_s, MOST_MOMENTS)
    edges = [start_s]
    for edge in within:
        # Samples at the ends of phases may lie next to those taken at the interval.
        if min(edge - edges[-1], end_s - edge) >= LEAST_RESOLVED_S:
            edges.append(float(edge))
    return np.array([*edges, end_s])
