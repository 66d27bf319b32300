"""Units of systemd: whole, in the foreground, and a NodeManager's containers outlive its restart."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from howdah.model.plan import Role
from howdah.render.daemons import unit_file, unit_files
from support.labs import lab_plan

PLAN = lab_plan(workers_per_host=None, ycsb=True)


def test_every_daemon_of_the_plan_has_one() -> None:
    assert PLAN.cluster is not None
    names = {file.path for file in unit_files(PLAN)}
    assert {"systemd/hadoop-hdfs-namenode.service", "systemd/hbase-regionserver.service"} <= names
    assert "systemd/hadoop-hdfs-journalnode.service" not in names


def test_only_a_nodemanagers_children_outlive_it() -> None:
    assert PLAN.cluster is not None
    assert "KillMode=process" in unit_file(PLAN, Role.NODEMANAGER)
    assert "KillMode" not in unit_file(PLAN, Role.DATANODE)


def test_daemons_run_in_the_foreground_as_their_own_users() -> None:
    assert PLAN.cluster is not None
    text = unit_file(PLAN, Role.NAMENODE)
    assert "ExecStart=/opt/hadoop-3.5.0/bin/hdfs namenode\n" in text
    assert "User=hdfs\n" in text
    assert "Restart=on-failure\n" in text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing")
def test_systemd_finds_no_fault_with_them(tmp_path: Path) -> None:
    assert PLAN.cluster is not None
    paths = []
    for file in unit_files(PLAN):
        path = tmp_path / Path(file.path).name
        # Its programs are not on this machine.
        path.write_text(file.content.replace("ExecStart=/opt/", "ExecStart=/bin/true /opt/"))
        paths.append(path)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *paths], capture_output=True, text=True, check=False
    )
    own = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert own == []
