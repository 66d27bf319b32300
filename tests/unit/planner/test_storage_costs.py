"""Replicas and erasure coding compared on plans: what they cost, what they survive, which is recommended."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.plan import ClusterPlan
from howdah.model.request import CodedDirectory, Demand, Hypervisor, PlanRequest
from howdah.model.storage_policy import PolicyCost, StoredData
from howdah.planner.cluster import plan_cluster, without_hosts
from howdah.planner.host_moves import Loss
from howdah.planner.storage_costs import compare_storage
from howdah.units import GIB, MIB
from support.clusters import host_group, inventory

TB = 10**12


def a_plan(
    hosts: int = 32, racks: int = 4, *, workers: int | None = None, coded: tuple[CodedDirectory, ...] = ()
) -> ClusterPlan:
    per_rack = hosts // max(1, racks)
    groups = [
        host_group(f"w{rack}", per_rack, racks=(f"r{rack}",) if racks > 1 else ()) for rack in range(racks)
    ]
    return plan_cluster(
        inventory(*groups),
        PlanRequest(
            coded=coded,
            workers_per_host=workers,
            hypervisor=Hypervisor.KVM if workers else None,
            workloads=(Demand(kind="mapreduce"),),
        ),
    )


def costs(
    plan: ClusterPlan, size: int = GIB, age: float | None = None, data_bytes: int = 20 * TB
) -> dict[str, PolicyCost]:
    data = StoredData(data_bytes=data_bytes, file_bytes=size, age_days=age, reads_per_month=1.0)
    return {cost.policy: cost for cost in compare_storage(plan, data).policies}


def test_cold_large_files_on_enough_racks_are_coded_by_the_cheapest_safe_policy() -> None:
    told = costs(a_plan(), age=180)
    assert told["RS-10-4-1024k"].verdict == "recommended"
    assert told["RS-10-4-1024k"].raw_bytes == pytest.approx(1.4 * 20 * TB, rel=0.01)
    assert told["RS-10-4-1024k"].survives_rack is True
    assert told["RS-10-4-1024k"].hosts_lost == 4
    assert told["RS-6-3-1024k"].verdict == "possible"
    assert told["XOR-2-1-1024k"].survives_rack is True


def test_a_rack_may_not_hold_more_units_than_can_be_lost() -> None:
    told = costs(a_plan(32, 2), age=180)
    assert told["RS-6-3-1024k"].verdict == "unsafe"
    assert told["RS-6-3-1024k"].reasons[0] == (
        "loses data with a rack: 5 of its 9 units are on one rack; it needs 3 racks, and there are 2"
    )
    assert told["3 replicas"].verdict == "recommended"


def test_racks_count_by_their_hosts_with_workers() -> None:
    sizes = {"r1": 10, "r2": 10, "r3": 1}
    groups = [host_group(f"w-{rack}", count, racks=(rack,)) for rack, count in sizes.items()]
    request = PlanRequest(workloads=(Demand(kind="mapreduce"),))
    cost = costs(plan_cluster(inventory(*groups), request), age=180)["RS-6-3-1024k"]
    assert cost.survives_rack is False
    assert cost.reasons[0] == (
        "loses data with a rack: 4 of its 9 units are on one rack, because the smallest of the 3 racks "
        "has 1 host with workers"
    )
    masters = host_group("m", 1, serves="masters", racks=("r3",))
    plan = plan_cluster(inventory(*groups[:2], masters), request)
    assert costs(plan, age=180)["RS-6-3-1024k"].survives_rack is False
    domains = next(advice for advice in plan.cluster.advice if advice.rule == "capacity.erasure-domains")
    assert "HDFS spreads units over the 2 racks" in domains.text
    assert "RS-3-2-1024k loses data with a rack" in domains.text


def test_a_policy_needs_as_many_datanodes_as_units() -> None:
    told = costs(a_plan(12, 4))
    assert told["RS-10-4-1024k"].verdict == "impossible"
    datanodes = compare_storage(a_plan(12, 4), StoredData(data_bytes=TB, file_bytes=GIB)).workers
    assert told["RS-10-4-1024k"].reasons[0] == f"needs 14 DataNodes; there are {datanodes}"


def test_workers_that_share_a_host_may_lose_a_group_together() -> None:
    told = costs(a_plan(4, 1, workers=4), data_bytes=TB)
    assert told["RS-6-3-1024k"].verdict == "unsafe"
    assert "loses data with a host" in told["RS-6-3-1024k"].reasons[0]
    # Replicas are kept apart by node groups or upgrade domains.
    assert told["3 replicas"].verdict == "recommended"


def test_small_files_and_young_data_keep_replicas() -> None:
    small = costs(a_plan(), MIB, age=180)
    assert small["3 replicas"].verdict == "recommended"
    assert small["RS-6-3-1024k"].raw_per_byte == 4
    assert any("as many as replicas" in reason for reason in small["RS-6-3-1024k"].reasons)
    young = costs(a_plan(), age=2)
    assert young["3 replicas"].verdict == "recommended"
    assert any(reason.startswith("hot:") for reason in young["RS-6-3-1024k"].reasons)


def test_a_lost_unit_is_read_from_as_many_others_as_there_are_data_units() -> None:
    told = costs(a_plan())
    for policy, times in (
        ("3 replicas", 1),
        ("RS-6-3-1024k", 6),
        ("RS-10-4-1024k", 10),
        ("XOR-2-1-1024k", 2),
    ):
        rebuild, drain = told[policy].rebuild, told[policy].drain
        assert rebuild.network_bytes == pytest.approx(times * rebuild.lost_bytes, rel=1e-6)
        assert drain.network_bytes == drain.lost_bytes
        assert drain.core_s == 0
        assert (rebuild.core_s > 0) == (policy != "3 replicas")
    # One host is read while it is drained, all others while a lost one is rebuilt.
    assert told["RS-6-3-1024k"].drain.elapsed_s > told["3 replicas"].drain.elapsed_s


def test_a_worker_on_an_idle_cluster_is_rebuilt_sooner_than_a_host_while_jobs_run() -> None:
    plan = a_plan(32, 4, workers=2)
    data = StoredData(data_bytes=20 * TB, file_bytes=GIB)
    host = compare_storage(plan, data).policies
    worker = compare_storage(plan, data, Loss("worker", 1.0)).policies
    for one, other in zip(host, worker, strict=True):
        assert other.rebuild.lost_bytes == pytest.approx(one.rebuild.lost_bytes / 2, rel=0.05)
        assert other.rebuild.elapsed_s < one.rebuild.elapsed_s


def test_more_hosts_rebuild_a_host_of_the_same_size_sooner() -> None:
    few, many = (
        compare_storage(a_plan(hosts, 4), StoredData(data_bytes=hosts * TB, file_bytes=GIB)).policies
        for hosts in (16, 64)
    )
    for one, other in zip(few, many, strict=True):
        if one.verdict != "impossible":
            assert other.rebuild.elapsed_s < one.rebuild.elapsed_s


def test_a_plan_refuses_a_directory_that_it_cannot_code() -> None:
    with pytest.raises(UserError, match="needs 14 DataNodes") as caught:
        a_plan(8, 1, coded=(CodedDirectory(path="/archive", policy="RS-10-4-1024k"),))
    assert caught.value.where == "--erasure-coding /archive=RS-10-4-1024k"
    assert "RS-3-2-1024k" in caught.value.hint
    kept = CodedDirectory(path="/hbase/archive", policy="RS-3-2-1024k")
    with pytest.raises(UserError, match="/hbase needs replicas"):
        plan_cluster(inventory(), PlanRequest(coded=(kept,), workloads=(Demand(kind="ycsb"),)))


def test_a_plan_advises_about_coded_directories_and_keeps_their_hosts() -> None:
    coded = (CodedDirectory(path="/archive", policy="RS-6-3-1024k"),)
    plan = a_plan(12, 2, coded=coded)
    told = [advice for advice in plan.cluster.advice if advice.rule == "capacity.coded-losses"]
    assert [advice.severity for advice in told] == ["must"]
    assert "/archive (RS-6-3-1024k): loses data with a rack" in told[0].text
    hosts = [host for group in plan.cluster.inventory.groups for host in group.names]
    masters = {master.host for master in plan.cluster.masters}
    free = [host for host in hosts if host not in masters]
    with pytest.raises(UserError, match="RS-6-3-1024k of /archive needs 9"):
        without_hosts(plan, free[:-4])
