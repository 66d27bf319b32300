"""The platforms a host allows: how it divides, what is refused and why."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.inventory import HostGroup
from howdah.model.plan import Candidate, Role
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.platforms.candidates import layout_of, weigh
from howdah.units import GIB
from support.hosts import host_group

YCSB = (Demand(kind="ycsb"),)
MIX = (Demand(kind="terasuite"), Demand(kind="ycsb"))
SEVEN_NODES = host_group(count=7, cores=6, memory="96GiB", disks=10)


def named(candidates: tuple[Candidate, ...], platform: str) -> Candidate:
    return next(candidate for candidate in candidates if candidate.platform == platform)


def refusals(candidates: tuple[Candidate, ...]) -> dict[str, str]:
    return {one.platform: one.judgements[0].text for one in candidates if one.verdict == "refused"}


# Table 1 of the vSphere 6 paper: CPUs or vCPUs, GiB and data disks of a worker, and its slots.
TABLE_1 = {
    "native": (40, 256.0, 20, 22),
    "1 per host": (40, 241.0, 20, 20),
    "2 per host": (20, 120.5, 10, 11),
    "4 per host": (10, 60.25, 5, 6),
    "10 per host": (4, 24.1, 2, 3),
    "20 per host": (2, 12.05, 1, 1),
}


@pytest.mark.parametrize("platform", TABLE_1)
def test_table_1(platform: str) -> None:
    vcpus, memory_gib, disks, _ = TABLE_1[platform]
    candidate = named(weigh(host_group(), PlanRequest(weigh_virtual=True)), platform)
    (worker,) = candidate.kinds
    assert worker.vcpus == vcpus
    assert round(worker.memory_bytes / GIB, 2) == memory_gib
    assert worker.data_disks == len(worker.data_dirs) == disks
    assert candidate.workers == 32 * worker.per_host
    assert worker.roles == (Role.DATANODE, Role.NODEMANAGER)


@pytest.mark.parametrize("platform", TABLE_1)
def test_slots_are_those_given(platform: str) -> None:
    slots = TABLE_1[platform][3]
    (worker,) = named(weigh(host_group(), PlanRequest(weigh_virtual=True, slots=slots)), platform).kinds
    assert (worker.map_slots, worker.reduce_slots) == (slots, slots)


def test_slots_left_to_the_rules_are_near_the_papers_and_20_to_30_for_each_host() -> None:
    candidates = weigh(host_group(), PlanRequest(weigh_virtual=True))
    chosen = {platform: named(candidates, platform).kinds[0] for platform in TABLE_1}
    assert {platform: worker.map_slots for platform, worker in chosen.items()} == {
        "native": 22,
        "1 per host": 22,
        "2 per host": 11,
        "4 per host": 6,
        "10 per host": 2,
        "20 per host": 1,
    }
    for worker in chosen.values():
        assert worker.reduce_slots == worker.map_slots
        assert 20 <= worker.per_host * worker.map_slots <= 30


def test_the_seven_nodes_have_two_small_and_two_large_workers_among_their_candidates() -> None:
    candidate = named(weigh(SEVEN_NODES, PlanRequest(weigh_virtual=True)), "2 small + 2 large per host")
    assert [(kind.name, kind.per_host, kind.data_disks, kind.vcpus) for kind in candidate.kinds] == [
        ("small", 2, 2, 5),
        ("large", 2, 3, 7),
    ]
    small, large = (kind.memory_bytes / GIB for kind in candidate.kinds)
    # The study gave them 18,400 and 27,600 MB, two to three.
    assert small == pytest.approx(18_400 / 1024, rel=0.02)
    assert large == pytest.approx(27_600 / 1024, rel=0.02)
    assert {kind.numa_nodes for kind in candidate.kinds} == {1}
    assert layout_of(candidate).workers == ("small", "small", "large", "large")


def test_disks_that_do_not_divide_over_numa_nodes_make_workers_that_differ_in_disks_only() -> None:
    candidate = named(
        weigh(host_group(cores=8, disks=13), PlanRequest(weigh_virtual=True)), "3 small + 1 large per host"
    )
    small, large = candidate.kinds
    assert (small.data_disks, large.data_disks) == (3, 4)
    assert (small.vcpus, small.memory_bytes) == (large.vcpus, large.memory_bytes)


def test_hbase_leaves_one_cores_threads_to_the_hypervisor() -> None:
    hosts = host_group(count=3, cores=6, memory="80GiB", disks=6)
    best = weigh(hosts, PlanRequest(workloads=YCSB, hypervisor=Hypervisor.VSPHERE))[0]
    (worker,) = best.kinds
    assert best.platform == "1 per host"
    assert (worker.vcpus, worker.memory_bytes, worker.data_disks) == (22, 74 * GIB, 6)
    assert (worker.map_slots, worker.reduce_slots) == (0, 0)
    assert worker.roles == (Role.DATANODE, Role.REGIONSERVER)


def test_a_mix_gives_each_kind_of_work_half_a_worker() -> None:
    alone = named(weigh(host_group(), PlanRequest(weigh_virtual=True)), "2 per host").kinds[0]
    mixed = named(weigh(host_group(), PlanRequest(weigh_virtual=True, workloads=MIX)), "2 per host").kinds[0]
    assert 0 < mixed.map_slots <= alone.map_slots / 2 + 1
    assert mixed.roles == (Role.DATANODE, Role.NODEMANAGER, Role.REGIONSERVER)


def test_what_does_not_divide_is_refused_once_for_each_reason() -> None:
    told = refusals(weigh(host_group(cores=8, disks=12, memory="128GiB"), PlanRequest(weigh_virtual=True)))
    assert set(told) == {"3, 5, 7, 9, 11 per host", "6, 12 per host"}
    assert "32 threads do not divide" in told["6, 12 per host"]
    assert "straddle" in told["3, 5, 7, 9, 11 per host"]


def test_too_little_memory_for_a_worker_is_refused() -> None:
    candidates = weigh(
        host_group(sockets=1, cores=8, disks=4, memory="16GiB"), PlanRequest(weigh_virtual=True)
    )
    assert {one.platform for one in candidates if one.verdict != "refused"} == {
        "native",
        "1 per host",
        "2 per host",
    }
    assert "less than the 6.5 GiB it needs" in refusals(candidates)["3, 4 per host"]


def test_disks_of_different_kinds_divide_each_for_itself() -> None:
    hosts = HostGroup.model_validate(
        {
            **host_group(disks=12).model_dump(mode="json", exclude_none=True),
            "disks": [
                {"count": 12, "kind": "hdd", "size": "4TB"},
                {"count": 2, "kind": "nvme", "size": "2TB"},
            ],
        }
    )
    candidates = weigh(hosts, PlanRequest(weigh_virtual=True))
    assert {one.platform for one in candidates if one.verdict != "refused"} == {
        "native",
        "1 per host",
        "2 per host",
    }
    assert "12 HDD and 2 NVME" in refusals(candidates)["4, 6, 8, 10, 12, 14 per host"]


def test_without_a_hypervisor_hosts_are_not_divided() -> None:
    native, refused = weigh(host_group(), PlanRequest(hypervisor=Hypervisor.NONE))
    assert (native.platform, native.verdict) == ("native", "recommended")
    assert (refused.platform, refused.verdict, refused.kinds) == ("1–20 per host", "refused", ())
    assert "--hypervisor none" in refused.judgements[0].text


@pytest.mark.parametrize("hypervisor", [Hypervisor.VSPHERE, Hypervisor.KVM])
@pytest.mark.parametrize("workloads", [YCSB, MIX, PlanRequest().workloads])
def test_with_a_hypervisor_native_is_shown_but_last(
    hypervisor: Hypervisor, workloads: tuple[Demand, ...]
) -> None:
    candidates = weigh(host_group(), PlanRequest(hypervisor=hypervisor, workloads=workloads))
    possible = [one.platform for one in candidates if one.verdict != "refused"]
    assert possible[-1] == "native"
    assert len(possible) > 1


@pytest.mark.parametrize("disks", [1, 7, 12, 13, 20, 24, 36, 48, 60])
@pytest.mark.parametrize("sockets", [1, 2, 4])
def test_the_table_stays_short(disks: int, sockets: int) -> None:
    hosts = host_group(sockets=sockets, cores=24, memory="1024GiB", disks=disks)
    assert len(weigh(hosts, PlanRequest(weigh_virtual=True))) <= 16


def test_threads_are_over_committed_only_where_that_is_asked_for() -> None:
    hosts = host_group(cores=8, disks=12)
    asked = PlanRequest(overcommit=True, workers_per_host=6)
    (worker,) = weigh(hosts, asked)[0].kinds
    assert worker.vcpus == 6  # 16 threads for 3 workers of a NUMA node, rounded up
    with pytest.raises(UserError, match="32 threads do not divide"):
        weigh(hosts, PlanRequest(workers_per_host=6))


def test_single_replicas_and_over_commitment_give_one_core_workers_a_third_vcpu() -> None:
    single = PlanRequest(weigh_virtual=True, overcommit=True, replication=1)
    assert named(weigh(host_group(), single), "20 per host").kinds[0].vcpus == 3
    triple = PlanRequest(weigh_virtual=True, overcommit=True, replication=3)
    assert named(weigh(host_group(), triple), "20 per host").kinds[0].vcpus == 2


def test_sub_numa_nodes_are_what_a_worker_fits() -> None:
    hosts = host_group(cores=64, memory="1TiB", disks=16, kind="nvme", numa=4)
    spans = {
        one.platform: one.kinds[0].numa_nodes
        for one in weigh(hosts, PlanRequest(weigh_virtual=True))
        if one.kinds
    }
    assert spans == {
        "native": 8,
        "1 per host": 8,
        "2 per host": 4,
        "4 per host": 2,
        "8 per host": 1,
        "16 per host": 1,
    }
