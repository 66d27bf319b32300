"""The state of jobs: where the other ResourceManager reads it, and only the active one writes it."""

from __future__ import annotations

import pytest

from support.facts import rules_of
from support.pairs import MANAGERS, complaints_about, found_with, without

KEY = "yarn.resourcemanager.store.class"
STORES = "org.apache.hadoop.yarn.server.resourcemanager.recovery"


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        (f"{STORES}.ZKRMStateStore", []),
        ("com.example.Store", []),
        (f"{STORES}.MemoryRMStateStore", ["ha.shared-state"]),
        (f"{STORES}.LeveldbRMStateStore", ["ha.shared-state"]),
        (f"{STORES}.FileSystemRMStateStore", ["ha.fenced-state"]),
    ],
)
def test_a_store_is_shared_and_fences(name: str, rules: list[str]) -> None:
    found = complaints_about(rules_of("ha"), found_with({**MANAGERS, KEY: name}))
    assert [rule for rule, _ in found] == rules
    assert all("ZKRMStateStore" in one.fix for _, one in found)


def test_the_releases_own_store_fences_nobody() -> None:
    ((rule, one),) = complaints_about(rules_of("ha"), found_with(without(MANAGERS, KEY)))
    assert (rule, one.found) == ("ha.fenced-state", "FileSystemRMStateStore (default)")


def test_one_manager_may_keep_it_anywhere() -> None:
    assert complaints_about(rules_of("ha"), found_with({KEY: f"{STORES}.MemoryRMStateStore"})) == []
