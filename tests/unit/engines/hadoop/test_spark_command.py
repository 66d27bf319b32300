"""A Spark client's command line: which setting wins, and what howdah insists on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import pytest

from howdah.engines.hadoop.spark import spark_jars
from howdah.engines.hadoop.spark_command import SparkCommand
from howdah.engines.hadoop.storage import HdfsWorkspace
from howdah.engines.hadoop.target import HadoopTarget
from howdah.installation.installation import Installation, SparkInstallation
from howdah.installation.java_programs import SparkPrograms
from howdah.model.cluster import Laboratory
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.services.web import Web

NONE: Mapping[str, str] = MappingProxyType({})
JARS = {"spark.yarn.archive": "hdfs://nn:8020/user/me/howdah/spark-4.3.0-1/jars.zip"}


@pytest.fixture
def target(tmp_path: Path) -> HadoopTarget:
    """A cluster with a Spark next to it; the user wants other values than the workload."""
    (tmp_path / "core-site.xml").write_text(
        "<configuration><property><name>fs.defaultFS</name><value>hdfs://nn:8020</value></property>"
        "</configuration>"
    )
    lib = tmp_path / "lib"
    return HadoopTarget(
        installation=Installation(tmp_path, "3.5.0", (), None, lib / "examples.jar", lib, fetched=True),
        conf_dir=tmp_path,
        conf=ClientConf.read(tmp_path),
        web=Web(user="me"),
        work_dir="/user/me/howdah",
        queue="root.low",
        job_settings={"spark.sql.adaptive.enabled": "false", "dfs.replication": "1"},
        client_prefix=("ip", "netns", "exec", "howdah-lab"),
        spark=SparkPrograms(
            SparkInstallation(tmp_path, "4.3.0", "2.13", tmp_path / "jars", fetched=True),
            tmp_path / "howdah.jar",
            lib / "examples.jar",
        ),
    )


def words(
    target: HadoopTarget, jars: Mapping[str, str] = JARS, properties: Mapping[str, str] = NONE
) -> list[str]:
    """The command line of a program with such properties of its workload."""
    workspace = HdfsWorkspace(NameNode(target.web, target.conf), target.work_dir, "run-1", keep=False)
    command = SparkCommand(
        "howdah.spark.Main",
        ("in", "out"),
        "howdah main",
        {"spark.sql.adaptive.enabled": "true", "dfs.replication": "3", **properties},
        jars,
    )
    return command.vector(target, workspace, "howdah-run-1")


def settings(line: list[str]) -> dict[str, str]:
    """The properties of a command line; each is there once."""
    given = [after for before, after in pairwise(line) if before == "--conf"]
    pairs = [text.partition("=")[::2] for text in given]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def test_the_users_settings_win_over_the_workloads(target: HadoopTarget) -> None:
    given = settings(words(target))
    assert given["spark.sql.adaptive.enabled"] == "false"
    assert given["spark.hadoop.dfs.replication"] == "1"


def test_an_application_stays_in_the_runs_directory_and_is_found_by_its_tag(target: HadoopTarget) -> None:
    given = settings(words(target))
    assert given["spark.yarn.tags"] == "howdah-run-1"
    assert given["spark.yarn.queue"] == "root.low"
    assert given["spark.eventLog.dir"] == "hdfs://nn:8020/user/me/howdah/run-1/spark-logs"
    assert given["spark.yarn.stagingDir"] == "hdfs://nn:8020/user/me/howdah/run-1/staging"
    assert given["spark.yarn.archive"] == JARS["spark.yarn.archive"]


def test_jars_that_the_user_names_are_not_named_twice(target: HadoopTarget) -> None:
    assert "spark.yarn.archive" not in settings(words(target, {}))


def test_a_lab_reads_the_jars_of_this_machine(target: HadoopTarget, tmp_path: Path) -> None:
    assert target.spark is not None
    lab = Laboratory(name="lab", rootless=False, isolation=())
    in_lab, namenode = replace(target, lab=lab), NameNode(target.web, target.conf)
    jars = spark_jars(in_lab, namenode, target.spark.spark, lambda code, text: None)
    assert jars == {"spark.yarn.jars": f"local:{tmp_path}/jars/*"}
    named = replace(in_lab, job_settings={"spark.yarn.archive": "hdfs:///jars.zip"})
    assert spark_jars(named, namenode, target.spark.spark, lambda code, text: None) == {}


def test_the_driver_gets_its_memory_from_the_client_that_it_runs_in(target: HadoopTarget) -> None:
    assert "-Xmx1g" in words(target)
    assert "-Xmx3g" in words(target, properties={"spark.driver.memory": "3g"})


def test_no_shell_is_between(target: HadoopTarget, tmp_path: Path) -> None:
    line = words(target)
    assert line[:6] == ["ip", "netns", "exec", "howdah-lab", "env", f"HADOOP_CONF_DIR={tmp_path}"]
    assert line[-3:] == [str(tmp_path / "howdah.jar"), "in", "out"]
