"""What the NameNode had copied for DataNodes that were lost."""

from __future__ import annotations

from howdah.analysis.evidence import WorkloadTime
from howdah.model.cluster import ReplicaSpread
from howdah.model.run import RunRecord


def copied_bytes(record: RunRecord, time: WorkloadTime) -> float:
    """The most that may have been copied during a workload: what DataNodes lost meanwhile held of the run's.

    Of what was written before, fsck has counted it; of what was being written it is one part of many.
    """
    lost = {
        event.worker
        for event in record.events
        if event.kind == "datanode-lost" and time.start_s <= event.time_s <= time.end_s
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


def _replica_bytes(spread: ReplicaSpread) -> float:
    """The mean size of a replica."""
    return spread.bytes / spread.blocks
