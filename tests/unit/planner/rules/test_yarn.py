"""YARN: what fits at once, and the laws that every rule about Hadoop's settings keeps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.model.plan import Role, Value
from howdah.model.request import PlanRequest, Protection
from howdah.planner.budget import budget
from howdah.planner.facts import Facts
from howdah.planner.platforms.division import least_worker, slots_in
from howdah.planner.reading import Inspected
from howdah.planner.rule import Inspection, SettingRule
from howdah.releases.catalogue import PLANNED_VERSIONS, hadoop, hbase
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB
from support.facts import (
    HADOOP_RULES,
    HBASE,
    MASTERS,
    MIX,
    TERASORT,
    a_configuration,
    a_master,
    a_worker,
    asking,
    decided_by,
    facts_of,
    rule_named,
    seen,
    values_of,
    will_do,
)

MEMORY = "yarn.nodemanager.resource.memory-mb"
VCORES = "yarn.nodemanager.resource.cpu-vcores"


def values(facts: Facts | None = None) -> dict[str, Value]:
    return values_of(HADOOP_RULES, facts or facts_of())


@st.composite
def clusters(draw: st.DrawFn) -> Facts:
    """Clusters of workers whose slots the planner would give: room for daemons and the least containers."""
    workloads = draw(st.sampled_from([TERASORT, HBASE, MIX]))
    memory_gib = draw(st.floats(least_worker(asking(workloads)) / GIB, 2048))
    most = min(256, slots_in(int(memory_gib * GIB), asking(workloads)))
    slots = draw(st.integers(1, most)) if workloads is not HBASE else 0
    worker = a_worker(
        memory_gib, slots=slots, disks=draw(st.integers(1, 24)), vcpus=draw(st.integers(1, 256))
    )
    request = asking(
        workloads,
        dataset=draw(st.none() | st.integers(10**9, 10**15)),
        paper=draw(st.booleans()),
        secure=draw(st.booleans()),
    ).model_copy(update={"protection": draw(st.sampled_from(Protection))})
    return facts_of(
        kinds=((worker, draw(st.integers(1, 10_000))),),
        request=request,
        worker_hosts=draw(st.integers(1, 5000)),
    )


@given(clusters())
@settings(deadline=None, max_examples=30)
def test_every_rule_accepts_its_own_decision_and_says_why(facts: Facts) -> None:
    for key, (rule, decision, known) in decided_by(HADOOP_RULES, facts).items():
        assert rule.accepts(decision.value, decision, known), key
        assert decision.because, key


@given(clusters().filter(lambda facts: facts.request.mapreduce))
@settings(deadline=None, max_examples=30)
def test_containers_and_daemons_fit_the_worker(facts: Facts) -> None:
    worker, decided = facts.worker, values(facts)
    sizes = {kind: decided[f"mapreduce.{kind}.memory.mb"] for kind in ("map", "reduce")}
    assert all(isinstance(size, int) for size in (*sizes.values(), decided[MEMORY], decided[VCORES]))
    tasks = worker.map_slots * int(str(sizes["map"])) + worker.reduce_slots * int(str(sizes["reduce"]))
    memory = int(str(decided[MEMORY]))
    assert tasks <= memory
    options = ("HDFS_DATANODE_OPTS", "YARN_NODEMANAGER_OPTS", "HBASE_REGIONSERVER_OPTS")
    daemons = sum(heap_bytes(str(decided[name])) or 0 for name in options if name in decided)
    cache = int(str(decided.get("hbase.bucketcache.size", 0))) * MIB
    assert memory * MIB + daemons + cache < worker.memory_bytes
    heaps = sum(
        worker.map_slots * (heap_bytes(str(decided[f"mapreduce.{kind}.java.opts"])) or 0)
        for kind in ("map", "reduce")
    )
    assert heaps < worker.memory_bytes / 2
    assert int(str(decided[VCORES])) >= worker.map_slots + worker.reduce_slots


@given(clusters(), st.floats(1, 4))
@settings(deadline=None, max_examples=15)
def test_more_memory_never_makes_containers_smaller(facts: Facts, times: float) -> None:
    if not facts.request.mapreduce:
        return
    worker = facts.worker
    larger = worker.model_copy(update={"memory_bytes": int(worker.memory_bytes * times)})
    more = facts_of(
        kinds=((larger, facts.cluster.workers),),
        request=facts.request,
        worker_hosts=facts.cluster.worker_hosts,
    )
    for key in ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", MEMORY):
        assert int(str(values(more)[key])) >= int(str(values(facts)[key]))


@given(clusters())
@settings(deadline=None, max_examples=15)
def test_every_value_is_what_its_release_reads(facts: Facts) -> None:
    for rule, decision, _ in decided_by(HADOOP_RULES, facts).values():
        if not rule.file.endswith(".xml"):
            continue
        release = hbase("2.6.4") if rule.file == "hbase-site.xml" else hadoop("3.5.0")
        text = ",".join(decision.value) if isinstance(decision.value, tuple) else str(decision.value)
        text = text.lower() if isinstance(decision.value, bool) else text
        assert release.misfit(rule.key, text) is None, (rule.key, text)


@pytest.mark.parametrize("version", PLANNED_VERSIONS)
def test_every_key_is_one_that_its_release_knows(version: str) -> None:
    for rule in (rule for rules in HADOOP_RULES for rule in rules):
        if isinstance(rule, SettingRule) and rule.file.endswith(".xml"):
            if version == "3.3.6" and rule.id == "jvm.open-modules":
                continue  # Silent there, which test_jvm.py holds it to.
            release = hbase("2.6.4") if rule.file == "hbase-site.xml" else hadoop(version)
            assert release.find(rule.key) is not None, rule.key
            assert release.replacement(rule.key) == (), rule.key


def test_ids_are_unique_and_name_their_module() -> None:
    rules = [rule for rules in HADOOP_RULES for rule in rules]
    assert len({rule.id for rule in rules}) == len(rules)
    for group in HADOOP_RULES:
        assert len({rule.subject for rule in group}) == 1


def test_the_reason_for_the_memory_tells_tasks_and_page_cache() -> None:
    _, decision, _ = decided_by(HADOOP_RULES, facts_of())[MEMORY]
    assert decision.because.startswith("6 map tasks of 2048 MB and 6 reduce tasks of 3072 MB at once")
    assert "left to the page cache" in decision.because
    assert {one.name for one in decision.inputs} >= {"worker's memory", "DataNode", "map tasks at once"}


def test_vcores_are_the_papers_slots_and_an_application_master() -> None:
    _, decision, _ = decided_by(HADOOP_RULES, facts_of())[VCORES]
    assert decision.value == 13
    assert "the papers' slots" in decision.because


def test_masters_beside_a_worker_take_their_memory_from_it() -> None:
    worker = a_worker(24, slots=4)
    shared = (a_master(Role.NAMENODE, Role.RESOURCEMANAGER, memory_gib=8, shares=True),)
    facts = facts_of(worker, masters=shared)
    assert budget(worker, facts).masters == 6 * GIB
    assert int(str(values(facts)[MEMORY])) <= int(str(values(facts_of(worker, masters=MASTERS))[MEMORY]))


@pytest.mark.parametrize(
    ("rule", "found", "well"),
    [
        ("yarn.memory", 34816, True),
        ("yarn.memory", 8192, False),
        ("yarn.memory", 61000, False),
        ("yarn.vcores", 10, True),
        ("yarn.vcores", 8, False),
        ("yarn.vcores", 200, False),
        ("yarn.least-allocation", 1024, True),
        ("yarn.least-allocation", 4096, False),
        ("yarn.least-allocation", 0, False),
        ("yarn.virtual-memory", True, False),
        ("yarn.physical-memory", False, False),
        ("nodemanager.log-dirs", ("logs/userlogs",), False),
        ("nodemanager.log-dirs", ("/var/log/hadoop-yarn",), True),
        ("nodemanager.shuffle-service", ("mapreduce_shuffle", "spark_shuffle"), True),
        ("nodemanager.shuffle-service", ("spark_shuffle",), False),
        ("nodemanager.local-dirs", ("/data/01/yarn",), False),
        ("nodemanager.address", "${yarn.nodemanager.hostname}:0", False),
        ("nodemanager.recovery-supervised", False, False),
        ("nodemanager.disk-full", 90.0, True),
        ("nodemanager.disk-full", 50.0, False),
        (
            "scheduler.class",
            "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
            True,
        ),
    ],
)
def test_what_exists_is_judged_as_an_administrator_would(rule: str, found: Value, well: bool) -> None:
    assert will_do(rule, found) is well


@pytest.mark.parametrize(
    ("rule", "properties", "said"),
    [
        ("yarn.memory-of-worker", {MEMORY: "61440"}, [False]),
        ("yarn.memory-of-worker", {MEMORY: "40960"}, [True]),
        ("yarn.memory-of-worker", {MEMORY: "-1"}, []),
        ("yarn.container-fits", {MEMORY: "4096", "mapreduce.reduce.memory.mb": "8192"}, [False]),
        (
            "yarn.container-fits",
            {"yarn.scheduler.maximum-allocation-mb": "2048", "mapreduce.map.memory.mb": "2048"},
            [True],
        ),
        (
            "yarn.least-container",
            {"yarn.scheduler.minimum-allocation-mb": "4096", "mapreduce.map.memory.mb": "1024"},
            [False],
        ),
        ("nodemanager.port", {"yarn.nodemanager.recovery.enabled": "true"}, [False]),
        (
            "nodemanager.port",
            {"yarn.nodemanager.recovery.enabled": "true", "yarn.nodemanager.address": "0.0.0.0:8041"},
            [True],
        ),
        (
            "volumes.all-disks",
            {"dfs.datanode.data.dir": "/a,/b", "yarn.nodemanager.local-dirs": "/a"},
            [False],
        ),
    ],
)
def test_combinations_that_cannot_work_are_found(
    rule: str, properties: dict[str, str], said: list[bool]
) -> None:
    assert seen(rule, a_configuration(properties)) == said


def test_a_worker_of_more_than_a_million_mebibytes_is_told_to_the_last_one() -> None:
    rule = rule_named("yarn.container-fits")
    assert isinstance(rule, Inspection)
    found = a_configuration({MEMORY: "1572864", "mapreduce.map.memory.mb": "1572865"})
    (one,) = rule.inspect(Inspected(found), facts_of())
    assert one.found == "1572865 MB"
    assert "to at most 1572864 or" in one.fix


def test_the_study_ran_the_fair_scheduler_with_the_same_steps() -> None:
    decided = values(facts_of(request=asking(paper=True)))
    assert str(decided["yarn.resourcemanager.scheduler.class"]).endswith("FairScheduler")
    assert (
        decided["yarn.scheduler.increment-allocation-mb"] == decided["yarn.scheduler.minimum-allocation-mb"]
    )


def test_a_small_cluster_gives_application_masters_more_of_it() -> None:
    one = facts_of(kinds=((a_worker(14, slots=2), 1),), worker_hosts=1)
    assert values(one)["yarn.scheduler.capacity.maximum-am-resource-percent"] == 0.5
    assert values()["yarn.scheduler.capacity.maximum-am-resource-percent"] == 0.1


def test_a_pair_of_resourcemanagers_has_rules_of_its_own_for_what_it_remembers() -> None:
    pair = facts_of(request=PlanRequest(protection=Protection.HA))
    assert "yarn.resourcemanager.store.class" not in values(pair)


def test_nothing_of_yarn_is_set_where_only_hbase_runs() -> None:
    decided = values(facts_of(a_worker(slots=0), request=asking(HBASE)))
    assert [key for key in decided if key.startswith(("yarn.", "mapreduce."))] == []
