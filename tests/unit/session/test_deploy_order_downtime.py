"""Changes that cannot roll are refused with their reasons, or done in one stop and start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from howdah.errors import UserError
from howdah.session.deploy_order import Way, check_downtime, downtime_for, steps
from howdah.session.deploy_project import DeployedHost, DeployOptions, Target, read_target
from support.deployed_hosts import NEW, OLD, found_host
from support.labs import save_plan, trio_plan

TOKENS = {"key": "dfs.block.access.token.enable", "running": "false", "planned": "true"}
HANDLERS = {"key": "dfs.namenode.handler.count", "running": "14", "planned": "15"}
NAMES = {"key": "dfs.namenode.name.dir", "running": "/a", "planned": "/b"}
CLUSTER = {"key": "yarn.resourcemanager.cluster-id", "running": "a", "planned": "b"}


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Target:
    return read_target(save_plan(trio_plan(), tmp_path_factory.mktemp("trio")))


def _states(**changed: list[dict[str, str]]) -> dict[str, DeployedHost]:
    """A host on which these daemons run, with the settings that would change."""
    found = found_host("h1", NEW, NEW, *changed)
    daemons: list[dict[str, Any]] = [{**one, "settings": changed[one["name"]]} for one in found.daemons]
    return {"h1": found._replace(daemons=tuple(daemons))}


def test_what_can_roll_needs_no_downtime(target: Target) -> None:
    assert downtime_for(target, _states(namenode=[HANDLERS], datanode=[])) is None


def test_a_value_that_is_the_default_is_no_change(target: Target) -> None:
    default = {"key": "dfs.block.access.token.enable", "running": "", "planned": "false"}
    assert downtime_for(target, _states(namenode=[default])) is None


def test_it_is_refused_with_the_reason_of_each_key(target: Target) -> None:
    states = _states(namenode=[TOKENS, HANDLERS], datanode=[TOKENS], resourcemanager=[CLUSTER])
    downtime = downtime_for(target, states)
    assert downtime is not None
    with pytest.raises(UserError) as refused:
        check_downtime(target, DeployOptions(), Way.CHANGE, downtime)
    said = str(refused.value)
    assert "dfs.block.access.token.enable: false to true: a DataNode exits" in said
    assert "yarn.resourcemanager.cluster-id: a to b: " in said
    assert "dfs.namenode.handler.count" not in said
    assert (refused.value.hint or "").startswith("give --downtime to stop and start every zookeeper, ")
    check_downtime(target, DeployOptions(downtime=True), Way.CHANGE, downtime)


def test_with_hdfs_all_stop_and_with_yarn_yarn_alone(target: Target) -> None:
    all_stop = downtime_for(target, _states(datanode=[TOKENS]))
    assert all_stop is not None
    assert {"zookeeper", "namenode", "datanode", "resourcemanager", "nodemanager"} <= set(all_stop.daemons)
    of_yarn = downtime_for(target, _states(resourcemanager=[CLUSTER], nodemanager=[CLUSTER]))
    assert of_yarn is not None
    assert of_yarn.daemons == ("resourcemanager", "nodemanager")


def test_it_is_shown_before_it_is_done(target: Target) -> None:
    states = _states(resourcemanager=[CLUSTER], datanode=[HANDLERS])
    told = steps(target, states, Way.CHANGE, downtime_for(target, states))
    assert told[0].startswith("needs --downtime: yarn.resourcemanager.cluster-id: a to b: ")
    assert told[1:] == (
        "stop every resourcemanager",
        "start every resourcemanager",
        "restart datanode on h1",
    )


def test_data_that_would_be_left_behind_is_refused_in_any_case(target: Target) -> None:
    downtime = downtime_for(target, _states(namenode=[NAMES]))
    assert downtime is not None
    with pytest.raises(UserError, match="moves the data directories of running daemons"):
        check_downtime(target, DeployOptions(downtime=True), Way.CHANGE, downtime)


def test_it_is_not_done_together_with_another_release(target: Target) -> None:
    found = found_host("h1", OLD, NEW, "datanode")
    states = {"h1": found._replace(daemons=({**found.daemons[0], "settings": [TOKENS]},))}
    downtime = downtime_for(target, states)
    assert downtime is not None
    with pytest.raises(
        UserError, match="changes the release and values that cannot change while daemons run"
    ):
        check_downtime(target, DeployOptions(downtime=True), Way.UPGRADE, downtime)


def test_the_playbook_stops_in_the_opposite_order_before_it_applies(target: Target, tmp_path: Path) -> None:
    book = next(file.content for file in target.files.files if file.path == "deploy/downtime.yaml")
    places = [
        book.index(f"Stop every {name}\n") for name in ("NodeManager", "DataNode", "NameNode", "ZooKeeper")
    ]
    assert places == sorted(places)
    assert places[-1] < book.index("import_playbook: apply.yaml") < book.index("import_playbook: start.yaml")
    assert book.count("in (howdah_down | default(groups))") == book.count("state: stopped")
