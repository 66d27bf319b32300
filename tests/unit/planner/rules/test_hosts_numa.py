"""NUMA nodes of hosts that are not divided: what binds containers, and what stops a NodeManager."""

from __future__ import annotations

import pytest

from howdah.model.existing import ExistingSystem, FoundConfig, FoundProperty
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import ClusterPlan, Value
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile
from howdah.planner.cluster import plan_cluster
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Inspection
from howdah.planner.rules.hosts import AWARE, NODE_IDS, READ_TOPOLOGY
from support.facts import rules_of
from support.hosts import host_group

NATIVE = PlanRequest()
EXECUTOR = "yarn.nodemanager.container-executor.class"
LINUX = "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor"


def planned(request: PlanRequest = NATIVE, hosts: HostGroup | None = None) -> ClusterPlan:
    return plan_cluster(Inventory(cluster="c", groups=(hosts or host_group(count=12),)), request)


def decided(plan: ClusterPlan) -> dict[str, Value]:
    return {one.key: one.value for one in plan.settings if "numa-awareness" in one.key}


def test_native_hosts_with_several_nodes_bind_containers() -> None:
    plan = planned()
    assert plan.platform == "native"
    assert decided(plan) == {AWARE: True, READ_TOPOLOGY: True}
    (advice,) = (one.text for one in plan.cluster.advice if one.rule == "numa.daemons")
    assert "Install numactl on every worker" in advice
    assert "RegionServer" not in advice


@pytest.mark.parametrize(
    ("request_", "hosts"),
    [
        (NATIVE, host_group(count=12, sockets=1)),
        (PlanRequest(hadoop="3.3.6"), None),
        (PlanRequest(hypervisor=Hypervisor.VSPHERE, workers_per_host=1), None),
        (PlanRequest(profile=Profile.PAPER), None),
        (PlanRequest(workloads=(Demand(kind="ycsb"),)), None),
    ],
    ids=["one-node", "default executor before 3.4", "virtual", "paper", "hbase"],
)
def test_elsewhere_nothing_is_said_of_nodes(request_: PlanRequest, hosts: HostGroup | None) -> None:
    assert decided(planned(request_, hosts)) == {}


def test_a_regionserver_beside_mapreduce_is_told_of_heaps_over_nodes() -> None:
    plan = planned(PlanRequest(workloads=(Demand(kind="terasuite"), Demand(kind="ycsb"))))
    (advice,) = (one.text for one in plan.cluster.advice if one.rule == "numa.daemons")
    assert "-XX:+UseNUMA" in advice


def seen(rule_id: str = "numa.nodes-known", release: str = "3.5.0", **properties: str) -> list[Observation]:
    (rule,) = (rule for rule in rules_of("numa") if isinstance(rule, Inspection) and rule.id == rule_id)
    keys = {"enabled": AWARE, "read": READ_TOPOLOGY, "ids": NODE_IDS, "executor": EXECUTOR}
    found = tuple(
        FoundProperty(name=keys[name], text=text, file="yarn-site.xml", line=1)
        for name, text in properties.items()
    )
    config = FoundConfig(folder="conf", properties=found, files=("yarn-site.xml",))
    return list(
        rule.inspect(Inspected(ExistingSystem(config=config)), Facts(request=PlanRequest(hadoop=release)))
    )


def test_nodes_that_are_neither_read_nor_listed_are_found() -> None:
    (one,) = seen(enabled="true")
    assert one.ok is False
    assert one.about == AWARE
    assert [one.ok for one in seen(enabled="true", read="true")] == [True]
    assert [one.ok for one in seen(enabled="true", ids="0,1")] == [True]
    assert seen(enabled="false") == []


@pytest.mark.parametrize(
    ("release", "executor", "well"),
    [("3.3.6", "", False), ("3.3.6", LINUX, True), ("3.4.2", "", True), ("3.5.0", LINUX, True)],
)
def test_before_3_4_the_secure_executor_alone_binds(release: str, executor: str, well: bool) -> None:
    given = {"executor": executor} if executor else {}
    (one,) = seen("numa.executor", release, enabled="true", **given)
    assert one.ok is well


def test_a_secure_cluster_of_3_3_binds_its_containers() -> None:
    plan = planned(PlanRequest(hadoop="3.3.6", secure=True, realm="EXAMPLE.COM"))
    assert decided(plan)[AWARE] is True
