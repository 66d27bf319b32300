"""The flags of a run that ask for replicas."""

from __future__ import annotations

from howdah.model.workload import WorkloadKind


def replication_flag(kind: str) -> str:
    """The flag that says how many replicas a workload of this kind writes."""
    return "--output-replication" if kind == WorkloadKind.TERASORT else "--replication"
