"""Places: what a plan tells of racks and disks of JournalNodes and ZooKeepers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from howdah.model.plan import Placement, Rack, Role, Topology
from howdah.planner.facts import ClusterFacts, Facts
from howdah.planner.rule import AdviceRule
from howdah.planner.rules.catalogue import find_rule
from support.facts import a_master, facts_of

QUORUM = (Role.JOURNALNODE, Role.ZOOKEEPER)


def facts(racks: Mapping[str, tuple[str, ...]], *, real: bool = True, disks: int = 0) -> Facts:
    """Three masters on h01, h02 and h03, in racks."""
    masters = tuple(
        a_master(*QUORUM, host=f"h{number:02d}").model_copy(update={"name": f"m{number}"})
        for number in (1, 2, 3)
    )
    known = facts_of(masters=masters)
    assert isinstance(known.known_cluster, ClusterFacts)
    cluster = replace(
        known.known_cluster,
        topology=Topology(
            placement=Placement.DEFAULT,
            real_racks=real,
            racks=tuple(Rack(name=name, hosts=hosts) for name, hosts in racks.items()),
            reason="a test's",
        ),
        idle_disks={master.name: disks for master in masters},
    )
    return replace(known, known_cluster=cluster)


def told(rule_id: str, known: Facts) -> str | None:
    rule = find_rule(rule_id)
    assert isinstance(rule, AdviceRule)
    return rule.advise(known) if rule.holds(known) else None


THREE = {"r1": ("h01",), "r2": ("h02",), "r3": ("h03",)}
TWO = {"r1": ("h[01-02]",), "r2": ("h[03-09]",)}


def test_a_rack_with_most_of_a_quorum_is_told() -> None:
    assert told("ha.three-racks", facts(THREE)) is None
    text = told("ha.three-racks", facts(TWO))
    assert text is not None
    assert text.startswith("2 of the 3 hosts with JournalNodes and ZooKeepers are in rack r1")


@pytest.mark.parametrize(
    "known", [facts({"r1": ("h[01-09]",)}), facts(TWO, real=False), facts({"r1": ("a",), "r2": ("b",)})]
)
def test_nothing_is_told_where_there_is_one_rack_or_none_is_known(known: Facts) -> None:
    assert told("ha.three-racks", known) is None


def test_disks_of_their_own_are_told_where_there_are_none() -> None:
    text = told("ha.own-disks", facts(THREE))
    assert text is not None
    assert "three disks that no worker uses" in text
    assert told("ha.own-disks", facts(THREE, disks=2)) is None
