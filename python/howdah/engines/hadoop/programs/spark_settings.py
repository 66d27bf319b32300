"""Spark's properties in ``--set``: which a user may give, and which howdah needs itself."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.errors import UserError
from howdah.model.workloads.spark import EXECUTOR_MEMORY, executor_container_bytes
from howdah.model.workloads.suite import Suite
from howdah.releases.catalogue import DEFAULT_SPARK, intended_spark_key, spark_keys
from howdah.services.resourcemanager import Node
from howdah.units import MIB, format_memory

SPARK_PREFIX = "spark."
HADOOP_PREFIX = "spark.hadoop."
"""Before a property of Hadoop, for Spark to pass it on."""
_FLAGS = {
    "spark.default.parallelism": "--partitions",
    "spark.dynamicAllocation.enabled": "--allocation",
    "spark.executor.cores": "--executor-cores",
    "spark.executor.instances": "--executors",
    "spark.executor.memory": "--executor-memory",
    "spark.sql.shuffle.partitions": "--partitions",
    "spark.submit.deployMode": "--deploy-mode",
    "spark.yarn.queue": "--queue",
}
_OWN = {
    "spark.app.name": "identifies the program",
    "spark.eventLog.dir": "keeps what applications write in the run's directory",
    "spark.eventLog.enabled": "must be true, because the report is made from the event log",
    "spark.jars": "holds howdah's programs",
    "spark.master": "must be yarn",
    "spark.yarn.stagingDir": "keeps what applications write in the run's directory",
    "spark.yarn.tags": "identifies the run's applications",
}


def check_executors(suite: Suite, nodes: Sequence[Node]) -> None:
    """Raise UserError for executors that are larger than any node: YARN would refuse them after a while."""
    largest_bytes = max((node.used_memory_mib + node.available_memory_mib) * MIB for node in nodes)
    for workload in suite.workloads:
        heap = EXECUTOR_MEMORY.of(workload)
        if heap is None or executor_container_bytes(heap) <= largest_bytes:
            continue
        raise UserError(
            EXECUTOR_MEMORY.flag,
            f"a heap of {format_memory(heap)} needs {format_memory(executor_container_bytes(heap))} with its "
            f"overhead; the largest NodeManager has {format_memory(largest_bytes)}",
            "give less",
        )


def check_spark_setting(key: str, value: str) -> None:
    """Raise UserError for a property of Spark that is not the user's, misspelt, or of a wrong kind."""
    if key in _FLAGS:
        raise UserError(f"--set {key}", "has its own flag", f"write {_FLAGS[key]}")
    if key in _OWN:
        raise UserError(f"--set {key}", f"is reserved for howdah: it {_OWN[key]}", "leave it out")
    entry = spark_keys().get(key)
    if entry is None:
        if meant := intended_spark_key(key):
            raise UserError(
                f"--set {key}", f"no code of Spark {DEFAULT_SPARK} reads this key", f"did you mean {meant}?"
            )
        return
    if misfit := entry.misfit(value):
        raise UserError(f"--set {key}", f"{value!r} {misfit}", f"the default is {entry.default!r}")
