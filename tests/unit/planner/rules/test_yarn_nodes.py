"""How long a silent worker is waited for, and where what is said of nodes is kept."""

from __future__ import annotations

import pytest

from howdah.model.plan import Value
from howdah.model.request import DEFAULT_HADOOP, PlanRequest, Protection
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Inspection, SettingRule
from howdah.planner.rules.yarn import DEFAULTS_MS
from howdah.releases.catalogue import hadoop
from support.facts import HBASE, a_configuration, a_worker, asking, facts_of, rules_of, values_of

NODE = "yarn.nm.liveness-monitor.expiry-interval-ms"
CONNECTED = "yarn.client.nodemanager-connect.max-wait-ms"
MASTER = "yarn.am.liveness-monitor.expiry-interval-ms"
HEARTBEAT = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
ATTRIBUTES = "yarn.node-attribute.fs-store.root-dir"
LABELS = "yarn.node-labels.fs-store.root-dir"
HAS_LABELS = {"yarn.node-labels.enabled": "true"}
PAIR = {"yarn.resourcemanager.ha.enabled": "true"}

ALONE = facts_of().deciding("fs.defaultFS", "hdfs://h1:8020")
PAIRED = facts_of(request=PlanRequest(protection=Protection.HA)).deciding("fs.defaultFS", "hdfs://cluster")


def values(facts: Facts) -> dict[str, Value]:
    return values_of([rules_of("nodes")], facts)


def accepted(facts: Facts, key: str, found: Value) -> bool:
    (rule,) = [
        one
        for one in rules_of("nodes")
        if isinstance(one, SettingRule) and one.key == key and one.holds(facts)
    ]
    return rule.accepts(found, rule.decide(facts), facts)


def seen(rule_id: str, properties: dict[str, str]) -> list[Observation]:
    (rule,) = [one for one in rules_of("nodes") if one.id == rule_id]
    assert isinstance(rule, Inspection)
    return list(rule.inspect(Inspected(a_configuration(properties)), ALONE))


def test_a_lost_worker_is_given_up_in_three_minutes_and_the_reason_says_why() -> None:
    assert values(ALONE)[NODE] == 180_000
    (rule,) = [one for one in rules_of("nodes") if isinstance(one, SettingRule) and one.key == NODE]
    decision = rule.decide(ALONE)
    assert "HDFS" in decision.because
    assert [one.value for one in decision.inputs] == [30_000]


def test_a_worker_that_was_given_up_is_asked_for_a_minute_only() -> None:
    assert values(ALONE)[CONNECTED] == 60_000
    within = [(10_000, False), (20_000, True), (180_000, True), (600_000, False)]
    assert [(wait, accepted(ALONE, CONNECTED, wait)) for wait, _ in within] == within


@pytest.mark.parametrize(
    ("found", "well"), [(20_000, False), (60_000, True), (180_000, True), (600_000, True), (3_600_000, False)]
)
def test_a_wait_that_a_pause_outlasts_or_nobody_would_is_not_accepted(found: int, well: bool) -> None:
    assert accepted(ALONE, NODE, found) is well


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({}, []),
        ({NODE: "180000"}, [True]),
        ({NODE: "5000"}, [False]),
        ({NODE: "180000", HEARTBEAT: "30000"}, [False]),
        ({HEARTBEAT: "120000"}, [False]),
        ({HEARTBEAT: "0"}, [False]),
        ({MASTER: "120000"}, [False]),
        ({NODE: "180000", MASTER: "120000"}, [True, False]),
        ({NODE: "180000", MASTER: "600000"}, [True, True]),
    ],
)
def test_the_intervals_are_in_order(properties: dict[str, str], said: list[bool]) -> None:
    assert [one.ok for one in seen("nodes.lost-in-order", properties)] == said


def test_what_is_no_number_is_left_to_the_rule_about_types() -> None:
    with pytest.raises(MissingFact, match=NODE):
        seen("nodes.lost-in-order", {NODE: "soon"})


def test_the_defaults_reckoned_with_are_the_releases() -> None:
    release = hadoop(DEFAULT_HADOOP)
    for key, default in DEFAULTS_MS.items():
        known = release.find(key)
        assert known is not None
        assert known.default == str(default)


def test_a_pair_keeps_what_is_said_of_nodes_in_hdfs_and_one_alone_on_its_disk() -> None:
    assert values(ALONE)[ATTRIBUTES] == "file:///var/lib/hadoop/yarn-node-attributes"
    assert values(PAIRED)[ATTRIBUTES] == "hdfs://cluster/yarn/node-attributes"


def test_where_only_hbase_runs_there_are_no_nodes() -> None:
    assert values(facts_of(a_worker(slots=0), request=asking(HBASE))) == {}


@pytest.mark.parametrize("facts", [ALONE, PAIRED], ids=["alone", "paired"])
@pytest.mark.parametrize(
    ("found", "well"),
    [
        ("", False),
        ("file:///tmp/hadoop-yarn-yarn/node-attribute", False),
        ("file:///var/lib/yarn/attributes", True),
        ("hdfs://cluster/attributes", True),
        ("/yarn/attributes", True),
    ],
)
def test_attributes_are_kept_where_nothing_empties_them(facts: Facts, found: str, well: bool) -> None:
    assert accepted(facts, ATTRIBUTES, found) is well


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({}, []),
        (PAIR, []),
        (HAS_LABELS, [False]),
        ({**HAS_LABELS, LABELS: "file:///tmp/labels"}, [False]),
        ({**HAS_LABELS, LABELS: "file:///var/lib/yarn/labels"}, [True]),
        ({**HAS_LABELS, **PAIR, LABELS: "file:///var/lib/yarn/labels"}, [False]),
        ({**HAS_LABELS, **PAIR, LABELS: "hdfs://cluster/yarn/node-labels"}, [True]),
        ({**PAIR, ATTRIBUTES: "file:///var/lib/yarn/attributes"}, [False]),
        ({**PAIR, ATTRIBUTES: "hdfs://cluster/yarn/node-attributes"}, [True]),
        ({ATTRIBUTES: "file:///var/lib/yarn/attributes"}, []),
    ],
)
def test_a_pair_keeps_nothing_on_a_disk_of_one_of_them(properties: dict[str, str], said: list[bool]) -> None:
    assert [one.ok for one in seen("nodes.kept-for-both", properties)] == said
