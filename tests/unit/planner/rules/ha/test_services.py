"""Name services: listed, without a port, with a class that there is, and each with edits of its own."""

from __future__ import annotations

import pytest

from howdah.planner.reading import Inspected
from howdah.planner.rules.ha import services
from support.pairs import NAMENODES, complaints_about, found_with, rules_in, without

CLASSES = "org.apache.hadoop.hdfs.server.namenode.ha"
PROVIDER = "dfs.client.failover.proxy.provider.ns"
SECOND = {
    **NAMENODES,
    "dfs.nameservices": "other,ns",
    "dfs.ha.namenodes.other": "a,b",
    "dfs.namenode.rpc-address.other.a": "h4:8020",
    "dfs.namenode.rpc-address.other.b": "h5:8020",
}


def found_in(**changes: str) -> list[tuple[str, str]]:
    return [
        (rule, one.fix)
        for rule, one in complaints_about(rules_in(services), found_with({**NAMENODES, **changes}))
    ]


def test_a_service_that_is_in_no_list_is_found() -> None:
    ((rule, fix),) = found_in(**{"dfs.nameservices": "prod"})
    assert rule == "ha.listed-services"
    assert fix.startswith("rename dfs.ha.namenodes.ns to dfs.ha.namenodes.prod in hdfs-site.xml:")
    ((_, one),) = complaints_about(rules_in(services), found_with(without(NAMENODES, "dfs.nameservices")))
    assert (one.about, one.fix) == ("dfs.nameservices", "set dfs.nameservices to ns in hdfs-site.xml")


@pytest.mark.parametrize(
    ("address", "rules"),
    [
        ("hdfs://ns", []),
        ("hdfs://ns/", []),
        ("hdfs://ns:8020", []),
        ("hdfs://ns:9000", ["ha.logical-ports"]),
        ("hdfs://h1:9000", []),
        ("s3a://ns:9000", []),
    ],
)
def test_a_name_service_has_no_port(address: str, rules: list[str]) -> None:
    assert [rule for rule, _ in found_in(**{"fs.defaultFS": address})] == rules


def test_an_address_that_moves_has_a_port() -> None:
    moving = {PROVIDER: f"{CLASSES}.IPFailoverProxyProvider", "fs.defaultFS": "hdfs://ns:9000"}
    assert found_in(**moving) == []


@pytest.mark.parametrize(
    ("name", "near"),
    [
        (f"{CLASSES}.RequestHedgingProxyProvider", ""),
        ("com.example.Provider", ""),
        (f"{CLASSES}.ConfiguredFailoverProxy", "ConfiguredFailoverProxyProvider"),
        ("ObserverReadProxyProvider", f"{CLASSES}.ObserverReadProxyProvider"),
    ],
)
def test_a_provider_is_a_class_that_there_is(name: str, near: str) -> None:
    fixes = [fix for rule, fix in found_in(**{PROVIDER: name}) if rule == "ha.provider-classes"]
    assert len(fixes) == bool(near)
    assert all(near in fix for fix in fixes)


def test_observers_are_asked_only_where_they_say_how_far_they_are() -> None:
    reading = {PROVIDER: f"{CLASSES}.ObserverReadProxyProvider"}
    assert [rule for rule, _ in found_in(**reading)] == ["ha.observers", "ha.observers"]
    ready = {"dfs.namenode.state.context.enabled": "true", "dfs.ha.tail-edits.in-progress": "true"}
    assert found_in(**reading, **ready) == []


def test_two_services_share_no_journal() -> None:
    ((rule, one),) = complaints_about(rules_in(services), found_with(SECOND))
    assert (rule, one.about) == ("ha.own-edits", "dfs.namenode.shared.edits.dir.other")
    assert "dfs.internal.nameservices to ns" in one.fix


@pytest.mark.parametrize(
    "own",
    [
        {"dfs.internal.nameservices": "ns"},
        {"dfs.namenode.shared.edits.dir.other": "qjournal://h1:8485;h2:8485;h3:8485/other"},
    ],
)
def test_two_services_with_their_own_edits_pass(own: dict[str, str]) -> None:
    assert complaints_about(rules_in(services), found_with({**SECOND, **own})) == []


def test_a_key_is_looked_for_with_the_names_of_service_and_name_node_first() -> None:
    (pair,) = services.own_pairs(Inspected(found_with(NAMENODES)))
    key = "dfs.ha.fencing.methods"
    for form in (key, f"{key}.ns.nn2", f"{key}.ns"):
        found = found_with({key: "x", f"{key}.other": "x", form: "x"})
        assert pair.key(Inspected(found), key) == form
    assert pair.key(Inspected(found_with({})), key) == key
