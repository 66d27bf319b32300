"""Runs on a lab or a cluster of this machine, which a local run is the floor of."""

from __future__ import annotations

from howdah.model.cluster import ClusterState, Laboratory
from howdah.model.run import RunRecord

LAB = Laboratory(name="lab", rootless=False, isolation=())


def on_cluster(record: RunRecord, *workers: str, lab: Laboratory | None = None) -> RunRecord:
    """The same run, made on a cluster of these machines."""
    cluster = ClusterState(
        hadoop_version="3.5.0",
        client_version="3.5.0",
        default_fs="hdfs://m:8020",
        work_dir="/user/me/howdah",
        free_bytes=10**12,
        capacity_bytes=10**12,
        datanodes=workers,
        nodemanagers=workers,
        queue="default",
        lab=lab,
    )
    return record.model_copy(update={"id": f"{record.id}-hadoop", "engine": "hadoop", "cluster": cluster})
