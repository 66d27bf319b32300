"""Values that a user insists on take the type of the rule's value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.plan import Setting, Value
from howdah.model.request import DEFAULT_HADOOP, Override, PlanRequest
from howdah.planner.decide import beyond_rules, typed
from howdah.planner.rule import SettingRule
from howdah.planner.rules.catalogue import SETTING_RULES
from howdah.releases import catalogue
from howdah.units import GIB


@pytest.mark.parametrize(
    ("text", "like", "value"),
    [
        ("128MiB", 268435456, 134217728),
        ("134217728", 268435456, 134217728),
        ("-1", 10, -1),
        ("TRUE", False, True),
        ("0.5", 0.8, 0.5),
        ("1", 0.8, 1.0),
        ("/a, /b", ("/data/01",), ("/a", "/b")),
        (" text ", "other", "text"),
    ],
)
def test_the_text_becomes_a_value_of_the_rules_type(text: str, like: Value, value: Value) -> None:
    result = typed(Override(key="k", value=text), like)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("key", "text", "like", "value"),
    [
        ("dfs.blocksize", "128m", 268435456, 134217728),
        ("dfs.blocksize", "1G", 268435456, 1073741824),
        ("mapreduce.map.memory.mb", "4GiB", 1024, 4096),
        ("mapreduce.map.memory.mb", "4g", 1024, 4096),
        ("yarn.nodemanager.resource.memory-mb", "131_072", 90112, 131072),
        ("yarn.nodemanager.resource.memory-mb", "64GiB", 90112, 65536),
        ("queue.read_ahead_kb", "4MiB", 1024, 4096),
        ("hbase.bucketcache.size", "40GiB", 102400, 40960),
        ("memSize", "16GiB", 61696, 16384),
        ("dfs.ha.log-roll.period", "90", 120, 90),
        ("dfs.ha.log-roll.period", "2m", 120, 120),
        ("dfs.heartbeat.interval", "5s", 3, 5),
    ],
)
def test_a_quantity_may_be_written_as_hadoop_does_and_counts_in_the_keys_unit(
    key: str, text: str, like: int, value: int
) -> None:
    assert typed(Override(key=key, value=text), like) == value


@pytest.mark.parametrize(
    ("key", "text", "like", "what"),
    [
        ("dfs.replication", "3GB", 3, "not a whole number"),
        ("mapreduce.map.memory.mb", "1GB", 1024, "not a whole number of MiB"),
        ("dfs.blocksize", "128x", 268435456, "not a quantity"),
        ("dfs.ha.log-roll.period", "500ms", 120, "not a whole number of seconds"),
        ("dfs.ha.log-roll.period", "soon", 120, "not a whole number of seconds"),
    ],
)
def test_a_size_is_refused_where_it_is_none_of_the_keys(key: str, text: str, like: int, what: str) -> None:
    with pytest.raises(UserError, match=what):
        typed(Override(key=key, value=text), like)


@pytest.mark.parametrize(
    ("key", "what", "hint"),
    [
        ("worker.memory", "the plan derives it from the hosts", "--workers-per-host"),
        ("worker.map_slots", "the plan derives it from the hosts", "--slots"),
        ("vm.swapines", "reads this key", "did you mean vm.swappiness?"),
    ],
)
def test_numbers_of_the_plan_itself_and_misspelt_keys_are_refused(key: str, what: str, hint: str) -> None:
    decided = (
        Setting(key="worker.memory", value=GIB, reason="", source="howdah"),
        Setting(key="worker.map_slots", value=6, reason="", source="howdah"),
        Setting(key="vm.swappiness", value=1, reason="", source="howdah", file="sysctl.conf"),
    )
    request = PlanRequest(overrides=(Override(key=key, value="5"),))
    with pytest.raises(UserError, match=what) as caught:
        tuple(beyond_rules(request, decided))
    assert caught.value.where == f"--set {key}"
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "like", "what"),
    [
        ("0.5", 5, "not a whole number"),
        ("1e3", 5, "not a whole number"),
        ("many", 5, "not a whole number"),
        ("", 5, "not a whole number"),
        ("yes", True, "neither true nor false"),
        ("half", 0.5, "not a number"),
    ],
)
def test_a_text_that_does_not_fit_is_refused_by_its_flag(text: str, like: Value, what: str) -> None:
    with pytest.raises(UserError, match=what) as caught:
        typed(Override(key="dfs.some.key", value=text), like)
    assert caught.value.where == "--set dfs.some.key"
    assert caught.value.hint


def test_every_duration_that_a_rule_gives_a_number_for_counts_in_seconds() -> None:
    """A key that counts in milliseconds would be read a thousand times too small: it must be handled then."""
    keys = {rule.key for rule in SETTING_RULES if isinstance(rule, SettingRule)}
    release = catalogue.hadoop(DEFAULT_HADOOP)
    known = (release.find(key) for key in keys)
    durations = {one.name: one.default for one in known if one and one.kind == "duration"}
    numbers = {key for key, default in durations.items() if default and default.isdigit()}
    assert numbers == {
        "dfs.ha.log-roll.period",
        "dfs.heartbeat.interval",
        "dfs.namenode.redundancy.interval.seconds",
    }


@given(st.text(), st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()))
def test_any_text_gives_the_rules_type_or_a_user_error(text: str, like: Value) -> None:
    try:
        value = typed(Override(key="k", value=text), like)
    except UserError:
        return
    assert type(value) is type(like)
