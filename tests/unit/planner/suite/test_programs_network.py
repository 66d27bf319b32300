"""How a network is measured, decided by how many hosts there are."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.engines import HOSTS
from howdah.model.placement import AtOnce
from howdah.model.workloads.hadoop_programs import Network
from howdah.planner.suite.cluster import SizedSuite, size_suite
from support.requests import run_request


def sized(hosts: int, **values: object) -> SizedSuite:
    return size_suite(run_request("network", **values), AtOnce(0, 0), engine=HOSTS, hosts=hosts)


def test_few_hosts_are_measured_pair_after_pair() -> None:
    suite = sized(4)
    assert suite.suite.workloads == (Network(streams=4, seconds=5, rounds=3, pairs_at_once=1),)
    reasons = {setting.key: setting.reason for setting in suite.settings}
    assert "no other pair" in reasons["network pairs at once"]


def test_many_hosts_are_measured_at_once_and_a_thousand_not_all_with_all() -> None:
    (network,) = sized(32).suite.workloads
    assert network == Network(streams=4, seconds=5, rounds=31, pairs_at_once=16)
    (network,) = sized(1000).suite.workloads
    assert network == Network(streams=4, seconds=5, rounds=32, pairs_at_once=500)


def test_what_the_user_says_stays() -> None:
    suite = sized(4, streams=8, seconds=2, rounds=1, pairs_at_once=2)
    assert suite.suite.workloads == (Network(streams=8, seconds=2, rounds=1, pairs_at_once=2),)
    assert {setting.origin for setting in suite.settings if setting.key.startswith("network")} == {"user"}


def test_what_other_engines_run_is_refused() -> None:
    with pytest.raises(UserError, match="--engine hosts does not run terasuite"):
        size_suite(run_request("terasuite"), AtOnce(0, 0), engine=HOSTS, hosts=2)
