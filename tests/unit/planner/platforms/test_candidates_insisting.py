"""What a user insists on, and hosts that cannot be planned for."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.inventory import HostGroup
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.platforms.candidates import layout_of, weigh
from support.hosts import host_group

YCSB = (Demand(kind="ycsb"),)


def refused(hosts: HostGroup, request: PlanRequest) -> UserError:
    with pytest.raises(UserError) as caught:
        weigh(hosts, request)
    return caught.value


@pytest.mark.parametrize("per_host", [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20])
def test_workers_per_host_are_kept_where_they_are_possible(per_host: int) -> None:
    candidates = weigh(host_group(), PlanRequest(workers_per_host=per_host))
    assert len(layout_of(candidates[0]).workers) == per_host
    assert [one.verdict for one in candidates].count("recommended") == 1
    assert candidates[0].verdict == "recommended"


def test_impossible_workers_per_host_name_the_flag_the_reason_and_what_is_possible() -> None:
    error = refused(host_group(), PlanRequest(workers_per_host=3))
    assert error.where == "--workers-per-host 3"
    assert "'workers'" in error.what
    assert "straddle" in error.what
    assert error.hint == "possible: 1, 2, 4, 6, 8, 10, 20"


def test_more_workers_than_disks_are_impossible() -> None:
    assert "20 data disks: less than one each" in refused(host_group(), PlanRequest(workers_per_host=40)).what


def test_no_hypervisor_and_several_workers_contradict_each_other() -> None:
    request = PlanRequest(workers_per_host=4, hypervisor=Hypervisor.NONE)
    error = refused(host_group(), request)
    assert "--hypervisor none" in error.what
    assert error.hint == "possible: 1"


def test_one_worker_per_host_is_a_virtual_machine_where_a_hypervisor_was_named() -> None:
    request = PlanRequest(workers_per_host=1, hypervisor=Hypervisor.VSPHERE)
    assert weigh(host_group(), request)[0].platform == "1 per host"


@pytest.mark.parametrize("per_host", [0, -1])
def test_workers_per_host_are_at_least_one(per_host: int) -> None:
    assert refused(host_group(), PlanRequest(workers_per_host=per_host)).where.startswith(
        "--workers-per-host"
    )


def test_slots_make_no_sense_for_hbase_alone() -> None:
    assert refused(host_group(), PlanRequest(workloads=YCSB, slots=3)).where == "--slots"


def test_slots_are_at_least_one() -> None:
    assert refused(host_group(), PlanRequest(slots=0)).where == "--slots 0"


@pytest.mark.parametrize(
    ("hosts", "key", "what", "hint"),
    [
        (host_group(memory="4GiB"), "memory", "4 GiB is too little", "6.5 GiB"),
        (host_group(sockets=1, cores=1, threads=1), "cpu", "1 thread is too little", "2"),
        (host_group(disks=0), "disks", "no data disks", "serves: masters"),
    ],
)
def test_a_host_too_small_to_plan_for(hosts: HostGroup, key: str, what: str, hint: str) -> None:
    error = refused(hosts, PlanRequest())
    assert error.where == f"groups[workers].{key}"
    assert what in error.what
    assert hint in error.hint


def test_a_host_too_small_for_a_hypervisor_only() -> None:
    hosts = host_group(sockets=1, cores=2, memory="8GiB", disks=1)
    assert weigh(hosts, PlanRequest())[0].platform == "native"
    error = refused(hosts, PlanRequest(hypervisor=Hypervisor.KVM))
    assert error.where == "--hypervisor kvm"
    assert "6.5 GiB" in error.what
    assert "--hypervisor none" in error.hint
