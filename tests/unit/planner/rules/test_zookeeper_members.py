"""ZooKeeper's members: a file with which they start, are found, and lose nothing."""

from __future__ import annotations

import pytest

from support.facts import rules_of
from support.pairs import complaints_about, found_with, without

SOUND = {
    "tickTime": "2000",
    "initLimit": "10",
    "syncLimit": "5",
    "dataDir": "/var/lib/zookeeper",
    "clientPort": "2181",
    **{f"server.{number}": f"h{number}:2888:3888" for number in (1, 2, 3)},
}


def rules_against(properties: dict[str, str], workers: tuple[str, ...] = ()) -> list[str]:
    found = found_with(properties, file="zoo.cfg", workers=workers)
    return [rule for rule, _ in complaints_about(rules_of("zookeeper"), found)]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"server.4": "h4:2888:3888:observer"},
        {"server.3": "h3:2888:3888;2181", "ha.zookeeper.quorum": "h1:2181,h2,h3:2181/hadoop"},
        {"server.3": "h3:2888:3888|g3:2888:3888"},
        {"server.3": "[fe80::3]:2888:3888"},
        {"minSessionTimeout": "4000", "maxSessionTimeout": "90000", "forceSync": "yes"},
        {"minSessionTimeout": "-1"},
        {"ha.zookeeper.quorum": "h1.example.com:2181,h2.example.com:2181,h3.example.com:2181"},
        {"server.1": "0.0.0.0:2888:3888", "ha.zookeeper.quorum": "h9:2181,h2:2181,h3:2181"},
        {"hadoop.zk.address": "10.0.0.1:2181,10.0.0.2:2181,10.0.0.3:2181"},
    ],
)
def test_sound_members_pass(more: dict[str, str]) -> None:
    assert rules_against({**SOUND, **more}) == []


def test_one_alone_is_asked_for_nothing() -> None:
    assert rules_against({"dataDir": "/var/lib/zookeeper", "clientPort": "2181"}) == []


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"server.3": "h3:2888"}, "zookeeper.member-form"),
        ({"server.3": "h2:2889:3889"}, "zookeeper.member-count"),
        ({"server.4": "h4:2888:3888"}, "zookeeper.member-count"),
        ({"syncLimit": "0"}, "zookeeper.member-limits"),
        ({"forceSync": "no"}, "zookeeper.forced-log"),
        ({"minSessionTimeout": "60000"}, "zookeeper.session-order"),
        ({"maxSessionTimeout": "2000"}, "zookeeper.session-order"),
        ({"ha.zookeeper.quorum": "h1:2181,h2:2181,h9:2181"}, "zookeeper.asked-members"),
        ({"ha.zookeeper.quorum": "h1.a.com:2181,h2.a.com:2181,g3.a.com:2181"}, "zookeeper.asked-members"),
        ({"hadoop.zk.address": "h1:2182,h2:2182,h3:2182"}, "zookeeper.asked-members"),
        ({"dataDir": "/data/01/zk", "dfs.datanode.data.dir": "/data/01,/data/02"}, "zookeeper.log-apart"),
    ],
)
def test_each_fault_is_found(more: dict[str, str], rule: str) -> None:
    assert rules_against({**SOUND, **more}) == [rule]


@pytest.mark.parametrize("key", ["initLimit", "syncLimit"])
def test_several_members_say_how_long_they_wait(key: str) -> None:
    ((rule, one),) = complaints_about(rules_of("zookeeper"), found_with(without(SOUND, key), file="zoo.cfg"))
    assert (rule, one.about) == ("zookeeper.member-limits", key)


def test_two_members_are_given_a_third() -> None:
    ((_, one),) = complaints_about(
        rules_of("zookeeper"), found_with(without(SOUND, "server.3"), file="zoo.cfg")
    )
    assert "set server.3 to another host's address" in one.fix


def test_a_log_among_blocks_is_no_fault_of_hosts_that_are_no_workers() -> None:
    blocks = {**SOUND, "dataLogDir": "/data/01/zk", "dfs.datanode.data.dir": "/data/01,/data/02"}
    assert rules_against(blocks, workers=("w1", "w2")) == []
    assert rules_against(blocks, workers=("h1", "w2")) == ["zookeeper.log-apart"]
