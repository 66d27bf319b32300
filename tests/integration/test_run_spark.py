"""Programs on Spark on a real cluster of one host: their results, their event logs, and what is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from howdah.analysis.analyse import analyse
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.services.web import Web
from support.hadoop_cluster import HadoopCluster, needs_hadoop
from support.spark_programs import Program, fetch_spark, processes, succeeded, until

pytestmark = [needs_hadoop, pytest.mark.xdist_group("cluster"), pytest.mark.exam("spark")]


@pytest.fixture(scope="module", autouse=True)
def spark() -> None:
    """Spark's jars."""
    fetch_spark()


@pytest.mark.parametrize(
    "words",
    [
        ("--api", "mapreduce"),
        *(
            ("--api", api, "--deploy-mode", mode, *more)
            for api in ("rdd", "dataframe", "sql")
            for mode, more in (("client", ()), ("cluster", ("--allocation", "dynamic")))
        ),
    ],
    ids=lambda words: "-".join(words[1:4:2]),
)
def test_sorted_rows_are_those_that_teragen_wrote(
    cluster: HadoopCluster, tmp_path: Path, words: tuple[str, ...]
) -> None:
    program = Program(cluster.conf, tmp_path, "spark-terasuite", "--rows", "50000", *words)
    record = succeeded(program)
    generated, sorted_, validated = record.workloads
    assert validated.checksum == validated.expected_checksum == generated.checksum
    assert sorted_.counters.output_rows == 50_000
    assert sorted_.replicas is not None
    assert sorted_.replicas.bytes == 5_000_000
    if "mapreduce" in words:
        assert sorted_.spark is None
        assert [phase.name for phase in sorted_.phases] == ["map-shuffle", "reduce-merge"]
        return
    assert sorted_.spark is not None
    assert sorted_.spark.outcome == "succeeded"
    assert sum(stage.output_bytes for stage in sorted_.spark.stages) == 5_000_000
    found = {finding.id for finding in analyse(program.run()).findings}
    assert {"spark-driver", "spark-scaling"} <= found


def test_only_the_jars_are_left(cluster: HadoopCluster, tmp_path: Path) -> None:
    succeeded(Program(cluster.conf, tmp_path, "spark-wordcount", "--words", "50k"))
    conf = ClientConf.read(cluster.conf)
    with Web() as web:
        left = [entry.name for entry in NameNode(web, conf).list("/user/howdah/spark")]
    assert [name.rpartition("-")[0] for name in left] == ["spark-4.3.0"]


@pytest.mark.parametrize(
    ("words", "metric"),
    [
        (("spark-join", "--join-rows", "50k", "--join-keys", "100", "--skew", "0.5"), "join"),
        (("spark-kmeans", "--points", "5000", "--clusters", "4"), "cluster"),
        (("spark-tpch", "--scale", "0.01"), "all queries"),
    ],
    ids=["join", "kmeans", "tpch"],
)
def test_results_are_as_they_must_be(
    cluster: HadoopCluster, tmp_path: Path, words: tuple[str, ...], metric: str
) -> None:
    (result,) = succeeded(Program(cluster.conf, tmp_path, *words)).workloads
    assert result.validation_errors == ()
    assert result.primary is not None
    assert result.primary.name == metric
    if metric == "all queries":
        assert {f"q{number:02d}" for number in range(1, 23)} <= {each.name for each in result.metrics}


def test_a_killed_driver_is_reported(cluster: HadoopCluster, tmp_path: Path) -> None:
    program = Program(cluster.conf, tmp_path, "spark-wordcount", "--words", "20M")
    until(lambda: program.logged("Starting task 1.0 in stage 1"))
    (driver,) = processes("org.apache.spark.deploy.SparkSubmit", "howdah spark-wordcount")
    os.kill(driver, signal.SIGKILL)
    code, printed = program.end()
    assert code == 1
    assert "its driver was killed or lost" in printed
    run = program.run()
    (result,) = run.record.workloads
    assert result.spark is not None
    assert result.spark.outcome == "unfinished"
    assert "spark-driver-lost" in {finding.id for finding in analyse(run).findings}


def test_a_killed_executor_is_reported(cluster: HadoopCluster, tmp_path: Path) -> None:
    program = Program(cluster.conf, tmp_path, "spark-wordcount", "--words", "20M")
    until(lambda: program.logged("Starting task 1.0 in stage 1"))
    executor = next(processes("CoarseGrainedExecutorBackend", "--executor-id 1 "))
    os.kill(executor, signal.SIGKILL)
    succeeded(program)
    findings = {finding.id: finding for finding in analyse(program.run()).findings}
    assert "executor 1 on" in findings["spark-lost-executors"].text
