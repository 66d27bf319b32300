"""How much a cluster holds, how many hosts growing data need, and erasure coding beside replication."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import settings as sized
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.inventory import HostGroup
from howdah.model.plan import Capacity, Setting, Value
from howdah.model.request import Demand, Growth, Hypervisor, PlanRequest
from howdah.planner.capacity import capacity
from howdah.planner.cluster import plan_cluster
from howdah.planner.facts import ClusterFacts, Facts, remaining_worker_hosts, remaining_workers
from howdah.planner.master_placement import place_masters
from howdah.planner.storage_costs import weigh_erasure
from howdah.planner.topology import lay_out
from howdah.units import MIB
from support.clusters import divided, host_group, inventory

TB = 10**12
RESERVED = 90 * 10**9


def settings(**values: Value) -> tuple[Setting, ...]:
    decided = {"dfs.replication": 3, "dfs.blocksize": 256 * MIB, "dfs.datanode.du.reserved": RESERVED}
    named = {key.replace("_", ".") if key.islower() else key: value for key, value in values.items()}
    return tuple(
        Setting(key=key, value=value, reason="a test's", source="a test")
        for key, value in (decided | named).items()
    )


def reckoned(group: HostGroup, growth: Growth | None = None, **values: Value) -> Capacity:
    layout, kinds = divided(group, 4)
    masters = place_masters(inventory(group), (layout,), kinds, PlanRequest())
    return capacity(
        inventory(group), (layout,), kinds, masters, settings(**values), request=PlanRequest(growth=growth)
    )


def test_what_32_hosts_hold_after_replicas_reserve_and_margin() -> None:
    held = reckoned(host_group())
    assert held.raw_bytes == 126 * 5 * 600 * 10**9
    # 510 of 600 GB are HDFS's, of which 80 % are used, three times over.
    assert held.usable_bytes == pytest.approx(126 * 5 * 510 * 10**9 * 0.8 / 3)
    assert held.bytes_per_host == pytest.approx(20 * 510 * 10**9 * 0.8 / 3)
    assert held.years == ()
    assert held.hosts_needed is None
    assert held.group == "w"


def test_replication_reserve_and_block_size_are_those_decided() -> None:
    whole = reckoned(host_group())
    assert reckoned(host_group(), dfs_replication=2).usable_bytes == pytest.approx(whole.usable_bytes * 1.5)
    assert reckoned(host_group(), dfs_datanode_du_reserved=0).usable_bytes > whole.usable_bytes


def test_a_reserve_of_whole_disks_is_refused() -> None:
    with pytest.raises(UserError, match="all of a data disk"):
        reckoned(host_group(), dfs_datanode_du_reserved=600 * 10**9)


def test_growth_year_by_year() -> None:
    held = reckoned(host_group(), Growth(need_bytes=60 * TB, per_year=0.4, years=3))
    assert [year.need_bytes for year in held.years] == [60 * TB, 84 * TB, 117_600 * 10**9, 164_640 * 10**9]
    assert held.hosts_needed == held.years[-1].hosts
    for year in held.years:
        extra = (year.need_bytes - held.usable_bytes) / held.bytes_per_host
        assert 0 <= year.hosts - 32 - extra < 1
    assert held.years[1].fill["disks"] == pytest.approx(84 * TB / held.usable_bytes)
    assert held.years[3].fill["disks"] > 1
    assert held.years[3].first_full.startswith("disks, 192 % of")


def test_far_beyond_the_limit_it_is_times_not_percent() -> None:
    (today,) = reckoned(host_group(), Growth(need_bytes=10_000 * TB)).years
    assert re.fullmatch(r"disks, 1\d\d times the limit", today.first_full)


def test_small_blocks_fill_the_name_node_first() -> None:
    held = reckoned(
        host_group(), Growth(need_bytes=60 * TB), dfs_blocksize=4 * MIB, HDFS_NAMENODE_OPTS="-Xmx4g"
    )
    (today,) = held.years
    assert today.first_full.startswith("NameNode heap")
    assert today.fill["NameNode heap"] == pytest.approx(
        60 * TB * (1 / (4 * MIB) + 1 / (64 * MIB)) * 1100 / (4 * 2**30)
    )


def test_files_smaller_than_blocks_are_blocks_of_their_own() -> None:
    def heap_filled(file_bytes: int) -> float:
        layout, kinds = divided(host_group(), 4)
        masters = place_masters(inventory(host_group()), (layout,), kinds, PlanRequest())
        held = capacity(
            inventory(host_group()),
            (layout,),
            kinds,
            masters,
            settings(HDFS_NAMENODE_OPTS="-Xmx4g"),
            request=PlanRequest(growth=Growth(need_bytes=60 * TB), file_bytes=file_bytes),
        )
        return held.years[0].fill["NameNode heap"]

    assert heap_filled(MIB) > 50 * heap_filled(256 * MIB)


def test_many_blocks_need_more_data_nodes() -> None:
    growth = Growth(need_bytes=80 * TB)
    large, small = reckoned(host_group(), growth), reckoned(host_group(), growth, dfs_blocksize=MIB)
    assert large.hosts_needed is not None
    assert small.hosts_needed is not None
    # 80 TB in MiB blocks are 229 million replicas, a million for each of 4 DataNodes of a host.
    assert small.hosts_needed >= 229 / 4
    assert small.hosts_needed > large.hosts_needed


def test_no_data_still_need_hosts_for_masters_and_replicas() -> None:
    assert reckoned(host_group(), Growth(need_bytes=1)).hosts_needed == 3


def test_hosts_added_are_of_the_larger_group() -> None:
    few, many = host_group("few", 4, disks=24), host_group("many", 20)
    layouts, kinds = zip(*(divided(group, 4) for group in (few, many)), strict=True)
    workers = tuple(kind for some in kinds for kind in some)
    masters = place_masters(inventory(few, many), layouts, workers, PlanRequest())
    held = capacity(inventory(few, many), layouts, workers, masters, settings(), request=PlanRequest())
    assert held.group == "many"
    assert held.bytes_per_host == pytest.approx(20 * 510 * 10**9 * 0.8 / 3)


@sized(max_examples=40)
@given(
    hosts=st.integers(2, 60),
    disks=st.integers(4, 24),
    need=st.integers(1, 400),
    growth=st.floats(0, 2),
    years=st.integers(0, 4),
)
def test_more_disks_hosts_and_need_never_give_less(
    hosts: int, disks: int, need: int, growth: float, years: int
) -> None:
    # No HDFS holds what would take more hosts than any has: that is refused.
    assume(2 * need * (1 + growth) ** years < 2000)
    asked = Growth(need_bytes=need * TB, per_year=growth, years=years)
    more = asked.model_copy(update={"need_bytes": 2 * need * TB})
    disks -= disks % 4
    held = reckoned(host_group(count=hosts, disks=disks), asked)
    assert held.usable_bytes <= reckoned(host_group(count=hosts, disks=disks + 4)).usable_bytes
    assert held.usable_bytes <= reckoned(host_group(count=hosts + 1, disks=disks)).usable_bytes
    assert held.usable_bytes < held.raw_bytes / 3
    needed = [year.hosts for year in held.years]
    assert needed == sorted(needed)
    doubled = reckoned(host_group(count=hosts, disks=disks), more)
    assert all(two.hosts >= one.hosts for one, two in zip(held.years, doubled.years, strict=True))
    roomier = reckoned(host_group(count=hosts, disks=disks + 4), asked)
    assert all(two.hosts <= one.hosts for one, two in zip(held.years, roomier.years, strict=True))


def weighed(group: HostGroup, per_host: int) -> list[str]:
    layout, kinds = divided(group, per_host, virtual=per_host > 1)
    masters = place_masters(inventory(group), (layout,), kinds, PlanRequest())
    left = remaining_workers(group, layout, masters)
    cluster = ClusterFacts(
        name="cluster",
        hosts=group.count,
        worker_hosts=remaining_worker_hosts(inventory(group), {group.name: layout}, masters),
        kinds=tuple((kind, left[kind.name]) for kind in kinds),
        masters=masters,
        topology=lay_out(inventory(group), (layout,)),
        virtual=per_host > 1,
        raw_bytes=group.count * group.data_bytes,
        groups=(group,),
    )
    decided: dict[str, Value] = {"dfs.replication": 3}
    advices = weigh_erasure(Facts(request=PlanRequest(), known_cluster=cluster, decided=decided), 64 * TB)
    assert all(advice.rule.startswith("capacity.erasure") for advice in advices)
    assert all(advice.severity == "may" for advice in advices), "nobody has to erasure-code"
    return [advice.text for advice in advices]


def test_erasure_coding_needs_a_host_for_every_unit_and_one_more() -> None:
    (text,) = weighed(host_group(count=5), 1)
    assert "at least 6 hosts" in text
    gain, _ = weighed(host_group(count=9), 1)
    assert "RS-3-2-1024k" in gain
    assert "RS-6-3-1024k needs 10 hosts" in gain


def test_erasure_coding_is_told_with_what_each_code_would_hold() -> None:
    gain, domains = weighed(host_group(count=20), 1)
    assert "Replication 3 holds 64.0 TB" in gain
    assert "RS-3-2-1024k 115 TB" in gain
    assert "RS-6-3-1024k 128 TB" in gain
    assert "RS-10-4-1024k 137 TB" in gain
    assert "HBase needs replication" in gain
    assert "RS-6-3-1024k survives the loss of 3 hosts. " in domains
    assert "No racks are known" in domains


def test_units_on_divided_hosts_want_as_many_racks() -> None:
    _, domains = weighed(host_group(count=20), 4)
    assert "RS-6-3-1024k survives the loss of 3 hosts, each of its 9 units being on another" in domains
    assert "RS-10-4-1024k may lose data with one host, so do not use it here: up to 2 of its 14" in domains
    _, domains = weighed(host_group(count=20, racks=("r1", "r2")), 4)
    assert "up to 3 of its 5 units are in one rack, perhaps on workers of one host" in domains


def test_a_rack_may_hold_no_more_units_than_can_be_lost() -> None:
    _, domains = weighed(host_group(count=20, racks=("r1", "r2")), 1)
    assert "RS-3-2-1024k loses data with a rack: it has 3 units in one and survives 2 losses" in domains
    _, domains = weighed(host_group(count=20, racks=("r1", "r2", "r3", "r4", "r5")), 1)
    assert "RS-6-3-1024k survives the loss of a rack, which holds at most 2" in domains


@pytest.mark.parametrize(
    ("replicas", "says"),
    [
        (3, "78.0 TB of disk: 3 replicas"),
        (2, "54.0 TB of disk: 2 replicas"),
        (1, "30.0 TB of disk: one replica"),
    ],
)
def test_a_sort_s_room_follows_replication(replicas: int, says: str) -> None:
    request = PlanRequest(
        workloads=(Demand(kind="terasuite", dataset_bytes=12 * TB),),
        hypervisor=Hypervisor.NONE,
        replication=replicas,
    )
    plan = plan_cluster(inventory(host_group(count=3)), request)
    (told,) = (one.text for one in plan.cluster.advice if one.rule == "capacity.sort-space")
    assert says in told
