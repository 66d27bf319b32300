"""A simulated run's times beside what is known of the same work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.analysis.evidence import Beside, WorkloadTime
from howdah.model.known import KnownTimes
from howdah.model.run import Outcome


def beside(workloads: Sequence[WorkloadTime], known: Sequence[KnownTimes]) -> tuple[Beside, ...]:
    """Every workload and phase that is known, source by source; none of a workload that did not succeed."""
    return tuple(
        Beside(workload, phase, elapsed_s, one.times[name], one.origin, one.source, one.differs)
        for one in known
        for workload, phase, elapsed_s in _stretches(workloads)
        if (name := workload if phase is None else f"{workload}/{phase}") in one.times
    )


def _stretches(workloads: Sequence[WorkloadTime]) -> Iterator[tuple[str, str | None, float]]:
    for time in workloads:
        if time.outcome is Outcome.SUCCEEDED and time.elapsed_s > 0:
            yield time.workload, None, time.elapsed_s
            for phase in time.told_apart:
                yield time.workload, phase.name, phase.elapsed_s
