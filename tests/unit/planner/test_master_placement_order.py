"""Any hosts, any division, any protection: masters apart, and no place given to two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.hostname import is_hostname
from howdah.model.inventory import HostGroup
from howdah.model.placement import placed_hosts, placed_workers, virtual_name
from howdah.model.plan import Capacity, Cluster, Layout, Master, Role
from howdah.model.request import Demand, PlanRequest, Protection
from howdah.planner.facts import remaining_worker_hosts, remaining_workers
from howdah.planner.master_placement import place_masters
from howdah.planner.topology import lay_out
from support.clusters import divided, host_group, inventory

PAIRS = (Role.NAMENODE, Role.RESOURCEMANAGER, Role.HMASTER, Role.JOURNALNODE, Role.ZOOKEEPER)


@st.composite
def groups(draw: st.DrawFn) -> tuple[tuple[HostGroup, Layout], ...]:
    """One to three groups of hosts with their layouts."""
    drawn = []
    racks = draw(st.integers(0, 3))
    for index in range(draw(st.integers(1, 3))):
        group = host_group(
            f"g{index}",
            draw(st.integers(1, 12)) * max(1, racks),
            racks=[f"r{number}" for number in range(racks)],
            disks=draw(st.sampled_from([4, 12, 20])),
            memory=draw(st.sampled_from(["36GiB", "64GiB", "256GiB"])),
            serves=draw(st.sampled_from(["any", "any", "workers", "masters"])),
        )
        per_host = draw(st.sampled_from([0, 1, 2, 4, 10]))
        drawn.append((group, divided(group, max(1, per_host), virtual=per_host > 0)[0]))
    assume(any(group.serves != "masters" for group, _ in drawn))
    return tuple(drawn)


requests = st.builds(
    PlanRequest,
    protection=st.sampled_from(Protection),
    workloads=st.sampled_from(
        [
            (Demand(kind="terasuite"),),
            (Demand(kind="ycsb"),),
            (Demand(kind="terasuite"), Demand(kind="ycsb")),
        ]
    ),
    replication=st.sampled_from([None, 2, 3]),
)


def planned(drawn: Sequence[tuple[HostGroup, Layout]], request: PlanRequest) -> Cluster | None:
    """The cluster; None where the hosts do not allow it, which must be said to the user."""
    workers = [(group, layout) for group, layout in drawn if group.serves != "masters"]
    layouts = tuple(layout for _, layout in workers)
    kinds = tuple(
        kind
        for group, layout in workers
        for kind in divided(group, len(layout.workers), virtual=layout.virtual)[1]
    )
    hosts = inventory(*(group for group, _ in drawn))
    try:
        masters = place_masters(hosts, layouts, kinds, request)
    except UserError as error:
        if error.where not in ("--protect-masters", "groups") or not error.hint:
            raise
        return None
    return Cluster(
        request=request,
        inventory=hosts,
        layouts=layouts,
        masters=masters,
        topology=lay_out(hosts, layouts),
        candidates=(),
        capacity=Capacity(raw_bytes=0, usable_bytes=0, bytes_per_host=0),
    )


def of_role(masters: Sequence[Master], role: Role) -> list[Master]:
    return [master for master in masters if role in master.roles]


@settings(max_examples=60)
@given(drawn=groups(), request_=requests)
def test_masters_are_apart_and_no_place_is_given_twice(
    drawn: tuple[tuple[HostGroup, Layout], ...], request_: PlanRequest
) -> None:
    cluster = planned(drawn, request_)
    if cluster is None:
        return
    masters = cluster.masters
    assert len({master.name for master in masters}) == len(masters)
    own = [master.address for master in masters if not master.shares]
    assert len(set(own)) == len(own)
    assert all(is_hostname(master.address) and master.reason and master.rule for master in masters)
    for role in PAIRS:
        hosts = [master.host for master in of_role(masters, role)]
        assert len(set(hosts)) == len(hosts)
    pair = 2 if request_.protection is Protection.HA else 1
    assert len(of_role(masters, Role.NAMENODE)) == pair
    assert len(of_role(masters, Role.RESOURCEMANAGER)) == (pair if request_.mapreduce else 0)
    assert len(of_role(masters, Role.SECONDARY_NAMENODE)) == (0 if pair == 2 else 1)
    assert len(of_role(masters, Role.JOURNALNODE)) == (3 if pair == 2 else 0)
    if pair == 2 or request_.hbase_used:
        assert len(of_role(masters, Role.ZOOKEEPER)) in ((3,) if pair == 2 else (1, 3))
    serves = {name: group.serves for group, _ in drawn for name in group.names}
    assert all(serves[master.host] != "workers" for master in masters)


@settings(max_examples=60)
@given(drawn=groups(), request_=requests)
def test_what_is_left_is_what_the_plan_unfolds_to(
    drawn: tuple[tuple[HostGroup, Layout], ...], request_: PlanRequest
) -> None:
    cluster = planned(drawn, request_)
    if cluster is None:
        return
    counted: Counter[str] = Counter()
    hosts = list(placed_hosts(cluster))
    for host in hosts:
        counted.update(worker.kind for worker in host.workers)
        layout = next((one for one in cluster.layouts if one.group == host.group), None)
        taken = Counter(kind for master in (*host.masters, *host.shadows) for kind in master.takes)
        places = Counter(layout.workers if layout else ())
        assert taken <= places
        assert Counter(worker.kind for worker in host.workers) + taken == places or not layout
    arithmetic: Counter[str] = Counter()
    for group, layout in drawn:
        if group.serves != "masters":
            arithmetic += remaining_workers(group, layout, cluster.masters)
    assert arithmetic == counted
    assert len(list(placed_workers(cluster))) == counted.total() >= 1
    layouts = {layout.group: layout for layout in cluster.layouts}
    assert remaining_worker_hosts(cluster.inventory, layouts, cluster.masters) == sum(
        bool(host.workers) for host in hosts
    )
    names = [worker.name for host in hosts for worker in host.workers]
    assert len(set(names)) == len(names)
    assert not set(names) & {master.address for master in cluster.masters if not master.shares}
    sharing = {master.address for master in cluster.masters if master.shares}
    assert sharing <= set(names)


@settings(max_examples=60)
@given(drawn=groups(), request_=requests)
def test_pairs_and_shadows_are_on_different_racks_where_they_can_be(
    drawn: tuple[tuple[HostGroup, Layout], ...], request_: PlanRequest
) -> None:
    cluster = planned(drawn, request_)
    if cluster is None:
        return
    racks = {host.name: host.rack for host in placed_hosts(cluster)}
    shadows = [(master.host, master.shadow_host) for master in cluster.masters if master.shadow_host]
    assert all(host != shadow for host, shadow in shadows)
    groups_of = {name: group.name for group, _ in drawn for name in group.names}
    assert all(groups_of[host] == groups_of[shadow] for host, shadow in shadows)
    if request_.protection is Protection.NONE or not drawn[0][0].racks or len(drawn[0][0].racks) < 2:
        return
    # Every group has hosts in every rack, so that two racks are always to be had.
    for role in (Role.NAMENODE, Role.RESOURCEMANAGER):
        pair = [racks[master.host] for master in of_role(cluster.masters, role)]
        assert len(set(pair)) == len(pair)
    assert all(racks[host] != racks[shadow] for host, shadow in shadows)
    members = [racks[master.host] for master in of_role(cluster.masters, Role.JOURNALNODE)]
    assert len(set(members)) == min(len(members), len(drawn[0][0].racks))


def test_the_last_places_of_a_kind_make_room() -> None:
    group = host_group(count=6)
    cluster = planned([(group, divided(group, 4)[0])], PlanRequest())
    assert cluster is not None
    first, *_, last = placed_hosts(cluster)
    assert [worker.name for worker in first.workers] == ["w-1-1", "w-1-2", "w-1-3"]
    assert len(last.workers) == 4
    assert [master.name for master in first.masters] == ["nn1"]


def test_hosts_that_serve_masters_carry_no_workers() -> None:
    own, rest = host_group("m", 1, serves="masters"), host_group("w", 3)
    cluster = planned([(own, divided(own, 4)[0]), (rest, divided(rest, 4)[0])], PlanRequest())
    assert cluster is not None
    assert [len(host.workers) for host in placed_hosts(cluster)] == [0, 4, 4, 4]


def test_names_of_virtual_machines_keep_the_domain_and_stay_host_names() -> None:
    assert virtual_name("w01.example.com", "nn1") == "w01-nn1.example.com"
    longest = "a" * 61
    assert is_hostname(virtual_name(longest, "1"))
    with pytest.raises(UserError, match="too long for a host name"):
        virtual_name(longest, "10")
