"""The stretch of samples in which a workload's bytes are counted."""

from __future__ import annotations

from howdah.analysis.evidence import WorkloadTime
from howdah.analysis.timeline import Timeline
from howdah.model.run import RunRecord


def window_of(record: RunRecord, timeline: Timeline, time: WorkloadTime) -> tuple[float, float] | None:
    """The stretch to count device bytes in: the workload's own, widened to the nearest samples.

    The samples around a workload count its bytes exactly, where interpolating would spread the first
    and the last of them over idle time. Where such a sample lies within something else that ran, the
    workload's own end is the better cut. None: samples do not cover the workload.
    """
    if not timeline.covers(time.start_s, time.end_s):
        return None
    before = timeline.times_s[timeline.times_s <= time.start_s]
    after = timeline.times_s[timeline.times_s >= time.end_s]
    start_s = float(before[-1]) if len(before) else time.start_s
    end_s = float(after[0]) if len(after) else time.end_s
    others = [(result.start_s, result.end_s) for result in record.workloads]
    others = others[: time.index] + others[time.index + 1 :]
    others += [(phase.start_s, phase.end_s) for phase in record.preparation]
    if any(begin < time.start_s and end > start_s for begin, end in others):
        start_s = time.start_s
    if any(end > time.end_s and begin < end_s for begin, end in others):
        end_s = time.end_s
    return start_s, end_s
