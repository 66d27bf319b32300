"""Spark on a lab of two hosts with two workers each, of which a host is lost while an application runs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from howdah.analysis.analyse import analyse
from howdah.model.comparison import Finding
from howdah.model.run import Outcome
from support import lab_hosts
from support.findings import value
from support.hadoop_cluster import needs_hadoop
from support.lab_command import Lab
from support.labs import lab_plan, save_plan, soon
from support.spark_programs import fetch_spark, programs

pytestmark = [
    needs_hadoop,
    pytest.mark.xdist_group("laboratory"),
    pytest.mark.exam("spark"),
    pytest.mark.skipif(not lab_hosts.can_build(), reason="needs root, namespaces, tbf, loop devices and XFS"),
]

# A host is given up by YARN and HDFS after seconds instead of minutes.
SETTINGS = {
    # A DataNode sets a whole block of its small disks aside for each one that is being written.
    "dfs.blocksize": "16777216",
    "yarn.nm.liveness-monitor.expiry-interval-ms": "20000",
    "dfs.heartbeat.interval": "1",
    "dfs.client.socket-timeout": "10000",
    "dfs.namenode.heartbeat.recheck-interval": "5000",
}
SIZE = ("--executors", "4", "--executor-cores", "1", "--executor-memory", "600MiB", "--partitions", "12")
DISK_BYTES = 2_000_000_000


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    fetch_spark()
    folder = tmp_path_factory.mktemp("lab")
    laboratory = Lab(folder, "test-spark")
    with ExitStack() as stack:
        stack.callback(laboratory.try_to, "down")
        plan = soon(lab_plan(workers_per_host=2, disk_bytes=DISK_BYTES, settings=SETTINGS))
        laboratory.up(save_plan(plan, folder))
        yield laboratory


def findings(lab: Lab) -> dict[str, Finding]:
    """The findings of the newest run by their ids."""
    return {finding.id: finding for finding in analyse(lab.last_run()).findings}


def check_host(lab: Lab, told: dict[str, Any]) -> dict[str, Finding]:
    """The report names the host that the fault hit; its findings by their ids."""
    (fault,) = told["run"]["faults"]
    assert fault["state"] == "undone", fault
    found = findings(lab)
    assert "h2-1 and h2-2" in found["fault"].text
    assert "host h2 with h2-1 and h2-2" in found["answer"].text
    return found


def check_loss(lab: Lab, told: dict[str, Any]) -> None:
    """The report names the host, what Spark computed again, and what HDFS rebuilt."""
    found = check_host(lab, told)
    lost = found["spark-lost-executors"]
    # If the application master was there, Spark replaces all executors.
    assert "on h2-" in lost.text
    assert value(lost, "attempts that repeated work") > 0
    assert value(lost, "from the loss until all was done again") > 0
    assert "the NameNode gave up the DataNodes of h2-1 and h2-2" in found["hdfs-rebuilt"].text


def test_a_sort_survives_a_lost_host(lab: Lab) -> None:
    fault = "lose host:h2 at spark-terasort 45%"
    copies = ("--replication", "2", "--output-replication", "2")
    told = lab.run("spark-terasuite", "--rows", "600k", *copies, *SIZE, "--fault", fault)
    generated, _, validated = told["run"]["workloads"]
    assert validated["checksum"] == validated["expected_checksum"] == generated["checksum"]
    check_loss(lab, told)


def test_a_join_survives_a_lost_host(lab: Lab) -> None:
    words = ("--join-rows", "2M", "--join-keys", "1000", "--skew", "0.2")
    told = lab.run("spark-join", *words, *SIZE, "--fault", "lose host:h2 at spark-join 30%")
    (result,) = told["run"]["workloads"]
    assert result["validation_errors"] == []
    check_loss(lab, told)


def test_a_users_command_survives_a_lost_host(lab: Lab) -> None:
    own = (
        *("spark-submit", "--master", "yarn", "--num-executors", "4", "--executor-cores", "1"),
        *("--executor-memory", "600m", "--class", "howdah.spark.SparkWordCount"),
        *(str(programs().jar), "/user/own-words", "20000000", "12"),
    )
    words = ("command", "--command-line", shlex.join(own))
    told = lab.run(*words, "--fault", "lose host:h2 at command 40s")
    assert told["run"]["outcome"] == Outcome.SUCCEEDED
    (result,) = told["run"]["workloads"]
    assert result["spark"]["outcome"] == "succeeded"
    # On a busy machine the host is lost before an executor starts there; others may end with their driver.
    lost = check_host(lab, told).get("spark-lost-executors")
    if lost is not None and "on h2-" in lost.text:
        check_loss(lab, told)
