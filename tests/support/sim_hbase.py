"""Planned HBase clusters to simulate, and what is asked of them."""

from __future__ import annotations

from functools import cache

from howdah.documents.files import read_inventory
from howdah.model.plan import ClusterPlan, Setting
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.model.tables import RunData
from howdah.planner.cluster import plan_cluster
from support.sim_plans import EXAMPLES, suite_on
from support.sim_runs import sim_job, simulated


@cache
def hbase_plan(workers_per_host: int = 0, records: int = 1_000_000) -> ClusterPlan:
    """The three hosts of the study of HBase: so many virtual machines on each, or none."""
    request = PlanRequest(
        workloads=(Demand(kind="ycsb", records=records),),
        hypervisor=Hypervisor.VSPHERE if workers_per_host else Hypervisor.NONE,
        workers_per_host=workers_per_host or None,
    )
    return plan_cluster(read_inventory(EXAMPLES / "hosts-hbase.yaml"), request)


def with_setting(plan: ClusterPlan, key: str, value: str | int) -> ClusterPlan:
    """The plan with another value of a property, on all workers."""
    others = [one for one in plan.settings if one.key != key]
    given = Setting(key=key, value=value, reason="a test's", source="command line", origin="user")
    return plan.model_copy(update={"settings": (*others, given)})


def asked_of(plan: ClusterPlan, suite: str = "ycsb-a", seed: int = 7, **asked: object) -> RunData:
    """What the simulator makes of a suite, on few operations unless more are asked for."""
    wanted = {"operations": 20_000, **asked} if suite != "ycsb-load" else asked
    return simulated(sim_job(plan, suite_on(plan, suite, **wanted), seed=seed))


def throughput(data: RunData) -> float:
    """Operations in a second of the last workload."""
    metric = data.record.workloads[-1].primary
    assert metric is not None
    return metric.value
