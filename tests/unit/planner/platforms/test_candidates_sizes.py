"""The sizes of workers as settings: their reasons, their numbers, and what a user's own break."""

from __future__ import annotations

import pytest

from howdah.model.inventory import HostGroup
from howdah.model.plan import Setting
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.platforms.candidates import size_settings, weigh
from howdah.units import GIB
from support.hosts import host_group

SIZES = ["worker.vcpus", "worker.memory", "worker.data_disks", "worker.numa_nodes"]
SLOTS = ["worker.map_slots", "worker.reduce_slots"]
YCSB = (Demand(kind="ycsb"),)


def sized(hosts: HostGroup, request: PlanRequest, platform: str | None = None) -> list[Setting]:
    candidates = weigh(hosts, request)
    candidate = next(one for one in candidates if platform in (None, one.platform))
    return list(size_settings(hosts, candidate, request))


def one(settings: list[Setting], key: str, worker: str | None = None) -> Setting:
    (found,) = [setting for setting in settings if (setting.key, setting.worker) == (key, worker)]
    return found


def test_workers_all_alike_are_sized_once() -> None:
    settings = sized(host_group(), PlanRequest(hypervisor=Hypervisor.VSPHERE))
    assert [setting.key for setting in settings] == ["host.memory_held_back", *SIZES, *SLOTS]
    assert {setting.group for setting in settings} == {"workers"}
    assert one(settings, "host.memory_held_back").value == 15 * GIB
    memory = one(settings, "worker.memory")
    assert memory.value == 60 * GIB + GIB // 4
    assert "241 GiB for workers, shared by 4" in memory.reason
    assert {(given.name, given.value) for given in memory.inputs} >= {("workers on a host", 4)}


def test_a_host_that_is_the_worker_holds_nothing_back() -> None:
    settings = sized(host_group(), PlanRequest(hypervisor=Hypervisor.NONE))
    assert [setting.key for setting in settings] == [*SIZES, *SLOTS]
    assert one(settings, "worker.memory").value == 256 * GIB
    assert one(settings, "worker.vcpus").value == 40


def test_small_and_large_workers_are_sized_each() -> None:
    hosts = host_group(count=7, cores=6, memory="96GiB", disks=10)
    settings = sized(hosts, PlanRequest(weigh_virtual=True), "2 small + 2 large per host")
    assert [setting.worker for setting in settings] == [None, *["small"] * 6, *["large"] * 6]
    assert (one(settings, "worker.vcpus", "small").value, one(settings, "worker.vcpus", "large").value) == (
        5,
        7,
    )
    assert "as 2 of 10 data disks" in one(settings, "worker.memory", "small").reason


def test_hbase_says_what_vsphere_8_changed_and_has_no_slots() -> None:
    hosts = host_group(count=3, cores=6, memory="80GiB", disks=6)
    settings = sized(hosts, PlanRequest(workloads=YCSB, hypervisor=Hypervisor.VSPHERE))
    vcpus = one(settings, "worker.vcpus")
    assert (vcpus.value, vcpus.rule) == (22, "platform.spare-core")
    assert "vSphere 8" in vcpus.reason
    assert "22 vCPUs on 12 cores" in vcpus.reason
    assert not {setting.key for setting in settings} & set(SLOTS)
    kvm = sized(hosts, PlanRequest(workloads=YCSB, hypervisor=Hypervisor.KVM))
    assert "vSphere" not in one(kvm, "worker.vcpus").reason


def test_over_commitment_is_named_only_where_there_is_any() -> None:
    asked = PlanRequest(hypervisor=Hypervisor.VSPHERE, overcommit=True)
    exact = one(sized(host_group(), asked), "worker.vcpus")
    assert (exact.value, exact.rule) == (10, "platform.threads-committed")
    over = one(sized(host_group(cores=8, disks=12), asked, "6 per host"), "worker.vcpus")
    assert (over.value, over.rule) == (6, "platform.overcommit")
    assert "36 virtual CPUs on the host's 32 threads" in over.reason


@pytest.mark.parametrize(
    ("platform", "nodes", "rule"),
    [
        ("native", 2, "platform.fits-numa-node"),
        ("2 per host", 1, "platform.prefer-ht"),
        ("4 per host", 1, "platform.fits-numa-node"),
    ],
)
def test_numa_nodes_name_the_rule_that_decides(platform: str, nodes: int, rule: str) -> None:
    setting = one(sized(host_group(), PlanRequest(weigh_virtual=True), platform), "worker.numa_nodes")
    assert (setting.value, setting.rule) == (nodes, rule)


@pytest.mark.parametrize(
    ("hosts", "slots", "because"),
    [
        (host_group(sockets=1, cores=8, disks=4), 9, "1.1 for each of 8 cores make 9"),
        (host_group(sockets=1, cores=1, disks=1), 1, "1.1 for 1 core make 1"),
        (host_group(sockets=1, cores=8, disks=12), 12, "raised to 12 for 12 spinning disks"),
        (host_group(sockets=1, cores=8, disks=12, kind="nvme"), 9, "make 9"),
        (host_group(sockets=1, cores=4, disks=12), 8, "limited to 8 by its threads"),
        (host_group(sockets=1, cores=8, disks=12, memory="16GiB"), 4, "limited to 4 by its memory"),
    ],
)
def test_slots_say_what_asked_for_them_and_what_held_them(hosts: HostGroup, slots: int, because: str) -> None:
    setting = one(sized(hosts, PlanRequest(hypervisor=Hypervisor.NONE)), "worker.map_slots")
    assert setting.value == slots
    assert because in setting.reason


def test_slots_of_the_users_are_kept_and_the_rules_they_break_are_said() -> None:
    fine = one(sized(host_group(), PlanRequest(hypervisor=Hypervisor.VSPHERE, slots=7)), "worker.map_slots")
    assert (fine.value, fine.origin, fine.breaks) == (7, "user", ())
    few = one(sized(host_group(), PlanRequest(hypervisor=Hypervisor.VSPHERE, slots=2)), "worker.reduce_slots")
    assert [breach.rule for breach in few.breaks] == ["platform.slots"]
    many = one(sized(host_group(), PlanRequest(hypervisor=Hypervisor.VSPHERE, slots=200)), "worker.map_slots")
    assert [breach.rule for breach in many.breaks] == ["memory.enough", "platform.slots"]
