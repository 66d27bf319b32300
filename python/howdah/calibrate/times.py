"""The times of a measured run as the simulator tells them, so that the two can be held against each other.

A job's history knows a phase from the start of its master. To the simulator, as to the papers, a workload's
phases follow one another without a gap: what it takes to submit a job, and to hear that it is over, are
parts of the first phase and of the last.
"""

from __future__ import annotations

from itertools import pairwise

from howdah.model.run import WorkloadResult


def phase_times(result: WorkloadResult) -> dict[str, float]:
    """Seconds of each phase by its name, from the workload's start to its end; none where it has but one."""
    if len(result.phases) < 2:
        return {}
    ends = [one.end_s for one in result.phases[:-1]]
    bounds = pairwise([result.start_s, *ends, result.end_s])
    return {one.name: end - start for one, (start, end) in zip(result.phases, bounds, strict=True)}
