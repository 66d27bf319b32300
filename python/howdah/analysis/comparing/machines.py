"""What the machines of a run did in its workloads and phases, no byte and no CPU counted twice."""

from __future__ import annotations

from typing import NamedTuple

from howdah.analysis.disks import cluster_disks, data_disks
from howdah.analysis.evidence import OthersUse, StretchUse, WorkloadTime
from howdah.analysis.machines import counted, machines_of, on_cluster
from howdah.analysis.others import others_uses
from howdah.analysis.timeline import Timeline
from howdah.analysis.use import uses
from howdah.model.tables import RunData


class Seen(NamedTuple):
    """What was sampled: all tracks, the use of every workload and phase, and what others used meanwhile."""

    timeline: Timeline
    uses: tuple[StretchUse, ...]
    others: tuple[OthersUse, ...]


def seen_in(run: RunData, times: tuple[WorkloadTime, ...]) -> Seen:
    """All that the run's samples tell of its workloads."""
    timeline = Timeline(run.samples)
    uses = _counted_uses(run, timeline, times)
    return Seen(timeline, uses, others_uses(run.record, timeline, uses))


def _counted_uses(
    run: RunData, timeline: Timeline, times: tuple[WorkloadTime, ...]
) -> tuple[StretchUse, ...]:
    """Resource use of every workload and phase that was sampled."""
    machines = machines_of(run, timeline)
    disks = None if on_cluster(run.record) else data_disks(run.record)
    if disks is None:
        with_disks = counted(machines, timeline, "disk")
        disks = cluster_disks(
            run.record, [disk for name in with_disks for disk in timeline.instances(name, "disk")]
        )
    return uses(timeline, machines, times, disks)
