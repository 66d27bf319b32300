"""The daemons of a laboratory: their order, and the Java options that the plan gives them."""

from __future__ import annotations

from pathlib import Path

from howdah.hadoop.daemons import DAEMONS
from howdah.lab.hadoop.daemons import exit_reason, planned_options, tail
from howdah.lab.hadoop.redirect import configuration_files
from howdah.model.plan import Role
from howdah.render.cluster import render
from support.labs import lab_plan


def test_daemons_get_the_planned_options(tmp_path: Path) -> None:
    for name, content in configuration_files(render(lab_plan(workers_per_host=None, ycsb=True))).items():
        (tmp_path / name).write_text(content)
    assert "-Xmx1600m" in planned_options(tmp_path, DAEMONS[Role.DATANODE])
    for role in set(Role) - {Role.ZOOKEEPER, Role.JOURNALNODE, Role.FAILOVER_CONTROLLER}:
        options = planned_options(tmp_path, DAEMONS[role])
        assert any(option.startswith("-Xmx") for option in options)


def test_what_the_plan_gives_no_options_has_none(tmp_path: Path) -> None:
    assert planned_options(tmp_path, DAEMONS[Role.ZOOKEEPER]) == []
    assert planned_options(tmp_path, DAEMONS[Role.DATANODE]) == []


def test_options_are_words_not_shell(tmp_path: Path) -> None:
    (tmp_path / "hadoop-env.sh").write_text("export HDFS_DATANODE_OPTS='-Da=$(reboot) -Db=\"x'\n")
    assert planned_options(tmp_path, DAEMONS[Role.DATANODE]) == ["-Da=$(reboot)", '-Db="x']


def test_the_end_of_a_log_is_what_it_says_without_stacks(tmp_path: Path) -> None:
    log = tmp_path / "datanode.log"
    log.write_text("begin\n" * 9999 + "java.net.BindException: in use\n\tat a.b.c\n\t... 3 more\n\nend\n")
    shown = tail(log).splitlines()
    assert shown[-2:] == ["java.net.BindException: in use", "end"]
    assert len(shown) <= 13
    assert tail(tmp_path / "none").splitlines() == [f"the last lines of {tmp_path / 'none'}:"]


def test_the_reason_for_an_exit_is_the_last_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "namenode.log"
    log.write_text(
        "2026-11-29 07:20:34,431 INFO org.apache.hadoop.util.ExitUtil: Exiting with status 1: "
        "java.lang.ArithmeticException: / by zero\n"
        "2026-11-29 07:20:34,434 INFO org.apache.hadoop.hdfs.server.namenode.NameNode: SHUTDOWN_MSG: \n"
    )
    assert exit_reason(log) == "java.lang.ArithmeticException: / by zero"
    log.write_text("2026-11-29 07:20:34,434 INFO NameNode: SHUTDOWN_MSG: \n")
    assert not exit_reason(log)
    assert not exit_reason(tmp_path / "none")
