"""The literature behind the rules: every item a machine can decide has a rule that cites it."""

from __future__ import annotations

import re

import pytest

from howdah.planner.document import GUIDES, PAPERS, item, items, source_text, spell
from howdah.planner.rules.catalogue import RULES

BEYOND = {
    "D0 5": "a worker of howdah runs DataNode and NodeManager together, so there is one size to decide",
    "D0 75": "a result, not a setting: the planner's exam holds its hosts to it",
    "D0 144": "where one laboratory's ESXi booted from, and which release of Linux and Hadoop it ran",
    "D4 140": "how a benchmark is run: `howdah run` sizes and rates it so",
}
"""Practices, configurations and warnings that no rule can decide, and why."""

OWN = re.compile(
    r"howdah|libvirt|Kerberos|(Hadoop|HBase|Spark|ZooKeeper|Linux|Java|vSphere)( [\d.]+)?(: .+)?"
    r"|(HDFS|HBASE|HADOOP|YARN|MAPREDUCE|ZOOKEEPER|JDK)-\d+|(JEP|RFC) \d+"
)
"""How a source reads that is no item of a paper."""


def cited() -> set[str]:
    found = (item(source) for rule in RULES for source in rule.sources)
    return {one.label for one in found if one is not None}


def test_everything_a_machine_can_decide_is_cited_by_a_rule() -> None:
    decidable = {label for label, one in items().items() if one.kind in "PCA"}
    assert len(decidable) >= 100
    assert sorted(decidable - cited() - BEYOND.keys()) == []


def test_nothing_is_called_beyond_a_machine_that_a_rule_decides() -> None:
    assert BEYOND.keys() & cited() == set()
    assert items().keys() >= BEYOND.keys()


def test_every_contradiction_is_resolved_by_a_rule() -> None:
    # X9 lists slips of one paper's text; X11 is the translation that every rule about YARN makes.
    resolved = {label for label, one in items().items() if one.kind == "X"}
    assert sorted(resolved - cited() - {"X9"}) == []


def test_every_source_is_told_for_those_who_only_have_the_files() -> None:
    for rule in RULES:
        for source in rule.sources:
            assert ", " not in source, "sources are listed with commas"
            assert len(source_text(source)) > len(source), source


def test_every_guide_is_cited() -> None:
    assert GUIDES.keys() - {source for rule in RULES for source in rule.sources} == set()


def test_every_source_is_an_item_or_names_what_it_is() -> None:
    strange = {
        source
        for rule in RULES
        for source in rule.sources
        if item(source) is None and source not in GUIDES and not OWN.fullmatch(source)
    }
    assert strange == set()


def test_every_rule_has_a_source_and_no_source_twice() -> None:
    assert [rule.id for rule in RULES if not rule.sources] == []
    assert [rule.id for rule in RULES if len(set(rule.sources)) != len(rule.sources)] == []


@pytest.mark.parametrize(
    ("source", "beginning"),
    [
        ("D0 49", "Virtualized Hadoop Performance with VMware vSphere 6"),
        ("D0 64a", "Virtualized Hadoop Performance with VMware vSphere 6"),
        ("D1 76", "Protecting Hadoop"),
        ("D4 126", "AMAX"),
        ("X7", "howdah: where the papers disagree"),
        ("HDFS-7122", ""),
        ("D0 999", ""),
        ("X12", ""),
        ("D9 1", ""),
    ],
)
def test_sources_spelled_out(source: str, beginning: str) -> None:
    title = spell(source).title
    assert title.startswith(beginning)
    assert bool(title) is bool(beginning)


def test_a_number_belongs_to_one_paper_only() -> None:
    assert item("D0 49") is not None
    assert item("D1 49") is None
    assert item("D0 4") is not item("D0 49")


def test_every_paper_has_items_and_every_item_a_paper() -> None:
    assert {one.paper for one in items().values()} == PAPERS.keys()
    assert all(one.says for one in items().values())
    numbers = [one.number for one in items().values()]
    assert len(set(numbers)) == len(numbers)
