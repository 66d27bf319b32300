"""The exam: the clusters of the papers, planned from their hardware alone."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.model.placement import placed_hosts, placed_workers
from howdah.model.plan import Candidate, Cluster, ClusterPlan, Role, Setting, Value
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile, Protection
from howdah.planner.cluster import plan_cluster
from howdah.units import GIB, MIB

EXAMPLES = Path(__file__).parents[3] / "examples"
THIRTY_TB = (Demand(kind="terasuite", dataset_bytes=30 * 10**12),)

# Table 1 of the vSphere 6 paper: workers per host -> workers, vCPUs, GiB, disks, slots, map tasks at 30 TB.
TABLE_1 = {
    "native": (31, 40, 256.0, 20, 22, 111_848),
    "1 per host": (31, 40, 241.0, 20, 20, 112_220),
    "2 per host": (62, 20, 120.5, 10, 11, 111_848),
    "4 per host": (126, 10, 60.25, 5, 6, 111_888),
    "10 per host": (318, 4, 24.1, 2, 3, 112_572),
    "20 per host": (636, 2, 12.05, 1, 1, 111_936),
}
PER_HOST = {
    "native": None,
    "1 per host": 1,
    "2 per host": 2,
    "4 per host": 4,
    "10 per host": 10,
    "20 per host": 20,
}


def planned(example: str, request: PlanRequest) -> tuple[ClusterPlan, Cluster]:
    plan = plan_cluster(read_inventory(EXAMPLES / f"hosts-{example}.yaml"), request)
    return plan, plan.cluster


def named(cluster: Cluster, platform: str) -> Candidate:
    return next(candidate for candidate in cluster.candidates if candidate.platform == platform)


def setting(plan: ClusterPlan, key: str) -> Setting:
    return next(one for one in plan.settings if one.key == key)


def value(plan: ClusterPlan, key: str) -> Value:
    return setting(plan, key).value


@pytest.mark.parametrize("platform", TABLE_1)
def test_the_platforms_of_table_1(platform: str) -> None:
    workers, vcpus, memory_gib, disks, _, _ = TABLE_1[platform]
    _, cluster = planned("32", PlanRequest(workloads=THIRTY_TB, weigh_virtual=True))
    candidate = named(cluster, platform)
    (kind,) = candidate.kinds
    assert candidate.workers == workers
    assert kind.vcpus == vcpus
    assert kind.memory_bytes == pytest.approx(memory_gib * GIB, abs=MIB)
    assert kind.data_disks == disks


@pytest.mark.parametrize("platform", TABLE_1)
def test_each_platform_planned_for_itself_has_its_workers_and_the_papers_map_tasks(platform: str) -> None:
    workers, _, _, _, slots, tasks = TABLE_1[platform]
    request = PlanRequest(
        workloads=THIRTY_TB,
        hypervisor=Hypervisor.NONE if platform == "native" else Hypervisor.VSPHERE,
        workers_per_host=PER_HOST[platform],
        slots=slots,
    )
    plan, cluster = planned("32", request)
    assert cluster.layouts[0].platform == platform
    assert len(list(placed_workers(cluster))) == workers
    (kind,) = plan.workers
    assert (kind.map_slots, kind.reduce_slots) == (slots, slots)
    # One input file for each map slot of the cluster, each of so many whole blocks (RULES 64a).
    files = workers * slots
    blocks = math.ceil(30 * 10**12 / files / int(str(value(plan, "dfs.blocksize"))))
    assert files * blocks == tasks


def test_where_virtual_machines_are_weighed_four_per_host_come_first_with_20_to_30_tasks_of_each_kind() -> (
    None
):
    plan, cluster = planned("32", PlanRequest(workloads=THIRTY_TB, hypervisor=Hypervisor.VSPHERE))
    assert plan.platform == "4 per host"
    assert cluster.candidates[0].verdict == "recommended"
    (kind,) = plan.workers
    assert 20 <= 4 * kind.map_slots <= 30
    assert 20 <= 4 * kind.reduce_slots <= 30
    assert value(plan, "dfs.blocksize") == 256 * MIB
    assert value(plan, "dfs.replication") == 3


def test_the_seven_nodes_have_the_mixed_platform_among_their_candidates() -> None:
    _, cluster = planned("7", PlanRequest(hypervisor=Hypervisor.VSPHERE))
    mixed = named(cluster, "2 small + 2 large per host")
    assert [(kind.per_host, kind.data_disks, kind.vcpus) for kind in mixed.kinds] == [(2, 2, 5), (2, 3, 7)]


def test_fault_tolerance_leaves_92_workers_and_two_half_used_hosts() -> None:
    _, cluster = planned(
        "ft", PlanRequest(hypervisor=Hypervisor.VSPHERE, protection=Protection.FT, workers_per_host=4)
    )
    assert len(list(placed_workers(cluster))) == 92
    hosts = [host for host in placed_hosts(cluster) if host.masters or host.shadows]
    assert [len(host.workers) for host in hosts] == [2, 2]
    assert [len(host.masters) for host in hosts] == [2, 0]
    assert [len(host.shadows) for host in hosts] == [0, 2]


def test_hbase_hosts_carry_one_worker_each_with_a_core_left_to_the_hypervisor() -> None:
    request = PlanRequest(
        workloads=(Demand(kind="ycsb", records=300_000_000),), hypervisor=Hypervisor.VSPHERE
    )
    plan, cluster = planned("hbase", request)
    (kind,) = plan.workers
    assert cluster.layouts[0].workers == (kind.name,)
    assert kind.vcpus == 22
    assert kind.memory_bytes / GIB == pytest.approx(74, abs=1)
    assert kind.data_disks == 6
    assert Role.REGIONSERVER in kind.roles
    assert len(list(placed_workers(cluster))) == 3
    told = " ".join([*(one.text for one in cluster.advice), *(one.reason for one in plan.settings)])
    assert "vSphere 8" in told


# AMAX's list (RULES 138) in today's names.
AMAX = {
    "dfs.blocksize": 128 * MIB,
    "dfs.replication": 3,
    "dfs.namenode.handler.count": 10,
    "mapreduce.job.reduce.slowstart.completedmaps": 0.5,
    "mapreduce.task.io.sort.mb": 256,
    "mapreduce.task.io.sort.factor": 32,
    "mapreduce.map.java.opts": "-Xmx1024m",
    "nofile": 16384,
    "nproc": 4096,
}


@pytest.mark.parametrize("key", AMAX)
def test_every_parameter_of_amax_is_decided_with_a_reason(key: str) -> None:
    plan, _ = planned("amax", PlanRequest())
    decided = setting(plan, key)
    assert decided.reason
    if decided.value != AMAX[key]:
        assert decided.rule
        assert decided.source


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("hypervisor", [None, *Hypervisor])
@pytest.mark.parametrize("example", ["32", "7", "ft", "hbase", "amax", "nvme", "mixed"])
def test_every_value_of_every_plan_carries_its_rule_and_reason(
    example: str, hypervisor: Hypervisor | None, profile: Profile
) -> None:
    plan, cluster = planned(example, PlanRequest(hypervisor=hypervisor, profile=profile))
    for decided in plan.settings:
        assert decided.rule, decided.key
        assert decided.reason, decided.key
        assert decided.source, decided.key
    spoken = Counter((one.key, one.file, one.worker, one.group) for one in plan.settings)
    assert {key: count for key, count in spoken.items() if count > 1} == {}
    names = [worker.name for worker in placed_workers(cluster)]
    assert len(set(names)) == len(names)
