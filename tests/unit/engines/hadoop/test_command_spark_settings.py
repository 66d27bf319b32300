"""Which of Spark's properties a user may set, and what becomes of Hadoop's."""

from __future__ import annotations

import pytest

from howdah.engines.hadoop.command import check_executors, check_settings
from howdah.engines.hadoop.spark_command import executor_properties
from howdah.errors import UserError
from howdah.model.workloads.spark import DeployMode, ExecutorAllocation, SparkTeraSort
from howdah.model.workloads.suite import Suite
from howdah.services.resourcemanager import Node


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.sql.adaptive.enabled", "false"),
        ("spark.yarn.appMasterEnv.JAVA_HOME", "/usr/lib/jvm/java-17"),
        ("spark.shuffle.compress", "true"),
        ("spark.hadoop.dfs.replication", "2"),
    ],
)
def test_settings_of_spark_are_the_users(key: str, value: str) -> None:
    check_settings({key: value})


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("spark.executor.memory", "4g", "has its own flag"),
        ("spark.yarn.tags", "mine", "reserved for howdah"),
        ("spark.eventLog.enabled", "false", "reserved for howdah"),
        ("spark.sql.adaptive.enable", "true", "no code of Spark"),
        ("spark.shuffle.compress", "maybe", "is neither true nor false"),
    ],
)
def test_settings_that_are_refused(key: str, value: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        check_settings({key: value})


def test_executors_that_no_node_has_room_for() -> None:
    node = Node(id="h1:8041", host="h1", state="RUNNING", rack="/r", available_memory_mib=2048)
    fits, large = (
        Suite(name="spark-terasort", workloads=(SparkTeraSort(executor_bytes=size),))
        for size in (1600 * 2**20, 2 * 2**30)
    )
    check_executors(fits, [node])
    with pytest.raises(UserError, match=r"a heap of 2 GiB needs 2\.4 GiB with its overhead") as error:
        check_executors(large, [node])
    assert error.value.where == "--executor-memory"


def test_executors_are_fixed_unless_they_are_to_follow_the_tasks() -> None:
    workload = SparkTeraSort(
        executors=4, executor_cores=2, executor_bytes=2**30, partitions=16, deploy_mode=DeployMode.CLUSTER
    )
    fixed = executor_properties(workload)
    assert fixed["spark.executor.instances"] == "4"
    assert fixed["spark.executor.memory"] == "1024m"
    assert fixed["spark.submit.deployMode"] == "cluster"
    assert fixed["spark.dynamicAllocation.enabled"] == "false"
    dynamic = executor_properties(workload.model_copy(update={"allocation": ExecutorAllocation.DYNAMIC}))
    assert "spark.executor.instances" not in dynamic
    assert dynamic["spark.dynamicAllocation.maxExecutors"] == "4"
    assert dynamic["spark.dynamicAllocation.shuffleTracking.enabled"] == "true"
