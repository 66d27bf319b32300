"""Which way a cluster goes to the release that is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.session.deploy_order import Way, upgrade_under_way, way
from howdah.session.deploy_project import DeployedHost, DeployOptions, Target, read_target
from support.deployed_hosts import NEW, OLD, found_host
from support.labs import lab_plan, save_plan, trio_plan


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Target:
    return read_target(save_plan(trio_plan(), tmp_path_factory.mktemp("trio")))


def _pair(
    first: str, second: str, wanted: str, origin: str = "", upgrade: bool = False
) -> dict[str, DeployedHost]:
    return {
        "h1": found_host("h1", first, wanted, "namenode", leads=True, origin=origin, upgrade=upgrade),
        "h2": found_host("h2", second, wanted, "namenode", origin=origin, upgrade=upgrade),
        "h3": found_host("h3", OLD, wanted, "datanode"),
    }


@pytest.mark.parametrize(
    ("states", "goes"),
    [
        (_pair("", "", NEW), Way.CHANGE),
        (_pair(OLD, OLD, OLD), Way.CHANGE),
        # A worker that was away while the others were upgraded.
        (_pair(NEW, NEW, NEW), Way.CHANGE),
        (_pair(OLD, OLD, NEW), Way.UPGRADE),
        # Killed after HDFS was prepared, after one host, after all.
        (_pair(OLD, OLD, NEW, upgrade=True), Way.UPGRADE),
        (_pair(OLD, NEW, NEW, OLD, upgrade=True), Way.UPGRADE),
        (_pair(NEW, NEW, NEW, OLD, upgrade=True), Way.UPGRADE),
        # And the other plan again, at each of these moments.
        (_pair(OLD, OLD, OLD, upgrade=True), Way.CHANGE),
        (_pair(OLD, NEW, OLD, OLD, upgrade=True), Way.BACK),
        (_pair(NEW, NEW, OLD, OLD, upgrade=True), Way.BACK),
        # Gone back to the end, not finalized, and up again.
        (_pair(OLD, OLD, OLD, OLD, upgrade=True), Way.BACK),
        (_pair(OLD, OLD, NEW, OLD, upgrade=True), Way.UPGRADE),
    ],
)
def test_the_way_is_read_from_hosts_and_hdfs(
    target: Target, states: dict[str, DeployedHost], goes: Way
) -> None:
    assert way(target, DeployOptions(), states) is goes


@pytest.mark.parametrize(
    ("states", "says"),
    [
        (_pair(NEW, NEW, OLD), "and no upgrade that could be rolled back is under way"),
        (
            _pair(NEW, NEW, "hadoop-3.5.1", OLD, upgrade=True),
            "is not part of HDFS's upgrade from",
        ),
        (
            _pair(NEW, NEW, "hadoop-3.3.6", OLD, upgrade=True),
            "is not part of HDFS's upgrade from",
        ),
    ],
)
def test_there_is_no_way_to_any_other_release(
    target: Target, states: dict[str, DeployedHost], says: str
) -> None:
    with pytest.raises(UserError, match=says):
        way(target, DeployOptions(), states)


def test_releases_are_compared_as_numbers(target: Target) -> None:
    assert way(target, DeployOptions(), _pair("hadoop-3.4.2", "hadoop-3.4.2", "hadoop-3.4.10")) is Way.UPGRADE


def test_one_namenode_is_upgraded_only_where_hdfs_may_be_away(tmp_path: Path) -> None:
    single = read_target(save_plan(lab_plan(workers_per_host=None), tmp_path))
    states = {"m1": found_host("m1", OLD, NEW, "namenode")}
    with pytest.raises(UserError, match="HDFS stops while it restarts with") as refused:
        way(single, DeployOptions(), states)
    assert "--downtime" in str(refused.value.hint)
    assert way(single, DeployOptions(downtime=True), states) is Way.UPGRADE


def test_the_one_that_leads_knows_whether_an_upgrade_is_over() -> None:
    states = {
        "h1": found_host("h1", NEW, NEW, "namenode", upgrade=True),
        "h2": found_host("h2", NEW, NEW, "namenode", leads=True),
    }
    assert upgrade_under_way(states) is None
    assert upgrade_under_way(_pair(NEW, NEW, NEW, OLD, upgrade=True)) is not None


def test_where_no_namenode_runs_its_unit_knows() -> None:
    states = {"h1": found_host("h1", NEW, NEW, "namenode", origin=OLD, active="inactive")}
    told = upgrade_under_way(states)
    assert told is not None
    assert told.origin == OLD
