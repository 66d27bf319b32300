"""Executors that fit a cluster's workers, and partitions that fit the data."""

from __future__ import annotations

import pytest

from howdah.model.inventory import Inventory
from howdah.model.placement import at_once
from howdah.model.plan import Plan
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.model.workloads.base import Workload
from howdah.model.workloads.spark import OnSpark
from howdah.planner.cluster import plan_cluster
from howdah.planner.suite.cluster import size_suite
from howdah.units import GIB, MIB
from support.labs import lab_plan
from support.plans import group
from support.requests import run_request


def sized(plan: Plan, suite: str, **given: object) -> OnSpark:
    """The program of a suite with every size decided."""
    request = run_request(suite, **given)
    workload: Workload = size_suite(request, at_once(plan), plan=plan).suite.workloads[0]
    assert isinstance(workload, OnSpark)
    return workload


@pytest.mark.parametrize("suite", ["spark-wordcount", "spark-join", "spark-kmeans", "spark-tpch"])
def test_executors_fit_next_to_an_application_master(suite: str) -> None:
    plan = lab_plan()
    workload = sized(plan, suite)
    values = {setting.key: setting.value for setting in plan.settings}
    assert workload.executors is not None
    assert workload.executor_cores is not None
    assert workload.executor_bytes is not None
    container = workload.executor_bytes + max(384 * MIB, workload.executor_bytes // 10)
    assert container <= int(str(values["yarn.nodemanager.resource.memory-mb"])) * MIB
    assert workload.executor_cores <= int(str(values["yarn.nodemanager.resource.cpu-vcores"]))
    assert 1 <= workload.executors <= 4
    assert workload.partitions is not None
    assert workload.partitions >= 2 * workload.executors * workload.executor_cores


def test_a_plan_with_spark_decides_its_executors() -> None:
    plan = plan_cluster(
        Inventory(cluster="c", groups=(group(),)),
        PlanRequest(workloads=(Demand(kind="spark"),), hypervisor=Hypervisor.NONE),
    )
    values = {setting.key: str(setting.value) for setting in plan.settings}
    workload = sized(plan, "spark-tpch")
    assert str(workload.executor_cores) == values["spark.executor.cores"]


def test_a_users_own_executors_stay() -> None:
    workload = sized(lab_plan(), "spark-tpch", executors=7, executor_memory=GIB, partitions=33)
    assert (workload.executors, workload.executor_bytes, workload.partitions) == (7, GIB, 33)


def test_large_data_have_more_partitions() -> None:
    few, many = (sized(lab_plan(), "spark-tpch", scale=scale).partitions for scale in (0.01, 1000.0))
    assert few is not None
    assert many is not None
    assert many > 10 * few
