"""The heaps of masters beside the NameNode grow with what they have to know, and fit their places."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howdah.model.plan import Role, Value
from howdah.model.request import PlanRequest
from howdah.planner.facts import Facts
from howdah.planner.heap import ClusterSize, cluster_size, heaps_in, master_heaps
from howdah.planner.rule import SettingRule
from howdah.planner.rules.catalogue import find_rule
from howdah.releases.values import heap_bytes
from howdah.units import GIB
from support.facts import HBASE, MASTERS, MIX, a_master, a_worker, asking, facts_of

CACHE = "mapreduce.jobhistory.loadedtasks.cache.size"
LARGE = ((a_worker(memory_gib=500, slots=48, per_host=1), 2_000),)


def decided(rule_id: str, facts: Facts) -> Value:
    rule = find_rule(rule_id)
    assert isinstance(rule, SettingRule)
    return rule.decide(facts).value


def heap(rule_id: str, facts: Facts) -> float:
    found = heap_bytes(str(decided(rule_id, facts)))
    assert found is not None
    return found / GIB


def test_a_small_cluster_has_small_masters() -> None:
    heaps = master_heaps(cluster_size(PlanRequest(workloads=MIX), ((a_worker(slots=4), 6),)))
    assert [heaps[role] / GIB for role in (Role.RESOURCEMANAGER, Role.JOB_HISTORY)] == [2, 1]
    # 600 regions: Cloudera names 4 GB from 100 on.
    assert [heaps[role] / GIB for role in (Role.HMASTER, Role.ZOOKEEPER)] == [4, 1]


def test_two_thousand_hosts_have_larger_ones() -> None:
    home = a_master(*MASTERS[0].roles, memory_gib=250)
    facts = facts_of(kinds=LARGE, request=asking(MIX), masters=(home,))
    # 1 GiB, 2,000 / 250, 192,000 containers / 50,000.
    assert heap("scheduler.heap", facts) == 13
    assert heap("zookeeper.heap", facts) == 5
    assert heap("hbase.master-heap", facts) == 12
    # Two waves of 96,000 map tasks and 96,000 reduce tasks, and a fifth more.
    assert decided("jobs.history-cache", facts) == 350_000
    assert heap("jobs.history-heap", facts) == pytest.approx(0.5 + 350_000 * 12_000 / GIB, abs=0.1)


def test_a_large_job_has_a_large_history() -> None:
    facts = facts_of(request=asking(dataset=30 * 10**12))
    tasks = decided("jobs.history-cache", facts)
    assert isinstance(tasks, int)
    assert tasks > 30e12 / 2**27
    assert heap("jobs.history-heap", facts) > tasks * 12_000 / GIB


def test_the_heap_follows_the_cache_that_is_configured() -> None:
    facts = facts_of().deciding(CACHE, 500_000)
    rule = find_rule("jobs.history-heap")
    assert isinstance(rule, SettingRule)
    decision = rule.decide(facts)
    assert not rule.accepts("-Xmx1024m", decision, facts)
    # mapred-default.xml: 6 GB for 500,000 tasks. More is no fault.
    assert rule.accepts("-Xmx6g", decision, facts)
    assert rule.accepts("-Xmx31g", decision, facts)


def test_no_check_has_others_shrink_a_history_server() -> None:
    rule = find_rule("jobs.history-heap")
    assert isinstance(rule, SettingRule)
    facts = facts_of()
    assert rule.accepts("-Xmx9600m", rule.decide(facts), facts)


def test_a_place_that_is_too_small_keeps_half_of_its_heaps_for_the_namenode() -> None:
    wanted = master_heaps(ClusterSize(workers=2_000, containers=192_000, job_tasks=400_000, regions=200_000))
    home = a_master(Role.NAMENODE, Role.RESOURCEMANAGER, Role.ZOOKEEPER, memory_gib=26)
    given = heaps_in(home, wanted)
    assert given[Role.RESOURCEMANAGER] >= 2 * GIB
    assert sum(given.values()) <= 9 * GIB
    roomy = home.model_copy(update={"memory_bytes": 260 * GIB})
    assert heaps_in(roomy, wanted)[Role.RESOURCEMANAGER] == wanted[Role.RESOURCEMANAGER]


@pytest.mark.parametrize(("value", "well"), [(60, False), (300, True), (0, True), (5_000, True)])
def test_hbase_needs_many_connections_to_zookeeper(value: Value, well: bool) -> None:
    rule = find_rule("zookeeper.connections")
    assert isinstance(rule, SettingRule)
    facts = facts_of(request=asking(HBASE))
    assert rule.accepts(value, rule.decide(facts), facts) is well


def test_application_masters_grow_with_the_largest_job() -> None:
    large = facts_of(kinds=LARGE, request=asking((MIX[0].model_copy(update={"kind": "mapreduce"}),)))
    assert decided("mapreduce.master-memory", large) > 8192  # type: ignore[operator]
    small = replace(large, known_cluster=facts_of().cluster)
    assert decided("mapreduce.master-memory", small) == 1536
