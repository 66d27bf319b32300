"""Masters on their hosts: the papers' counts, and what each protection asks of the hosts."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.inventory import HostGroup
from howdah.model.plan import Layout, Master, Role, Worker
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.planner.facts import remaining_worker_hosts, remaining_workers
from howdah.planner.master_placement import place_masters
from howdah.units import GIB, MIB
from support.clusters import divided, host_group, inventory, mixed

HBASE = (Demand(kind="ycsb"),)
HA = PlanRequest(protection=Protection.HA)
FT = PlanRequest(protection=Protection.FT)


def placed(
    group: HostGroup, per_host: int, request: PlanRequest | None = None, *, virtual: bool = True
) -> tuple[tuple[Master, ...], Layout, int]:
    """The masters, the layout and the number of workers left."""
    layout, kinds = divided(group, per_host, virtual=virtual)
    masters = place_masters(inventory(group), (layout,), kinds, request or PlanRequest())
    return masters, layout, remaining_workers(group, layout, masters).total()


def hosts_of(masters: tuple[Master, ...], role: Role) -> list[str]:
    return [master.host for master in masters if role in master.roles]


@pytest.mark.parametrize(
    ("per_host", "virtual", "workers"),
    [(1, False, 31), (1, True, 31), (2, True, 62), (4, True, 126), (10, True, 318), (20, True, 636)],
)
def test_the_workers_of_the_vsphere_6_study(per_host: int, virtual: bool, workers: int) -> None:
    masters, _, left = placed(host_group(), per_host, virtual=virtual)
    assert left == workers
    assert len({master.host for master in masters}) == 2
    assert hosts_of(masters, Role.SECONDARY_NAMENODE) != hosts_of(masters, Role.NAMENODE)


def test_small_places_are_taken_two_at_a_time() -> None:
    masters, _, _ = placed(host_group(), 20)
    assert [len(master.takes) for master in masters] == [2, 2]
    assert all(master.vcpus == 4 and master.memory_bytes >= 16 * GIB for master in masters)
    assert all("2 of the host's 20 places" in master.reason for master in masters)


def test_the_name_node_and_the_resource_manager_are_on_different_hosts() -> None:
    masters, _, _ = placed(host_group(), 4)
    assert hosts_of(masters, Role.NAMENODE) == ["w-01"]
    assert hosts_of(masters, Role.SECONDARY_NAMENODE) == ["w-02"]
    assert hosts_of(masters, Role.RESOURCEMANAGER) == ["w-02"]
    assert [master.address for master in masters] == ["w-01-nn1", "w-02-rm1"]


def test_few_undivided_hosts_share_with_the_checkpoints_on_the_second() -> None:
    masters, _, left = placed(host_group(count=7), 1, virtual=False)
    assert left == 7
    assert [(master.host, master.shares) for master in masters] == [("w-1", True), ("w-2", True)]
    assert hosts_of(masters, Role.SECONDARY_NAMENODE) == ["w-2"]
    assert hosts_of(masters, Role.RESOURCEMANAGER) == ["w-1"]
    assert [master.address for master in masters] == ["w-1", "w-2"]
    assert all(master.memory_bytes < 16 * GIB for master in masters)


@pytest.mark.parametrize(("hosts", "left"), [(9, 9), (10, 9)])
def test_undivided_hosts_spare_one_from_ten_up(hosts: int, left: int) -> None:
    assert placed(host_group(count=hosts), 1, virtual=False)[2] == left


def test_a_single_host_carries_everything() -> None:
    masters, _, left = placed(host_group(count=1), 1, virtual=False)
    assert left == 1
    (master,) = masters
    assert {Role.NAMENODE, Role.SECONDARY_NAMENODE, Role.RESOURCEMANAGER} <= set(master.roles)
    masters, _, left = placed(host_group(count=1), 4)
    assert left == 4, "a place of their own would be a quarter of the disks"
    assert len(masters) == 1


def test_masters_take_the_smallest_kind_that_suffices() -> None:
    group = host_group(count=7)
    layout, kinds = mixed(group, [("small", 2, 5, 18_400 * MIB), ("large", 2, 7, 27_600 * MIB)])
    masters = place_masters(inventory(group), (layout,), kinds, PlanRequest())
    assert [master.takes for master in masters] == [("small",), ("small",)]
    assert remaining_workers(group, layout, masters) == {"small": 12, "large": 14}


@pytest.mark.parametrize("hosts", [1, 2])
def test_high_availability_needs_three_hosts(hosts: int) -> None:
    with pytest.raises(UserError) as caught:
        placed(host_group(count=hosts), 4, HA)
    assert caught.value.where == "--protect-masters"
    assert "3 hosts" in caught.value.what
    assert caught.value.hint


@pytest.mark.parametrize(
    ("hosts", "left", "sharing"),
    [(3, 3, 3), (4, 4, 3), (5, 5, 3), (6, 6, 3), (19, 19, 3), (20, 18, 1), (59, 57, 1), (200, 197, 0)],
)
def test_high_availability_on_undivided_hosts(hosts: int, left: int, sharing: int) -> None:
    masters, _, workers = placed(host_group(count=hosts), 1, HA, virtual=False)
    assert workers == left
    assert sum(master.shares for master in masters) == sharing
    for role, many in [
        (Role.NAMENODE, 2),
        (Role.RESOURCEMANAGER, 2),
        (Role.JOURNALNODE, 3),
        (Role.ZOOKEEPER, 3),
    ]:
        assert len(set(hosts_of(masters, role))) == len(hosts_of(masters, role)) == many
    assert hosts_of(masters, Role.FAILOVER_CONTROLLER) == hosts_of(masters, Role.NAMENODE)
    assert Role.SECONDARY_NAMENODE not in {role for master in masters for role in master.roles}


@pytest.mark.parametrize(("hosts", "left"), [(10, 36), (200, 796)])
def test_high_availability_on_divided_hosts_takes_four_places(hosts: int, left: int) -> None:
    masters, _, workers = placed(host_group(count=hosts), 4, HA)
    assert workers == left
    assert len({master.host for master in masters}) == min(hosts, 4)
    assert len({master.address for master in masters}) == 4


@pytest.mark.parametrize(("hosts", "left"), [(3, 12), (9, 36)])
def test_on_few_divided_hosts_protected_masters_share(hosts: int, left: int) -> None:
    masters, _, workers = placed(host_group(count=hosts), 4, HA)
    assert workers == left
    assert all(master.shares for master in masters)
    assert all("over a tenth of disks" in master.reason for master in masters)


def test_masters_that_workers_have_no_memory_for_keep_places_of_their_own() -> None:
    masters, _, left = placed(host_group(count=6, memory="80GiB"), 4, HA)
    assert left == 20
    assert not any(master.shares for master in masters)


def test_masters_share_where_places_of_their_own_would_leave_too_few_hosts() -> None:
    # Masters need both of a host's small places, and of four hosts only two would carry workers.
    group = host_group(count=4, memory="36GiB")
    masters, layout, left = placed(group, 2)
    assert left == 8
    assert all(master.shares for master in masters)
    assert remaining_worker_hosts(inventory(group), {"w": layout}, masters) == 4


def test_fault_tolerance_frees_places_on_two_hosts() -> None:
    group = host_group(count=24, memory="87GiB", disks=12)
    masters, _, left = placed(group, 4, FT)
    assert left == 92
    assert {(master.host, master.shadow_host) for master in masters} == {("w-01", "w-02")}
    assert [len(master.takes) for master in masters] == [1, 1]
    assert sum(master.vcpus for master in masters) <= 8
    assert all("8 vCPUs" in master.reason for master in masters)


def test_fault_tolerance_on_undivided_virtual_hosts_joins_the_masters() -> None:
    masters, _, left = placed(host_group(count=12), 1, FT)
    (master,) = masters
    assert left == 10
    assert master.vcpus == 8
    assert master.memory_bytes <= 128 * GIB


def test_in_large_clusters_fault_tolerance_protects_the_name_node_alone() -> None:
    masters, _, left = placed(host_group(count=300), 4, FT)
    assert [(master.name, master.shadow_host) for master in masters] == [("nn1", "w-002"), ("rm1", None)]
    assert left == 1200 - 3


@pytest.mark.parametrize("hypervisor", [Hypervisor.NONE, Hypervisor.KVM])
def test_fault_tolerance_is_vspheres(hypervisor: Hypervisor) -> None:
    with pytest.raises(UserError, match="protect-masters") as caught:
        placed(host_group(), 4, PlanRequest(protection=Protection.FT, hypervisor=hypervisor))
    assert "--protect-masters ha" in caught.value.hint


def test_fault_tolerance_protects_no_native_host_and_no_single_one() -> None:
    with pytest.raises(UserError, match="virtual machines"):
        placed(host_group(), 1, FT, virtual=False)
    with pytest.raises(UserError, match="ft needs two identical hosts, for primaries and shadows, but"):
        placed(host_group(count=1), 4, FT)
    with pytest.raises(UserError, match="too few remain"):
        placed(host_group(count=2), 1, FT)


def test_hbase_has_three_zookeepers_and_a_master_with_the_name_node() -> None:
    request = PlanRequest(workloads=(*HBASE, Demand(kind="terasuite")))
    masters, _, left = placed(host_group(), 4, request)
    assert hosts_of(masters, Role.ZOOKEEPER) == ["w-01", "w-02", "w-03"]
    assert hosts_of(masters, Role.HMASTER) == hosts_of(masters, Role.NAMENODE)
    assert left == 126
    assert [master.address for master in masters if master.shares] == ["w-03-1"]


def test_hbase_on_two_hosts_has_one_zookeeper_and_no_resource_manager() -> None:
    masters, _, _ = placed(host_group(count=2), 1, PlanRequest(workloads=HBASE), virtual=False)
    assert hosts_of(masters, Role.ZOOKEEPER) == ["w-1"]
    assert hosts_of(masters, Role.RESOURCEMANAGER) == []


def test_hbase_with_high_availability_has_a_backup_master() -> None:
    request = PlanRequest(workloads=HBASE, protection=Protection.HA)
    masters, _, _ = placed(host_group(), 1, request)
    assert hosts_of(masters, Role.HMASTER) == ["w-01", "w-02"]
    assert len(hosts_of(masters, Role.ZOOKEEPER)) == 3


def serving(masters: int, workers: int, request: PlanRequest, per_host: int = 4) -> tuple[Master, ...]:
    own, rest = host_group("m", masters, serves="masters"), host_group("w", workers)
    layout, kinds = divided(rest, per_host)
    return place_masters(inventory(rest, own), (layout,), kinds, request)


def test_a_group_that_serves_masters_takes_them_first() -> None:
    only, checkpoints = serving(1, 20, PlanRequest())
    assert (only.host, only.takes, only.whole_host) == ("m-1", (), True)
    assert (checkpoints.roles, checkpoints.shares) == ((Role.SECONDARY_NAMENODE,), True)
    assert [master.host for master in serving(2, 20, PlanRequest())] == ["m-1", "m-2"]
    assert {master.host for master in serving(3, 20, HA)} == {"m-1", "m-2", "m-3"}
    assert [master.host for master in serving(2, 20, HA)] == ["m-1", "m-2", "w-01"]
    tolerant = serving(2, 20, FT)
    assert {(master.host, master.shadow_host) for master in tolerant} == {("m-1", "m-2")}
    assert len({master.address for master in tolerant}) == 2


def test_a_group_that_serves_workers_takes_none() -> None:
    group = host_group(serves="workers")
    layout, kinds = divided(group, 4)
    with pytest.raises(UserError, match="every group serves workers only"):
        place_masters(inventory(group), (layout,), kinds, PlanRequest())
    any_group = host_group("x", 3)
    other, more = divided(any_group, 4)
    masters = place_masters(inventory(group, any_group), (layout, other), (*kinds, *more), HA)
    assert {master.host for master in masters} == {"x-1", "x-2", "x-3"}


def test_of_two_kinds_of_hosts_the_ones_with_less_storage_take_masters() -> None:
    large, small = host_group("large", 10, disks=24), host_group("small", 10, disks=4)
    layouts, kinds = zip(*(divided(group, 2) for group in (large, small)), strict=True)
    masters = place_masters(inventory(large, small), layouts, _all(kinds), PlanRequest())
    assert all(master.host.startswith("small") for master in masters)


def _all(kinds: tuple[tuple[Worker, ...], ...]) -> tuple[Worker, ...]:
    return tuple(kind for some in kinds for kind in some)


def test_a_large_namespace_takes_more_places() -> None:
    few, _, _ = placed(host_group(count=32), 10)
    many, _, _ = placed(host_group(count=2000, disk_size="16TB"), 10)
    assert len(many[0].takes) > len(few[0].takes)
    assert many[0].whole_host
    assert "has the whole host to itself" in many[0].reason


def test_masters_under_ha_stand_on_racks_of_their_own() -> None:
    masters, _, _ = placed(host_group(count=30, racks=("r1", "r2", "r3")), 4, HA)
    first = {"w-01": "r1", "w-11": "r2", "w-21": "r3"}
    assert hosts_of(masters, Role.NAMENODE) == ["w-01", "w-11"]
    assert {first[host] for host in hosts_of(masters, Role.JOURNALNODE)} == {"r1", "r2", "r3"}


def test_a_pair_is_on_two_racks_even_where_one_of_them_has_a_single_host() -> None:
    alone, many = host_group("a", 1, racks=("r1",)), host_group("b", 12, racks=("r2",))
    layouts, kinds = zip(*(divided(group, 4) for group in (alone, many)), strict=True)
    masters = place_masters(inventory(alone, many), layouts, _all(kinds), HA)
    for role in (Role.NAMENODE, Role.RESOURCEMANAGER):
        assert sorted(host[0] for host in hosts_of(masters, role)) == ["a", "b"]


def test_the_second_of_a_pair_avoids_the_rack_of_the_only_host_for_masters() -> None:
    own = host_group("m", 1, racks=("r1",), serves="masters")
    rest = host_group("w", 20, racks=("r1", "r2"))
    layout, kinds = divided(rest, 4)
    masters = place_masters(inventory(own, rest), (layout,), kinds, HA)
    # w-11 is the first host of rack r2.
    assert hosts_of(masters, Role.NAMENODE) == ["m-1", "w-11"]


def test_shadows_are_on_another_rack() -> None:
    masters, _, _ = placed(host_group(count=24, racks=("r1", "r2")), 4, FT)
    assert {(master.host, master.shadow_host) for master in masters} == {("w-01", "w-13")}


def test_masters_have_four_virtual_cpus_even_where_workers_have_fewer() -> None:
    group = host_group()
    layout, kinds = mixed(group, [("narrow", 12, 3, 20 * GIB)])
    masters = place_masters(inventory(group), (layout,), kinds, PlanRequest())
    assert [master.takes for master in masters] == [("narrow", "narrow")] * 2


def test_hosts_with_too_little_memory_for_a_name_node_come_last() -> None:
    large, small = host_group("large", 10, disks=24), host_group("small", 10, disks=4, memory="15GiB")
    layouts, kinds = zip(*(divided(group, 1, virtual=False) for group in (large, small)), strict=True)
    masters = place_masters(inventory(large, small), layouts, _all(kinds), PlanRequest())
    assert all(master.host.startswith("large") for master in masters)


def test_fault_tolerance_decides_for_virtual_machines_where_the_hypervisor_was_left_open() -> None:
    request = PlanRequest(workloads=HBASE, protection=Protection.FT)
    cluster = plan_cluster(inventory(host_group(count=12)), request).cluster
    assert cluster.layouts[0].virtual
    assert cluster.masters[0].shadow_host == "w-02"
