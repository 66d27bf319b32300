"""Quorums: lists that ZooKeeper's client can read, members enough, and racks."""

from __future__ import annotations

import pytest

from howdah.planner.rules.ha import quorums
from support.pairs import NAMENODES, complaints_about, found_with, rules_in

KEY = "ha.zookeeper.quorum"
ROWS = {"w1": "/r1", "w2": "/r2", "w3": "/r3"}


def rules_against(**changes: str) -> list[str]:
    found = found_with({**NAMENODES, **changes})
    return [rule for rule, _ in complaints_about(rules_in(quorums), found)]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("h1:2181,h2:2181,h3:2181", []),
        ("h1:2181, h2:2181, h3:2181/hadoop", []),
        ("h1,h2,h3", []),
        ("[fe80::1]:2181,h2:2181,h3:2181", []),
        ("h1:2181,h2:2181", ["ha.zookeeper-members"]),
        ("h1:2181", ["ha.zookeeper-members"]),
        ("h1:2181;h2:2181;h3:2181", ["ha.zookeeper-list"]),
        ("h1:2181 h2:2181 h3:2181", ["ha.zookeeper-list"]),
    ],
)
def test_a_list_is_read_and_counted(text: str, rules: list[str]) -> None:
    assert rules_against(**{KEY: text}) == rules


def test_the_fix_joins_what_was_listed_with_commas() -> None:
    found = found_with({**NAMENODES, KEY: "h1:2181;h2:2181;h3:2181"})
    ((_, one),) = complaints_about(rules_in(quorums), found)
    assert f"set {KEY} to h1:2181,h2:2181,h3:2181 in" in one.fix


def test_two_keepers_of_hbase_stand_still_twice_as_often_as_one() -> None:
    assert rules_against(**{"hbase.zookeeper.quorum": "h1,h2"}) == ["ha.zookeeper-members"]
    assert rules_against(**{"hbase.zookeeper.quorum": "h1"}) == []


def test_an_election_has_a_path() -> None:
    key, rules = "ha.zookeeper.parent-znode", [quorums.rules["ha.election-path"]]
    assert complaints_about(rules, found_with({**NAMENODES, key: "/elsewhere"})) == []
    ((_, one),) = complaints_about(rules, found_with({**NAMENODES, key: "hadoop-ha"}))
    assert f"set {key} to /hadoop-ha" in one.fix


@pytest.mark.parametrize(
    ("places", "well"),
    [
        (("/r1", "/r2", "/r3"), True),
        (("/r1", "/r1", "/r2"), False),
        (("/r1", "/r1", "/r1"), False),
        (("/r1", "/r2", ""), True),
    ],
)
def test_a_rack_may_be_lost(places: tuple[str, ...], well: bool) -> None:
    mapped = {**ROWS, **{f"h{number}": place for number, place in enumerate(places, 1) if place}}
    found = found_with(NAMENODES, mapped=mapped)
    about = [one.about for _, one in complaints_about(rules_in(quorums), found)]
    assert about == ([] if well else ["dfs.namenode.shared.edits.dir", KEY])


def test_in_two_racks_it_is_enough_not_to_be_in_one() -> None:
    rows = {"w1": "/r1", "w2": "/r2"}
    shared = found_with(NAMENODES, mapped={**rows, "h1": "/r1", "h2": "/r1", "h3": "/r2"})
    assert complaints_about(rules_in(quorums), shared) == []
    alone = found_with(NAMENODES, mapped={**rows, "h1": "/r1", "h2": "/r1", "h3": "/r1"})
    assert len(complaints_about(rules_in(quorums), alone)) == 2


def test_virtual_racks_are_not_lost() -> None:
    grouped = {**NAMENODES, "net.topology.impl": "org.apache.hadoop.net.NetworkTopologyWithNodeGroup"}
    mapped = {**ROWS, **{f"h{number}": "/r1" for number in (1, 2, 3)}}
    assert complaints_about(rules_in(quorums), found_with(grouped, mapped=mapped)) == []
