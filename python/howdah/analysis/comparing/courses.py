"""What resources did over a workload's time, run by run, reduced to what a chart has room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import FloatArray, Series
from howdah.analysis.machines import counted, machines_of
from howdah.analysis.phases import workload_times
from howdah.analysis.timeline import Timeline, all_series, means_within, moments, peaks_within
from howdah.model.tables import RunData

MOST_STEPS = 240
"""More steps than this are narrower than two pixels of half a page's width."""


class FollowedQuantity(NamedTuple):
    """One thing that is followed over time: its name, and the series it is made of."""

    name: str
    subject: str
    parts: tuple[str, ...]
    unit: str


QUANTITIES = (
    FollowedQuantity("CPU busy", "cpu", ("user", "system"), "1"),
    FollowedQuantity("disks read", "disk", ("read",), "B/s"),
    FollowedQuantity("disks written", "disk", ("write",), "B/s"),
    FollowedQuantity("network received", "nic", ("rx",), "B/s"),
)


@dataclass(frozen=True, eq=False)
class Course:
    """One quantity of one run over one workload, all machines that did the work together.

    ``edges_s`` are seconds since the workload's start; ``means[i]`` and ``peaks[i]`` are from
    ``edges_s[i]`` to ``edges_s[i + 1]``, shares of all CPUs or bytes per second.
    """

    run: str
    quantity: FollowedQuantity
    edges_s: FloatArray
    means: FloatArray
    peaks: FloatArray


def courses(run: RunData, workload: str) -> tuple[Course, ...]:
    """Every quantity that was sampled during the workload; empty where it did not run."""
    time = next((pair for pair in workload_times(run) if pair.workload == workload), None)
    timeline = Timeline(run.samples)
    if time is None or time.elapsed_s <= 0 or not timeline.covers(time.start_s, time.end_s):
        return ()
    machines = machines_of(run, timeline)
    series = all_series(timeline)
    result = []
    for quantity in QUANTITIES:
        working = set(counted(machines, timeline, quantity.subject))
        mine = [
            curve
            for curve in series
            if curve.subject == quantity.subject
            and curve.quantity in quantity.parts
            and curve.host in working
            and curve.instance != "lo"
        ]
        if mine:
            # Shares of several machines' CPUs are shares of all of them, each machine counting alike.
            among = len({curve.host for curve in mine}) if quantity.unit == "1" else 1
            result.append(_course(run.record.id, quantity, mine, among, time))
    return tuple(result)


def _course(
    run: str, quantity: FollowedQuantity, series: Sequence[Series], among: int, time: WorkloadTime
) -> Course:
    edges = moments(series, time.start_s, time.end_s)
    if len(edges) - 1 > MOST_STEPS:
        edges = np.linspace(time.start_s, time.end_s, MOST_STEPS + 1)
    together = sum((means_within(values, edges) for values in series), np.zeros(len(edges) - 1))
    return Course(
        run=run,
        quantity=quantity,
        edges_s=edges - time.start_s,
        means=together / among,
        peaks=peaks_within(series, edges) / among,
    )
