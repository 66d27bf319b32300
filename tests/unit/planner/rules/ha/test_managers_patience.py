"""Patience: how long clients ask, and whether a failover is over by then."""

from __future__ import annotations

import pytest

from howdah.planner.rules.ha.managers import pauses_s
from support.facts import rules_of
from support.pairs import MANAGERS, NAMENODES, WAITS, complaints_about, found_with

ATTEMPTS = "dfs.client.failover.max.attempts"
YARN_WAIT = "yarn.resourcemanager.connect.max-wait.ms"
YARN_ATTEMPTS = "yarn.client.failover-max-attempts"
CLIENTS = "yarn.client.failover-proxy-provider"


@pytest.mark.parametrize(
    ("attempts", "base", "most", "whole"),
    [
        (1, 500, 15_000, 0),
        (2, 500, 15_000, 1),
        (4, 500, 15_000, 7),
        # As Hadoop's own values: four that double, and ten of the longest.
        (15, 500, 15_000, 165),
        (90, 500, 2_000, 177),
        (3, 0, 1_000, 0),
        (3, 5_000, 1_000, 2),
    ],
)
def test_pauses_double_up_to_the_longest(attempts: int, base: float, most: float, whole: float) -> None:
    assert pauses_s(attempts, base, most) == whole


def rules_against(attempts: int) -> list[str]:
    decided = {**WAITS, ATTEMPTS: attempts}
    found = found_with({**NAMENODES, ATTEMPTS: str(attempts)})
    return [rule for rule, _ in complaints_about(rules_of("ha"), found, decided)]


def test_a_client_outlives_a_failover_or_its_job_ends() -> None:
    assert rules_against(15) == []
    # Three seconds of pauses, where a NameNode's process that dies is missed for four.
    assert rules_against(3) == ["ha.client-patience"]
    # Long enough for a process, too short for a host that says nothing.
    assert rules_against(5) == ["ha.client-patience"]


def test_the_fix_is_as_many_attempts_as_last_for_minutes() -> None:
    decided = {**WAITS, ATTEMPTS: 3, "dfs.client.failover.sleep.max.millis": 2_000}
    found = found_with({**NAMENODES, ATTEMPTS: "3"})
    ((_, one),) = complaints_about(rules_of("ha"), found, decided)
    assert f"set {ATTEMPTS} to 100 in hdfs-site.xml:" in one.fix


def test_hadoops_own_values_are_not_asked() -> None:
    assert complaints_about(rules_of("ha"), found_with({**NAMENODES, **MANAGERS})) == []


@pytest.mark.parametrize(
    ("key", "text", "well"),
    [
        (YARN_WAIT, "900000", True),
        (YARN_WAIT, "-1", True),
        (YARN_WAIT, "10000", False),
        (YARN_ATTEMPTS, "-1", True),
        (YARN_ATTEMPTS, "1", False),
        (YARN_ATTEMPTS, "30", True),
        (CLIENTS, "org.apache.hadoop.yarn.client.RequestHedgingRMFailoverProxyProvider", True),
        (CLIENTS, "org.apache.hadoop.yarn.client.DefaultNoHARMFailoverProxyProvider", False),
    ],
)
def test_who_asks_a_resource_manager_outlives_its_failover(key: str, text: str, well: bool) -> None:
    complaints = complaints_about(rules_of("ha"), found_with({**MANAGERS, key: text}))
    assert [one.about for _, one in complaints] == ([] if well else [key])


def test_one_resource_manager_is_asked_as_briefly_as_one_likes() -> None:
    assert complaints_about(rules_of("ha"), found_with({YARN_WAIT: "1000", CLIENTS: "x.NoHARM"})) == []
