"""What the NameNode had copied for DataNodes that were lost."""

from __future__ import annotations

from howdah.analysis.evidence import WorkloadTime
from howdah.model.cluster import Event, ReplicaSpread
from howdah.model.run import RunRecord


def copied_bytes(record: RunRecord, time: WorkloadTime) -> float:
    """The most that may have been copied during a workload: what DataNodes given up then held of the run's.

    Of what was written before, fsck has counted it; of what was being written it is one part of many.
    """
    lost = {
        event.worker
        for event in record.events
        if _declared_dead(event) and time.start_s <= event.time_s <= time.end_s
    }
    copied = 0.0
    for index, result in enumerate(record.workloads[: time.index + 1]):
        spread = result.replicas
        if spread is None or not spread.blocks or not spread.per_worker:
            continue
        for worker in lost:
            if index < time.index:
                copied += _replica_bytes(spread) * spread.per_worker.get(worker, 0)
            else:
                copied += _replica_bytes(spread) * spread.replicas / len(spread.per_worker)
    return copied


def _declared_dead(event: Event) -> bool:
    """Whether the NameNode gave up a DataNode: until then nothing is copied for it."""
    # Older records have no word of their own for it.
    return event.kind == "datanode-given-up" or (event.kind == "datanode-lost" and "declares" in event.text)


def _replica_bytes(spread: ReplicaSpread) -> float:
    """The mean size of a replica."""
    return spread.bytes / spread.blocks
