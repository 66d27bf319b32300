"""What clusters leave of hosts, and that no host is over-committed whatever hosts and shares there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.hostname import expand_all
from howdah.model.inventory import HostGroup, Inventory, Neighbour, Sharing
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.planner.host_claims import check_fit, remaining_hosts
from howdah.planner.platforms.division import memory_for_workers
from howdah.units import GIB
from support.hosts import host_group

HOSTS = Inventory(cluster="a", groups=(host_group(name="w", count=8),))
KVM = PlanRequest(hypervisor=Hypervisor.KVM)


def cluster_of(plan: ClusterPlan) -> Cluster:
    return plan.cluster


def beside(
    name: str,
    hosts: Inventory,
    others: Sequence[ClusterPlan] = (),
    percent: int | None = None,
    request: PlanRequest = KVM,
) -> ClusterPlan:
    """A cluster on a part of the hosts, or on what the others leave."""
    left = remaining_hosts(hosts.model_copy(update={"cluster": name}), others, 4 * GIB, percent)
    neighbours = tuple(
        Neighbour(
            cluster=cluster_of(other).inventory.cluster,
            digest="",
            masters_on=tuple(sorted({master.host for master in cluster_of(other).masters})),
        )
        for other in others
    )
    sharing = Sharing(cluster=name, percent=percent, beside=neighbours, disks=dict(left.disks))
    return plan_cluster(left.inventory, request.model_copy(update={"sharing": sharing}))


def used(plans: Sequence[ClusterPlan]) -> tuple[Counter[str], Counter[str], Counter[str], Counter[str]]:
    """Virtual CPUs, memory, data disks of all machines on each host, and how often each name is borne."""
    vcpus, memory, disks, names = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for plan in plans:
        kinds = {kind.name: kind for kind in plan.workers}
        for host in placed_hosts(cluster_of(plan)):
            for worker in host.workers:
                kind = kinds[worker.kind]
                vcpus[host.name] += kind.vcpus or 0
                memory[host.name] += kind.memory_bytes
                disks[host.name] += kind.data_disks or 0
                names[worker.name] += 1
            own = [master for master in (*host.masters, *host.shadows) if not master.shares]
            vcpus[host.name] += sum(master.vcpus for master in own)
            memory[host.name] += sum(master.memory_bytes for master in own)
            names.update(master.address for master in host.masters if not master.shares)
    return vcpus, memory, disks, names


@st.composite
def groups(draw: st.DrawFn, name: str) -> HostGroup:
    racks = draw(st.sampled_from([0, 0, 2]))
    count = draw(st.integers(1, 6)) * max(1, racks)
    group = host_group(
        name=name,
        count=count,
        sockets=draw(st.sampled_from([1, 2])),
        cores=draw(st.integers(2, 24)),
        threads=draw(st.sampled_from([1, 2])),
        numa=draw(st.sampled_from([1, 1, 2])),
        memory=f"{draw(st.integers(24, 512))}GiB",
        disks=draw(st.integers(2, 24)),
    )
    return group.model_copy(update={"racks": tuple(f"r{number}" for number in range(racks))})


@st.composite
def inventories(draw: st.DrawFn) -> Inventory:
    names = ["old", "new"][: draw(st.sampled_from([1, 1, 2]))]
    return Inventory(groups=tuple(draw(groups(name)) for name in names))


requests = st.builds(
    PlanRequest,
    workloads=st.sampled_from(
        [(Demand(kind="mapreduce"),), (Demand(kind="ycsb"),), (Demand(kind="storage"),)]
    ),
    hypervisor=st.sampled_from([Hypervisor.KVM, Hypervisor.VSPHERE]),
    protection=st.sampled_from([Protection.NONE, Protection.NONE, Protection.HA]),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(inventories(), st.lists(st.tuples(requests, st.none() | st.integers(15, 60)), min_size=2, max_size=3))
def test_no_host_is_over_committed_by_any_clusters_on_it(
    hosts: Inventory, asked: list[tuple[PlanRequest, int | None]]
) -> None:
    first, *others = asked
    plans: list[ClusterPlan] = []
    for name, (request, percent) in zip("abc", ((first[0], first[1] or 50), *others), strict=False):
        try:
            plans.append(beside(name, hosts, plans, percent, request))
        except UserError as error:
            if not (error.where and error.what and error.hint):
                raise AssertionError(f"an unclear refusal: {error}, {error.hint}") from error
    if len(plans) < 2:
        reject()
    check_fit(hosts, plans)
    vcpus, memory, disks, names = used(plans)
    for group in hosts.groups:
        ports = Counter[str]()
        for plan in plans:
            for part in cluster_of(plan).inventory.groups:
                ports.update(dict.fromkeys(part.names, part.network_bits_per_s))
        for host in group.names:
            assert vcpus[host] <= group.cpu.threads
            assert memory[host] <= memory_for_workers(group.memory_bytes)
            assert disks[host] <= group.data_disks
            assert ports[host] <= group.network_bits_per_s
    assert [name for name, count in names.items() if count > 1] == []


def test_two_halves_are_a_whole() -> None:
    one = beside("a", HOSTS, percent=50)
    other = beside("b", HOSTS, [one])
    (half,), (rest,) = cluster_of(one).inventory.groups, cluster_of(other).inventory.groups
    assert half.cpu.threads == rest.cpu.threads == 20
    assert half.data_disks == rest.data_disks == 10
    assert half.network_bits_per_s == rest.network_bits_per_s == 10 * 10**9
    # What the hypervisor needs is kept once: the parts hold what the whole host leaves to workers.
    assert memory_for_workers(half.memory_bytes) + memory_for_workers(rest.memory_bytes) == 241 * GIB
    sharing = cluster_of(other).request.sharing
    assert sharing is not None
    assert sharing.disks == {"w": tuple(range(11, 21))}


def test_machines_bear_their_clusters_names() -> None:
    many = Inventory(groups=(host_group(name="w", count=32),))
    ha = KVM.model_copy(update={"protection": Protection.HA})
    cluster = cluster_of(beside("a", many, percent=50, request=ha))
    assert {worker.name for host in placed_hosts(cluster) for worker in host.workers} >= {
        "w-08-a-1",
        "w-08-a-2",
    }
    assert "w-01-a-nn1" in {master.address for master in cluster.masters}


def test_masters_are_on_other_hosts_than_those_of_other_clusters() -> None:
    ha = KVM.model_copy(update={"protection": Protection.HA})
    one = beside("a", HOSTS, percent=40, request=ha)
    other = beside("b", HOSTS, [one], request=ha)
    hosts = [{master.host for master in cluster_of(plan).masters} for plan in (one, other)]
    assert hosts[0].isdisjoint(hosts[1])
    assert "sharing.masters-apart" not in {advice.rule for advice in cluster_of(other).advice}


def test_masters_that_cannot_be_apart_are_named() -> None:
    ha, few = KVM.model_copy(update={"protection": Protection.HA}), Inventory(groups=(host_group(count=3),))
    one = beside("a", few, percent=40, request=ha)
    (told,) = [
        advice.text
        for advice in cluster_of(beside("b", few, [one], request=ha)).advice
        if advice.rule == "sharing.masters-apart"
    ]
    assert "nn1 on workers-1 together with those of a" in told


def test_hosts_that_another_cluster_uses_as_they_are_are_left_out() -> None:
    some = Inventory(cluster="a", groups=(host_group(name="w", count=3),))
    native = plan_cluster(some.model_copy(update={"groups": (_named("w-1", "w-2", "w-3"),)}), PlanRequest())
    left = remaining_hosts(HOSTS, [native], 4 * GIB)
    assert left.left_out == ("w-[1-3]",)
    (group,) = left.inventory.groups
    assert expand_all(group.hosts) == ("w-4", "w-5", "w-6", "w-7", "w-8")


def _named(*hosts: str, **more: Any) -> HostGroup:
    group = host_group(name="w", count=len(hosts)).model_dump(mode="json", by_alias=True)
    return HostGroup.model_validate(group | {"hosts": hosts} | more)


def test_groups_are_split_where_their_hosts_are_left_differently_and_racks_are_kept() -> None:
    hosts = Inventory(
        cluster="b",
        groups=(_named("w1", "w2", "w3", "w4", "w5", "w6", racks=["r1", "r2"]),),
    )
    one = beside("a", Inventory(groups=(_named("w1", "w2"),)), percent=50)
    left = remaining_hosts(hosts, [one], 4 * GIB).inventory
    assert [(group.name, group.names, group.racks, group.data_disks) for group in left.groups] == [
        ("w-1", ("w1", "w2"), ("r1",), 10),
        ("w-2", ("w3",), ("r1",), 20),
        ("w-3", ("w4", "w5", "w6"), ("r2",), 20),
    ]


def test_a_group_for_masters_is_one_clusters_or_anothers() -> None:
    masters = _named("m1", "m2").model_copy(update={"name": "m", "serves": "masters"})
    hosts = Inventory(groups=(host_group(name="w", count=4), masters))
    one = beside("a", hosts, percent=50)
    assert {master.host for master in cluster_of(one).masters} == {"m1", "m2"}
    left = remaining_hosts(hosts, [one], 4 * GIB)
    assert left.left_out == ("m[1-2]",)
    assert [group.name for group in left.inventory.groups] == ["w"]


def test_a_share_of_more_than_is_left_is_refused_with_the_host() -> None:
    one = beside("a", HOSTS, percent=60)
    with pytest.raises(UserError) as caught:
        remaining_hosts(HOSTS, [one], 4 * GIB, 50)
    assert caught.value.where == "--share 50%"
    assert "is 5 cores of each NUMA node of host w-1, but the other clusters leave 4" in caught.value.what


def test_hosts_without_anything_left_are_refused() -> None:
    whole = plan_cluster(HOSTS, KVM)
    with pytest.raises(UserError, match="leaves no host"):
        remaining_hosts(HOSTS, [whole], 4 * GIB)
    with pytest.raises(UserError, match="leaves no host"):
        remaining_hosts(HOSTS, [], 4 * GIB, 3)
