"""Configurations that only look like a pair: what each lacks is found."""

from __future__ import annotations

import pytest

from support.facts import rules_of
from support.pairs import MANAGERS, NAMENODES, complaints_about, found_with, without


def test_a_sound_pair_passes_and_a_single_name_node_is_not_asked() -> None:
    assert complaints_about(rules_of("ha"), found_with({**NAMENODES, **MANAGERS})) == []
    assert complaints_about(rules_of("ha"), found_with({"fs.defaultFS": "hdfs://h1:8020"})) == []


@pytest.mark.parametrize(
    ("key", "text"),
    [("dfs.namenode.rpc-address.ns.nn2", "H1:8020"), ("yarn.resourcemanager.hostname.rm2", "h1")],
)
def test_two_of_a_pair_on_one_host_are_found(key: str, text: str) -> None:
    ((rule, one),) = complaints_about(rules_of("ha"), found_with({**NAMENODES, **MANAGERS, key: text}))
    assert (rule, one.about) == ("ha.pairs-apart", key)
    assert key in one.fix
    assert one.where.startswith("hdfs-site.xml:")


@pytest.mark.parametrize(
    "key",
    [
        "dfs.namenode.shared.edits.dir",
        "dfs.ha.fencing.methods",
        "dfs.client.failover.proxy.provider.ns",
        "dfs.namenode.rpc-address.ns.nn2",
        "ha.zookeeper.quorum",
    ],
)
def test_each_missing_part_of_a_pair_is_found(key: str) -> None:
    ((rule, one),) = complaints_about(rules_of("ha"), found_with(without(NAMENODES, key)))
    assert (rule, one.about) == ("ha.complete", key)


def test_a_key_for_sshfence_is_asked_for() -> None:
    found = found_with({**NAMENODES, "dfs.ha.fencing.methods": "sshfence\nshell(/bin/true)"})
    ((_, one),) = complaints_about(rules_of("ha"), found)
    assert one.about == "dfs.ha.fencing.ssh.private-key-files"


def test_one_name_node_shares_edits_with_nobody() -> None:
    found = found_with({**NAMENODES, "dfs.ha.namenodes.ns": "nn1"})
    assert "ha.complete" in [rule for rule, _ in complaints_about(rules_of("ha"), found)]


def test_another_clusters_pair_needs_what_clients_ask_and_no_more() -> None:
    theirs = {
        name.replace(".ns", ".far"): text.replace("h1", "f1").replace("h2", "f2")
        for name, text in NAMENODES.items()
        if ".ns" in name
    }
    both = {**NAMENODES, **theirs, "dfs.nameservices": "ns,far", "dfs.internal.nameservices": "ns"}
    assert complaints_about(rules_of("ha"), found_with(both)) == []
    ((_, one),) = complaints_about(
        rules_of("ha"), found_with(without(both, "dfs.client.failover.proxy.provider.far"))
    )
    assert one.about == "dfs.client.failover.proxy.provider.far"
