"""How soon a lost host's replicas are made again, by how much a host holds and what the others can do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howdah.model.inventory import CpuLayout, DiskKind, DiskSet, HostGroup, NicSet
from howdah.model.plan import Value
from howdah.model.request import PlanRequest, Profile
from howdah.planner.facts import Facts
from howdah.planner.rule import AdviceRule, SettingRule
from howdah.planner.rules.catalogue import find_rule
from howdah.planner.rules.recovery import recovery_of
from howdah.releases.values import heap_bytes
from howdah.units import GIB
from support.facts import a_worker, facts_of, rules_of, values_of

WORK = "dfs.namenode.replication.work.multiplier.per.iteration"
STREAMS = "dfs.namenode.replication.max-streams"
HARD = "dfs.namenode.replication.max-streams-hard-limit"
REPLACE = "dfs.client.block.write.replace-datanode-on-failure.policy"


def dense(disks: int, terabytes: int, hosts: int, *, speed: str = "25GbE", memory: int = 256) -> Facts:
    """Hosts of large disks, each one DataNode."""
    group = HostGroup(
        name="hosts",
        count=hosts,
        cpu=CpuLayout(sockets=2, cores_per_socket=16, threads_per_core=2),
        memory=f"{memory}GiB",
        disks=(DiskSet(count=disks, kind=DiskKind.HDD, size=f"{terabytes}TB"),),
        nics=(NicSet(count=1, speed=speed),),
    )
    worker = a_worker(memory_gib=memory, slots=16, disks=disks, vcpus=64, per_host=1)
    known = facts_of(worker, kinds=((worker, hosts),), group=group, worker_hosts=hosts)
    return replace(known, decided={"dfs.heartbeat.interval": 3, "dfs.replication": 3})


def values(facts: Facts) -> dict[str, Value]:
    found = {**facts.decided, "dfs.namenode.redundancy.interval.seconds": 3}
    return values_of([rules_of("recovery")], replace(facts, decided=found))


def hours(facts: Facts, work: Value, block: float) -> float:
    """How long a lost host takes, as an administrator reckons it: blocks of every DataNode each 3 s."""
    lost = recovery_of(facts)
    return lost.stored / (int(str(work)) * block / 3 * lost.survivors) / 3600


def test_hosts_of_the_study_keep_the_release_s_own_pace() -> None:
    found = values(replace(facts_of(), decided={"dfs.heartbeat.interval": 3, "dfs.replication": 3}))
    assert (found[WORK], found[STREAMS], found[HARD]) == (2, 2, 4)


@pytest.mark.parametrize(("disks", "terabytes", "hosts", "within"), [(12, 16, 40, 8), (36, 20, 10, 30)])
def test_dense_hosts_are_made_again_within_hours(
    disks: int, terabytes: int, hosts: int, within: float
) -> None:
    facts = dense(disks, terabytes, hosts)
    found = values(facts)
    block = recovery_of(facts).block
    assert hours(facts, found[WORK], block) <= within
    # With two blocks each three seconds it was days.
    assert hours(facts, 2, block) > 24
    assert found[STREAMS] >= found[WORK]  # type: ignore[operator]
    assert found[HARD] == 2 * found[STREAMS]


def test_where_no_other_host_can_take_a_replica_nothing_is_hurried() -> None:
    assert values(dense(12, 16, 3))[WORK] == 2
    assert values(dense(12, 16, 4))[WORK] > 2  # type: ignore[operator]


def test_no_more_than_a_quarter_of_the_network_is_taken() -> None:
    lost = recovery_of(dense(36, 20, 10, speed="10GbE"))
    assert lost.rate <= 0.25 * 10e9 / 8
    assert lost.needed > lost.rate


@pytest.mark.parametrize(("value", "well"), [(2, False), (10, True), (50, True), (1_000, False)])
def test_what_exists_is_judged_by_density(value: int, well: bool) -> None:
    rule = find_rule("recovery.work")
    assert isinstance(rule, SettingRule)
    facts = dense(12, 16, 40).deciding("dfs.namenode.redundancy.interval.seconds", 3)
    assert rule.accepts(value, rule.decide(facts), facts) is well


def test_a_study_keeps_what_it_ran_with() -> None:
    rule = find_rule("recovery.work")
    assert not rule.holds(facts_of(request=PlanRequest(profile=Profile.PAPER)))


def test_hosts_that_no_vendor_supports_are_named_with_the_time_they_take() -> None:
    counsel = find_rule("recovery.density")
    assert isinstance(counsel, AdviceRule)
    assert counsel.advise(dense(12, 8, 40)) is None
    text = counsel.advise(dense(36, 20, 10))
    assert text is not None
    assert "720 TB in all, disks of 20.0 TB, 36 disks" in text
    assert "9 others must copy 576 TB" in text


@pytest.mark.parametrize(("disks", "terabytes", "least_gib"), [(12, 2, 4), (12, 16, 4), (36, 20, 10)])
def test_a_datanode_s_heap_holds_its_replicas(disks: int, terabytes: int, least_gib: int) -> None:
    facts = dense(disks, terabytes, 10)
    rule = find_rule("datanode.heap")
    assert isinstance(rule, SettingRule)
    heap = heap_bytes(str(rule.decide(facts).value))
    assert heap is not None
    assert heap >= least_gib * GIB
    assert rule.accepts("-Xmx4g", rule.decide(facts), facts) is (least_gib < 10)


def test_three_datanodes_have_none_to_replace_a_lost_one() -> None:
    three = values_of([rules_of("hdfs")], facts_of(kinds=((a_worker(per_host=1), 3),), worker_hosts=3))
    assert three[REPLACE] == "NEVER"
    four = values_of([rules_of("hdfs")], facts_of(kinds=((a_worker(per_host=1), 4),), worker_hosts=4))
    assert REPLACE not in four
    two = values_of([rules_of("hdfs")], facts_of(kinds=((a_worker(per_host=1), 2),), worker_hosts=2))
    assert REPLACE not in two


@pytest.mark.parametrize(
    ("value", "more", "well"),
    [
        ("DEFAULT", {}, False),
        ("ALWAYS", {}, False),
        ("NEVER", {}, True),
        ("DEFAULT", {"best-effort": True}, True),
        ("DEFAULT", {"enable": False}, True),
    ],
)
def test_other_ways_to_go_on_are_accepted(value: str, more: dict[str, bool], well: bool) -> None:
    rule = find_rule("hdfs.replace-datanode")
    assert isinstance(rule, SettingRule)
    facts = facts_of(kinds=((a_worker(per_host=1), 3),), worker_hosts=3).deciding("dfs.replication", 3)
    for name, setting in more.items():
        facts = facts.deciding(f"{REPLACE.removesuffix('policy')}{name}", setting)
    assert rule.accepts(value, rule.decide(facts), facts) is well
