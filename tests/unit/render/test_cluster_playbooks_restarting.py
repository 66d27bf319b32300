"""Who is restarted after whom: those that stand by before the one that leads, which hands over first."""

from __future__ import annotations

from typing import Any

import yaml

from howdah.model.plan import Role
from howdah.render.cluster import playbooks

_PAIR = {
    role: ("h1", "h2", "h3")[: 2 if role is not Role.DATANODE else 3]
    for role in (
        Role.ZOOKEEPER,
        Role.JOURNALNODE,
        Role.NAMENODE,
        Role.FAILOVER_CONTROLLER,
        Role.DATANODE,
        Role.RESOURCEMANAGER,
    )
}
RESTARTING, UPGRADING = "restart", "restart-upgraded"


def _book(name: str, replication: int = 3, present: Any = _PAIR) -> str:
    return playbooks(present, (), 9870, replication)[name]


def _plays(order: str, replication: int = 3, present: Any = _PAIR) -> list[dict[str, Any]]:
    plays: list[dict[str, Any]] = yaml.safe_load(_book(order, replication, present))
    return plays


def _done(play: dict[str, Any]) -> list[tuple[str, str]]:
    tasks = (task.get("howdah_daemon") for task in play["tasks"])
    return [(task["daemon"], task["state"]) for task in tasks if task]


def test_the_one_that_leads_comes_last_and_hands_over_before_its_controller_is_restarted() -> None:
    of_it = [play for play in _plays(RESTARTING) if "namenode" in play["hosts"]]
    asked, standing, leading = of_it
    assert _done(asked) == [("namenode", "asked")]
    assert standing["hosts"] == "stale_zkfc:stale_namenode:!active_namenode"
    assert _done(standing) == [("zkfc", "fresh"), ("namenode", "fresh")]
    assert leading["hosts"] == "active_namenode"
    assert _done(leading) == [("namenode", "follows"), ("zkfc", "fresh"), ("namenode", "fresh")]
    assert standing["serial"] == leading["serial"] == 1
    assert leading["max_fail_percentage"] == standing["max_fail_percentage"] == 0


def test_of_resourcemanagers_the_one_that_leads_comes_last() -> None:
    hosts = [play["hosts"] for play in _plays(RESTARTING) if "resourcemanager" in play["hosts"]]
    assert hosts == [
        "stale_resourcemanager",
        "stale_resourcemanager:!active_resourcemanager",
        "active_resourcemanager",
    ]


def test_one_that_is_alone_is_restarted_as_it_is() -> None:
    plays = _plays(RESTARTING, present={Role.NAMENODE: ["m1"]})
    assert [play["hosts"] for play in plays if "stale" in play["hosts"]] == ["stale_namenode"]


def test_namenodes_are_upgraded_first_and_gone_back_with_last() -> None:
    def order(of: str) -> list[str]:
        return [play["hosts"] for play in _plays(of)]

    up, back = order(UPGRADING), order(RESTARTING)
    assert up.index("active_namenode") < up.index("stale_journalnode") < up.index("stale_datanode")
    assert up.index("stale_datanode") < up.index("active_resourcemanager")
    assert back.index("stale_datanode") < back.index("active_namenode")


def test_as_many_datanodes_at_once_as_replicas_can_be_spared() -> None:
    serial = {play["hosts"]: play.get("serial") for play in _plays(UPGRADING, replication=3)}
    assert serial["stale_datanode"] == 2
    assert serial["stale_journalnode"] == 1


def test_what_the_upgrade_began_from_is_told_before_another_release_is_applied() -> None:
    words = [
        line.strip().removeprefix("- ")
        for line in _book("upgrade").splitlines()
        if "import" in line or "state:" in line
    ]
    assert words == [
        "state: upgrading",
        "import_playbook: apply.yaml",
        "state: upgrading",
        "import_playbook: start.yaml",
        "import_playbook: restart-upgraded.yaml",
        "import_playbook: prove.yaml",
    ]
    assert "restart-upgraded" not in _book("downgrade")


def test_no_daemon_is_given_another_release_while_a_namenode_does_not_run() -> None:
    for book in ("upgrade", "downgrade"):
        plays = _plays(book)
        names = [str(play.get("import_playbook", play.get("name"))) for play in plays]
        check = names.index("End the deployment if a NameNode does not run")
        assert names[check - 1] == "start.yaml"
        assert names[check + 1].startswith("restart")
        # Asked once, and fatal for whoever is in the play, which so is everybody.
        assert plays[check]["hosts"] == "cluster"
        assert plays[check]["tasks"][0]["run_once"]
        assert plays[check]["tasks"][0]["assert"]["that"].endswith("== groups.namenode | length")


def test_edits_are_rolled_around_the_restart_of_each_journalnode() -> None:
    """Else the NameNode would write to neither of two that were restarted, and end itself."""
    play = next(play for play in _plays(UPGRADING) if play["hosts"] == "stale_journalnode")
    kinds = [
        "roll" if task.get("howdah_hdfs", {}).get("roll") else task.get("howdah_daemon", {}).get("state")
        for task in play["tasks"]
    ]
    assert kinds == ["roll", "fresh", "roll", None]
    assert play["serial"] == 1
