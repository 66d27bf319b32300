"""A client's command line: whose word counts, and that nothing in it reaches a shell."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from howdah.engines.hadoop.command import Command, check_containers
from howdah.engines.hadoop.storage import HdfsWorkspace
from howdah.engines.hadoop.target import HadoopTarget
from howdah.errors import UserError
from howdah.installation.installation import Installation
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import Node
from howdah.services.web import Web

STAGING = "yarn.app.mapreduce.am.staging-dir"
HISTORY = "mapreduce.jobhistory.intermediate-done-dir"


@pytest.fixture
def target(tmp_path: Path) -> HadoopTarget:
    (tmp_path / "core-site.xml").write_text(
        "<configuration><property><name>fs.defaultFS</name><value>hdfs://nn:8020</value></property>"
        "<property><name>yarn.scheduler.maximum-allocation-mb</name><value>4096</value></property>"
        "</configuration>"
    )
    lib = tmp_path / "lib"
    return HadoopTarget(
        installation=Installation(
            tmp_path, "3.5.0", (f"{lib}/*",), None, lib / "examples.jar", lib / "tests.jar", fetched=True
        ),
        conf_dir=tmp_path,
        conf=ClientConf.read(tmp_path),
        web=Web(user="me"),
        work_dir="/user/me/howdah",
        queue="root.low",
        job_settings={"dfs.replication": "1", STAGING: "/tmp/mine"},
        client_prefix=("ip", "netns", "exec", "howdah-lab"),
    )


def words(target: HadoopTarget, *arguments: str) -> list[str]:
    workspace = HdfsWorkspace(NameNode(target.web, target.conf), target.work_dir, "run-1", keep=False)
    properties = {"dfs.replication": "3", "dfs.blocksize": "1048576"}
    return Command("Main", properties, arguments).vector(target, workspace, "howdah-run-1")


def test_what_the_user_insists_on_wins_over_the_workload(target: HadoopTarget) -> None:
    assert "-Ddfs.replication=1" in words(target)
    assert "-Ddfs.replication=3" not in words(target)
    assert "-Ddfs.blocksize=1048576" in words(target)


def test_a_job_stays_in_the_runs_directory_whatever_the_user_insists_on(target: HadoopTarget) -> None:
    assert f"-D{STAGING}=/user/me/howdah/run-1/staging" in words(target)
    assert "-Ddfs.user.home.dir.prefix=/user/me/howdah/run-1/home" in words(target)
    assert "-Dmapreduce.job.tags=howdah-run-1" in words(target)
    assert "-Dmapreduce.job.queuename=root.low" in words(target)


def test_history_goes_where_the_cluster_looks_for_it(target: HadoopTarget) -> None:
    assert f"-D{HISTORY}=/tmp/hadoop-yarn/staging/history/done_intermediate" in words(target)


def test_a_client_runs_where_the_cluster_can_be_reached_and_takes_words_as_they_are(
    target: HadoopTarget,
) -> None:
    given = words(target, "/a b; rm -rf /", "$HOME")
    assert given[:4] == ["ip", "netns", "exec", "howdah-lab"]
    assert given[-2:] == ["/a b; rm -rf /", "$HOME"]
    assert given.index("Main") < given.index("-Ddfs.blocksize=1048576") < given.index("$HOME")


def node(memory_mib: int) -> Node:
    return Node.model_validate(
        {
            "id": "w1:8041",
            "nodeHostName": "w1",
            "state": "RUNNING",
            "rack": "/r",
            "usedMemoryMB": 1024,
            "availMemoryMB": memory_mib - 1024,
        }
    )


def test_containers_that_fit_are_let_through(target: HadoopTarget) -> None:
    check_containers(target, [node(2048), node(8192)])


@pytest.mark.parametrize(("asked", "limit"), [("8192", "maximum-allocation-mb is 4096"), ("4097", "4096")])
def test_a_container_beyond_the_schedulers_most_is_refused(
    target: HadoopTarget, asked: str, limit: str
) -> None:
    larger = {"mapreduce.reduce.memory.mb": asked}
    with pytest.raises(UserError, match=limit) as caught:
        check_containers(dataclasses.replace(target, job_settings=larger), [node(65536)])
    assert caught.value.where == "--set mapreduce.reduce.memory.mb"


def test_a_container_beyond_every_node_is_refused(target: HadoopTarget) -> None:
    with pytest.raises(UserError, match="the largest NodeManager has 1024 MiB"):
        check_containers(target, [node(1024)])
