"""Pairs of ResourceManagers: what they need to start, and who elects one."""

from __future__ import annotations

import pytest

from support.facts import rules_of
from support.pairs import MANAGERS, complaints_about, found_with, without

SECURE = {
    "yarn.http.policy": "HTTPS_ONLY",
    "yarn.resourcemanager.webapp.https.address.rm1": "h1:8090",
    "yarn.resourcemanager.webapp.https.address.rm2": "h2:8090",
}


def test_two_sound_managers_pass() -> None:
    assert complaints_about(rules_of("ha"), found_with(MANAGERS)) == []
    assert complaints_about(rules_of("ha"), found_with({**MANAGERS, **SECURE})) == []


@pytest.mark.parametrize("key", [key for key in MANAGERS if not key.endswith(("ha.enabled", "store.class"))])
def test_each_missing_part_of_two_managers_is_found(key: str) -> None:
    ((rule, one),) = complaints_about(rules_of("ha"), found_with(without(MANAGERS, key)))
    assert (rule, one.about) == ("ha.complete-managers", key)
    assert f"set {key} to " in one.fix


def test_pages_over_tls_are_asked_for_where_they_are_served() -> None:
    (first, second) = complaints_about(
        rules_of("ha"), found_with({**MANAGERS, "yarn.http.policy": "HTTPS_ONLY"})
    )
    assert first[1].about == "yarn.resourcemanager.webapp.https.address.rm1"
    assert "yarn.resourcemanager.webapp.https.address.rm2 to h2:8090" in second[1].fix


def test_addresses_of_every_kind_do_instead_of_hosts() -> None:
    rest = {name: text for name, text in MANAGERS.items() if "hostname" not in name}
    addresses = {f"yarn.resourcemanager.address.rm{number}": f"h{number}:8032" for number in (1, 2)}
    assert complaints_about(rules_of("ha"), found_with({**rest, **addresses})) == []


def test_managers_that_are_named_as_a_pair_are_one() -> None:
    key = "yarn.resourcemanager.ha.enabled"
    ((rule, one),) = complaints_about(rules_of("ha"), found_with(without(MANAGERS, key)))
    assert (rule, one.about) == ("ha.enabled-managers", key)
    # One that is named alone may be what is left of a pair.
    alone = {**without(MANAGERS, key), "yarn.resourcemanager.ha.rm-ids": "rm1"}
    assert complaints_about(rules_of("ha"), found_with(alone)) == []


def test_one_manager_is_no_pair() -> None:
    ((rule, one),) = complaints_about(
        rules_of("ha"), found_with({**MANAGERS, "yarn.resourcemanager.ha.rm-ids": "rm1"})
    )
    assert (rule, one.about) == ("ha.complete-managers", "yarn.resourcemanager.ha.rm-ids")


def test_somebody_elects_unless_a_person_does() -> None:
    embedded = "automatic-failover.embedded"
    found = found_with({**MANAGERS, f"yarn.resourcemanager.ha.{embedded}": "false"})
    assert [rule for rule, _ in complaints_about(rules_of("ha"), found)] == ["ha.elected-manager"]
    curator = {"yarn.resourcemanager.ha.curator-leader-elector.enabled": "true"}
    found = found_with({**MANAGERS, f"yarn.resourcemanager.ha.{embedded}": "false", **curator})
    assert complaints_about(rules_of("ha"), found) == []
    found = found_with({**MANAGERS, "yarn.resourcemanager.ha.automatic-failover.enabled": "false"})
    assert [rule for rule, _ in complaints_about(rules_of("ha"), found)] == ["ha.manager-by-itself"]


@pytest.mark.parametrize(("name", "rule"), [("rm3", "ha.known-manager"), ("rm1", "ha.own-manager-id")])
def test_a_file_that_all_hosts_share_says_not_whose_it_is(name: str, rule: str) -> None:
    key = "yarn.resourcemanager.ha.id"
    ((found, one),) = complaints_about(rules_of("ha"), found_with({**MANAGERS, key: name}))
    assert (found, one.about) == (rule, key)
    assert f"remove {key}" in one.fix
