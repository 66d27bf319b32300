"""What resources did over a workload's time, run by run, reduced to what a chart has room for.

Neighbouring steps are put together as their mean, so that the area under a line stays what was
measured, and as their peak, so that no peak is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from howdah.analysis.evidence import FloatArray, Series, WorkloadTime
from howdah.analysis.machines import counted, machines_of
from howdah.analysis.phases import workload_times
from howdah.analysis.series import all_series
from howdah.analysis.timeline import Timeline
from howdah.analysis.use import LEAST_RESOLVED_S
from howdah.model.tables import RunData

MOST_STEPS = 240
"""More steps than this are narrower than two pixels of half a page's width."""

MOST_MOMENTS = 20_000
"""More moments than this are put together before steps are."""


class Quantity(NamedTuple):
    """One thing that is followed over time: its name, and the series it is made of."""

    name: str
    subject: str
    parts: tuple[str, ...]
    unit: str


QUANTITIES = (
    Quantity("CPU busy", "cpu", ("user", "system"), "1"),
    Quantity("disks read", "disk", ("read",), "B/s"),
    Quantity("disks written", "disk", ("write",), "B/s"),
    Quantity("network received", "nic", ("rx",), "B/s"),
)


@dataclass(frozen=True, eq=False)
class Course:
    """One quantity of one run over one workload, all machines that did the work together.

    ``edges_s`` are seconds since the workload's start; ``means[i]`` and ``peaks[i]`` are from
    ``edges_s[i]`` to ``edges_s[i + 1]``, shares of all CPUs or bytes per second.
    """

    run: str
    quantity: Quantity
    edges_s: FloatArray
    means: FloatArray
    peaks: FloatArray


def courses(run: RunData, workload: str) -> tuple[Course, ...]:
    """Every quantity that was sampled during the workload; empty where it did not run."""
    time = next((one for one in workload_times(run) if one.workload == workload), None)
    timeline = Timeline(run.samples)
    if time is None or time.elapsed_s <= 0 or not timeline.covers(time.start_s, time.end_s):
        return ()
    machines = machines_of(run, timeline)
    series = all_series(timeline)
    found = []
    for quantity in QUANTITIES:
        working = set(counted(machines, timeline, quantity.subject))
        mine = [
            one
            for one in series
            if one.subject == quantity.subject
            and one.quantity in quantity.parts
            and one.host in working
            and one.instance != "lo"
        ]
        if mine:
            # Shares of several machines' CPUs are shares of all of them, each machine counting alike.
            among = len({one.host for one in mine}) if quantity.unit == "1" else 1
            found.append(_course(run.record.id, quantity, mine, among, time))
    return tuple(found)


def _course(run: str, quantity: Quantity, series: Sequence[Series], among: int, time: WorkloadTime) -> Course:
    edges = _edges(series, time)
    buckets = min(MOST_STEPS, len(edges) - 1)
    coarse = edges if len(edges) - 1 <= MOST_STEPS else np.linspace(edges[0], edges[-1], buckets + 1)
    fine = np.union1d(edges, coarse)
    values = sum((_over(one, fine) for one in series), np.zeros(len(fine) - 1)) / among
    firsts = np.searchsorted(fine, coarse[:-1])
    return Course(
        run=run,
        quantity=quantity,
        edges_s=coarse - time.start_s,
        means=np.add.reduceat(values * np.diff(fine), firsts) / np.diff(coarse),
        peaks=np.maximum.reduceat(values, firsts),
    )


def _edges(series: Sequence[Series], time: WorkloadTime) -> FloatArray:
    """The moments at which any series was sampled during the workload, and its ends.

    Machines sampled at moments of their own may have very many together; then equal steps do.
    """
    every = np.unique(np.concatenate([one.edges_s for one in series]))
    within = every[(every > time.start_s) & (every < time.end_s)]
    if len(within) > MOST_MOMENTS:
        return np.linspace(time.start_s, time.end_s, MOST_MOMENTS)
    edges = [time.start_s]
    for edge in within:
        # Samples at the ends of phases may lie next to those taken at the interval.
        if min(edge - edges[-1], time.end_s - edge) >= LEAST_RESOLVED_S:
            edges.append(float(edge))
    return np.array([*edges, time.end_s])


def _over(series: Series, grid: FloatArray) -> FloatArray:
    """The series' mean over each cell of the grid."""
    area = np.concatenate([[0.0], np.cumsum(series.values * np.diff(series.edges_s))])
    return np.asarray(np.diff(np.interp(grid, series.edges_s, area)) / np.diff(grid))
