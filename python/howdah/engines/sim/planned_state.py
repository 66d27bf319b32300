"""The simulated cluster, told of as one that was found: everything that was planned is there and empty."""

from __future__ import annotations

from howdah.model.cluster import ClusterState
from howdah.model.plan import Plan
from howdah.model.value import planned_text
from howdah.simulation.room import capacity_bytes
from howdah.simulation.translate import Translated


def planned_state(plan: Plan, translated: Translated) -> ClusterState | None:
    """The cluster as it is before anything runs on it."""
    if plan.cluster is None:
        return None
    request, capacity = plan.cluster.request, capacity_bytes(translated.scenario.hosts)
    return ClusterState(
        hadoop_version=request.hadoop,
        client_version=request.hadoop,
        default_fs=planned_text(plan, "fs.defaultFS"),
        work_dir="/",
        secure=request.secure,
        free_bytes=capacity,
        capacity_bytes=capacity,
        datanodes=translated.machines.workers,
        nodemanagers=translated.machines.workers,
        queue="default",
    )
