"""Playbooks: what Ansible can read, in the order of a cluster's start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from howdah.render.cluster import render
from support.labs import trio_plan

BOOKS = (
    "look", "apply", "start", "restart", "restart-upgraded", "prove", "site", "upgrade", "downgrade",
    "finalize", "stop", "leave",
)  # fmt: skip


class _Loader(yaml.SafeLoader):
    """Reads what Ansible is told not to evaluate as the text it is."""


_Loader.add_constructor("!unsafe", lambda _, node: node.value)


def _read(text: str) -> Any:
    return yaml.load(text, _Loader)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for file in render(trio_plan()).files:
        if file.path.startswith("deploy/"):
            path = folder / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.content)
    return folder / "deploy"


def test_ansible_reads_every_playbook(project: Path) -> None:
    program = Path(sys.executable).with_name("ansible-playbook")
    inventory = (project / "inventory.yaml").read_text() + '    leaving:\n      hosts: {"h9":}\n'
    (project / "all.yaml").write_text(inventory)
    books = [f"{book}.yaml" for book in BOOKS]
    done = subprocess.run(
        [program, "--syntax-check", "-i", "all.yaml", *books],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_cluster_is_started_from_the_bottom_up(project: Path) -> None:
    plays = [play["name"] for play in _read((project / "start.yaml").read_text())]
    order = [
        "Start every ZooKeeper",
        "Start every JournalNode",
        "Start every NameNode",
        "End the deployment if no NameNode runs",
        "Start every ZKFailoverController",
        "Start every DataNode",
        "Wait for HDFS, and create the directories of other services",
        "Start every ResourceManager",
        "Start every NodeManager",
    ]
    assert [play for play in plays if play in order] == order


def test_only_the_first_namenode_is_formatted_and_knows_who_holds_data(project: Path) -> None:
    plays = _read((project / "start.yaml").read_text())
    tasks = [task for play in plays for task in play["tasks"]]
    # A start without a look before it knows nothing of holders, and formats nothing.
    first = "{{ 'format' if howdah is defined else '' }}"
    (formats,) = [task for task in tasks if "format'" in task.get("howdah_daemon", {}).get("first", "")]
    assert formats["howdah_daemon"]["first"] == first
    assert formats["when"] == "inventory_hostname == groups.namenode[0]"
    assert "howdah_holders" in formats["howdah_daemon"]["holders"]
    (copies,) = [task for task in tasks if task.get("howdah_daemon", {}).get("first") == "bootstrap"]
    assert copies["when"] == "inventory_hostname != groups.namenode[0]"


def test_no_play_hangs_on_one_host_where_another_one_would_do(project: Path) -> None:
    # A play that loses all of its hosts ends the whole course for everybody.
    plays = [
        play
        for book in ("start", "restart", "prove", "leave")
        for play in _read((project / f"{book}.yaml").read_text())
    ]
    assert not [play["name"] for play in plays if "[0]" in play["hosts"] or play.get("any_errors_fatal")]
    assert not [task["name"] for play in plays for task in play["tasks"] if "delegate_to" in task]


def test_hosts_without_a_namenode_are_started_alone(project: Path) -> None:
    plays = _read((project / "start.yaml").read_text())
    (play,) = [play for play in plays if play["name"] == "End the deployment if no NameNode runs"]
    assert play["tasks"][0]["when"] == "groups.namenode | intersect(ansible_play_hosts_all) | length > 0"


def test_what_is_asked_of_hdfs_is_asked_from_any_namenodes_host(project: Path) -> None:
    for book in ("upgrade", "finalize"):
        plays = _read((project / f"{book}.yaml").read_text())
        (asked,) = [play for play in plays if "howdah_hdfs" in play.get("tasks", [{}])[0]]
        assert asked["hosts"] == "namenode"
        assert asked["tasks"][0]["run_once"]
        # Nothing of an upgrade is begun where it is not prepared.
        assert asked["any_errors_fatal"]


def test_a_namenode_hands_over_before_its_failover_controller_is_stopped(project: Path) -> None:
    plays = _read((project / "stop.yaml").read_text())
    tasks = [task for play in plays for task in play["tasks"]]
    done = [
        (task["howdah_daemon"]["daemon"], task["howdah_daemon"]["state"])
        for task in tasks
        if "howdah_daemon" in task
    ]
    assert done.index(("namenode", "follows")) < done.index(("zkfc", "stopped"))
    assert all(
        task["howdah_daemon"]["leaving"] == "{{ ansible_play_hosts_all }}"
        for task in tasks
        if "howdah_daemon" in task
    )


def test_what_needs_a_majority_is_restarted_one_at_a_time_and_masters_last(project: Path) -> None:
    plays = _read((project / "restart.yaml").read_text())
    serial = {play["hosts"]: play.get("serial") for play in plays}
    assert serial["stale_journalnode"] == serial["stale_zookeeper"] == serial["active_namenode"] == 1
    # Two replicas bear the loss of one.
    assert serial["stale_datanode"] == 1
    order = [play["hosts"] for play in plays]
    assert order.index("stale_datanode") < order.index("active_namenode")


def test_what_a_plan_says_is_never_evaluated() -> None:
    hostile = "/done/{{ 7 * 7 }}"
    files = render(trio_plan(("mapreduce.jobhistory.done-dir", hostile))).files
    text = next(file.content for file in files if file.path == "deploy/start.yaml")
    assert f'path: !unsafe "{hostile}"' in text
    for file in files:
        if file.path.startswith("deploy/") and file.path.endswith(".yaml"):
            assert "7 * 7" not in file.content.replace(f'!unsafe "{hostile}"', "")
