"""What the machines of a run did in its workloads and phases, no byte and no CPU counted twice."""

from __future__ import annotations

from howdah.analysis.disks import cluster_disks, data_disks
from howdah.analysis.evidence import StretchUse, WorkloadTime
from howdah.analysis.machines import counted, machines_of, on_cluster
from howdah.analysis.timeline import Timeline
from howdah.analysis.use import uses
from howdah.model.tables import RunData


def counted_uses(run: RunData, timeline: Timeline, times: tuple[WorkloadTime, ...]) -> tuple[StretchUse, ...]:
    """Resource use of every workload and phase that was sampled."""
    machines = machines_of(run, timeline)
    disks = None if on_cluster(run.record) else data_disks(run.record)
    if disks is None:
        with_disks = counted(machines, timeline, "disk")
        disks = cluster_disks(
            run.record, [disk for name in with_disks for disk in timeline.instances(name, "disk")]
        )
    return uses(timeline, machines, times, disks)
