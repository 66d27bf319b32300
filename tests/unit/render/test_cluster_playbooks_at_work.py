"""The course of playbooks as Ansible runs it: who goes on where a host is lost.

Ansible and the playbooks are the real ones. Modules only note that they were asked, as there is no host here:
what they do on hosts is held by ``tests/integration/test_deploy.py`` and ``tests/exams/deployments.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from howdah.render.cluster import render
from support.labs import trio_plan

pytestmark = pytest.mark.slow

_NOTES = """\
import json
from ansible.plugins.action import ActionBase

class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        args = self._task.args
        if self._connection.transport == "ssh":
            # As any module does: a host that is lost is not reached.
            self._low_level_execute_command("true")
        with open({log!r}, "a") as file:
            words = [args.get("host"), args.get("daemon") or "hdfs", args.get("first"), args.get("state")]
            file.write(json.dumps(words) + "\\n")
        wrong = [args.get("host"), args.get("daemon")] in {failing!r} and args.get("state") == "started"
        result = {{"failed": wrong, "changed": True, "msg": "", "public": "k", "leads": False, **{found!r}}}
        return result if wrong else {{**result, "host": args.get("host")}}
"""
"""An action, which Ansible calls in its own process: a module would be a process for each host and task."""


_FOUND = {"changes": [], "daemons": [], "holds": [], "stale": ["journalnode", "datanode"]}
"""What every host tells of itself."""


class _Course:
    """What came of a playbook."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        book: str = "start",
        dead: Sequence[str] = (),
        failing: Sequence[tuple[str, str]] = (),
    ):
        for file in render(trio_plan()).files:
            if file.path.startswith("deploy/") and file.path.endswith((".yaml", ".cfg", ".json")):
                path = folder / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.content)
        project, log = folder / "deploy", folder / "log"
        log.touch()
        (project / "action_plugins").mkdir()
        notes = _NOTES.format(log=str(log), failing=list(map(list, failing)), found=_FOUND)
        for name in ("howdah_host", "howdah_daemon", "howdah_hdfs", "howdah_key", "howdah_conf"):
            (project / f"action_plugins/{name}.py").write_text(notes)
        # A dead one is at a port that nobody listens at.
        gone = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 9}
        hosts = dict.fromkeys(dead, gone)
        (project / "here.yaml").write_text(
            yaml.safe_dump({"all": {"vars": {"ansible_connection": "local"}, "hosts": hosts}})
        )
        program = str(Path(sys.executable).with_name("ansible-playbook"))
        python = f"ansible_python_interpreter={sys.executable}"
        done = subprocess.run(
            [program, "-i", "inventory.yaml", "-i", "here.yaml", "-e", python, *words, f"{book}.yaml"],
            cwd=project, capture_output=True, text=True, check=False,
            env={**os.environ, "ANSIBLE_BECOME": "False", "HOME": str(folder)},
        )  # fmt: skip
        self.code, self.said = done.returncode, done.stdout + done.stderr
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.asked = [(host, daemon, first) for host, daemon, first, _ in lines]
        self.restarted = {(host, daemon) for host, daemon, _, state in lines if state == "fresh"}

    def on(self, daemon: str) -> set[str]:
        """The hosts whose daemon of that kind was asked for."""
        return {host for host, name, _ in self.asked if name == daemon}


_APPLIED = ("-e", json.dumps({"howdah": _FOUND}))
"""As after the play that applies manifests, which a course from nothing begins with."""


def test_all_is_started_in_order_and_what_is_done_once_is(tmp_path: Path) -> None:
    made = _Course(tmp_path, *_APPLIED)
    assert made.code == 0, made.said
    assert [(host, first) for host, daemon, first in made.asked if daemon == "namenode"] == [
        ("h1", "format"),
        ("h2", "bootstrap"),
    ]
    assert [(host, first) for host, daemon, first in made.asked if daemon == "zkfc"] == [
        ("h1", "formatzk"),
        ("h2", None),
    ]
    kinds = list(dict.fromkeys(daemon for _, daemon, _ in made.asked if daemon != "hdfs"))
    assert kinds[:4] == ["zookeeper", "journalnode", "namenode", "zkfc"]
    assert made.on("historyserver") == {"h2"}


@pytest.mark.parametrize("dead", ["h1", "h2"])
def test_where_one_of_two_masters_is_lost_all_others_are_started(tmp_path: Path, dead: str) -> None:
    made = _Course(tmp_path, dead=[dead])
    assert made.code != 0
    left = {"h1", "h2", "h3"} - {dead}
    assert made.on("zookeeper") == made.on("journalnode") == made.on("datanode") == left, made.said
    assert made.on("nodemanager") == left
    assert made.on("namenode") == made.on("resourcemanager") == left - {"h3"}
    # Somebody waited for HDFS in the place of the one that was lost.
    assert "hdfs" in {daemon for _, daemon, _ in made.asked}


@pytest.mark.parametrize("daemon", ["zookeeper", "journalnode", "namenode", "zkfc", "resourcemanager"])
def test_a_daemon_that_fails_beside_others_ends_nothing_for_them(tmp_path: Path, daemon: str) -> None:
    made = _Course(tmp_path, failing=[("h1", daemon)])
    assert made.code != 0
    assert made.on("nodemanager") == {"h2", "h3"}, made.said


def test_what_others_can_do_without_ends_nothing_for_them(tmp_path: Path) -> None:
    made = _Course(tmp_path, failing=[("h2", "historyserver")])
    assert made.code != 0
    assert "PLAY [Start every JobHistoryServer]" in made.said
    assert "NO MORE HOSTS LEFT" not in made.said


def test_without_a_namenode_nothing_is_started_that_needs_one(tmp_path: Path) -> None:
    made = _Course(tmp_path, failing=[("h1", "namenode"), ("h2", "namenode")])
    assert made.code != 0
    assert made.on("datanode") == set(), made.said


def test_a_start_alone_formats_nothing(tmp_path: Path) -> None:
    made = _Course(tmp_path)
    assert made.code == 0, made.said
    assert [first for host, daemon, first in made.asked if (host, daemon) == ("h1", "namenode")] == [""]


def test_a_host_without_a_namenode_is_started_alone(tmp_path: Path) -> None:
    made = _Course(tmp_path, "--limit", "h3")
    assert made.code == 0, made.said
    assert made.on("datanode") == made.on("nodemanager") == {"h3"}


def test_another_release_goes_to_all(tmp_path: Path) -> None:
    made = _Course(tmp_path, book="upgrade")
    assert made.code == 0, made.said
    assert made.restarted == {(host, name) for host in ("h1", "h2", "h3") for name in _FOUND["stale"]}


@pytest.mark.parametrize("book", ["upgrade", "downgrade"])
def test_another_release_goes_to_nobody_else_while_a_namenode_does_not_start(
    tmp_path: Path, book: str
) -> None:
    made = _Course(tmp_path, book=book, failing=[("h2", "namenode")])
    assert made.code != 0
    assert "A NameNode does not run" in made.said
    assert made.restarted == set()


def test_a_change_goes_on_where_a_namenode_does_not_start(tmp_path: Path) -> None:
    made = _Course(tmp_path, book="site", failing=[("h2", "namenode")])
    assert made.code != 0
    assert made.restarted == {(host, name) for host in ("h1", "h3") for name in _FOUND["stale"]}
