"""What the NameNode does for one call: its processor time over calls, within a run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from howdah.analysis.comparing.saturation import LoadLine, load_line
from howdah.analysis.evidence import WorkloadTime
from howdah.analysis.timeline import Timeline

_CALLS, _CPU = "namenode/calls", "jvm/namenode/cpu_s"
_WINDOW_S = 5.0
"""Daemons are asked every second or two, and not all at the same moment."""


class CallCost(NamedTuple):
    """The calls of one workload to the NameNode that answered most, and what each took."""

    calls: float
    line: LoadLine | None
    """Share of a core over calls a second: without any, and seconds for each; None in a short workload."""


def call_cost(timeline: Timeline, time: WorkloadTime) -> CallCost | None:
    """None where no NameNode was asked for its calls and its processor time."""
    tracks = {host: timeline.track(host, _CALLS) for host in timeline.hosts}
    answered = {
        host: calls.growth(time.start_s, time.end_s) for host, calls in tracks.items() if calls is not None
    }
    if not answered:
        return None
    host = max(answered, key=answered.__getitem__)
    calls, cpu = tracks[host], timeline.track(host, _CPU)
    if calls is None or cpu is None:
        return None
    edges = np.arange(time.start_s, time.end_s + 1e-9, _WINDOW_S)
    rates, busy = (np.diff(track.at(edges)) / _WINDOW_S for track in (calls, cpu))
    return CallCost(calls=answered[host], line=load_line(rates.tolist(), busy.tolist()))
