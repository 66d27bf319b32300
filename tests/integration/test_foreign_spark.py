"""Spark, and commands that submit it, on a cluster that howdah did not start."""

from __future__ import annotations

import os
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.analysis.analyse import analyse
from howdah.installation.installation import java_home
from howdah.model.run import RunRecord
from support.foreign import Foreign, foreign_cluster
from support.hadoop_cluster import needs_hadoop
from support.spark_programs import Program, fetch_spark, processes, programs, succeeded, until

pytestmark = [needs_hadoop, pytest.mark.exam("foreign")]

EXECUTORS = ("--num-executors", "2", "--executor-cores", "1", "--executor-memory", "600m")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Foreign]:
    fetch_spark()
    with foreign_cluster(tmp_path_factory.mktemp("foreign")) as started:
        yield started


def submit(*words: str) -> tuple[str, ...]:
    """The command of a user who submits a program of howdah's jar, with the jars that this machine has."""
    jars = f"spark.yarn.jars=local:{programs().spark.jars}/*"
    own = ("spark-submit", "--master", "yarn", *EXECUTORS, "--conf", jars)
    return (*own, "--class", "howdah.spark.SparkWordCount", str(programs().jar), *words)


def findings(program: Program) -> dict[str, str]:
    """The findings of a run by id."""
    return {finding.id: finding.text for finding in analyse(program.run()).findings}


@pytest.mark.parametrize(
    "words",
    [
        ("spark-terasuite", "--rows", "50000", "--api", "rdd"),
        ("spark-terasuite", "--rows", "50000", "--api", "dataframe", "--deploy-mode", "cluster"),
        ("spark-terasuite", "--rows", "50000", "--api", "mapreduce"),
        ("spark-wordcount", "--words", "50k"),
        ("spark-join", "--join-rows", "50k", "--join-keys", "100", "--skew", "0.5"),
        ("spark-kmeans", "--points", "5000", "--clusters", "4"),
        ("spark-tpch", "--scale", "0.01"),
    ],
    ids=lambda words: "-".join((words[0], *words[4:5])),
)
def test_every_program_has_its_result(cluster: Foreign, tmp_path: Path, words: tuple[str, ...]) -> None:
    record = succeeded(Program(cluster.client, tmp_path, *words))
    assert all(result.validation_errors == () for result in record.workloads)
    if words[0] == "spark-terasuite":
        generated, _, validated = record.workloads
        assert validated.checksum == validated.expected_checksum == generated.checksum
    else:
        (result,) = record.workloads
        assert result.spark is not None
        assert result.spark.outcome == "succeeded"


def test_a_killed_executor_and_a_killed_driver_are_reported(cluster: Foreign, tmp_path: Path) -> None:
    for name, words in (
        ("executor", ("CoarseGrainedExecutorBackend", "--executor-id 1 ")),
        ("driver", ("org.apache.spark.deploy.SparkSubmit", "howdah spark-wordcount")),
    ):
        folder = tmp_path / name
        folder.mkdir()
        program = Program(cluster.client, folder, "spark-wordcount", "--words", "20M")
        until(lambda program=program: program.logged("Starting task 1.0 in stage 1"))  # type: ignore[misc]
        os.kill(next(processes(*words)), signal.SIGKILL)
        code, printed = program.end()
        assert code == (0 if name == "executor" else 1), printed
        found = findings(program)
        if name == "executor":
            assert "executor 1 on" in found["spark-lost-executors"]
        else:
            assert "its driver was killed or lost" in found["spark-driver-lost"]


def test_a_users_script_is_explained(cluster: Foreign, tmp_path: Path) -> None:
    """It calls spark-submit without any options, and Spark uploads its own jars."""
    script = tmp_path / "nightly.sh"
    words = "--class howdah.spark.SparkWordCount"
    script.write_text(
        "#!/bin/sh\nset -e\n"
        f"spark-submit --master yarn {words} {programs().jar} /user/howdah/own-1 50000 2\n"
        f"hadoop jar {programs().examples_jar} pi 1 10\n"
        "hadoop fs -rm -r -skipTrash /user/howdah/own-1\n"
    )
    script.chmod(0o755)
    record = succeeded(Program(cluster.client, tmp_path, "command", command=("./nightly.sh",)))
    phases = {phase.name.split()[0] for phase in record.workloads[0].phases}
    assert phases == {"1", "2"}


def test_a_submitted_program_loses_an_executor_and_its_driver(cluster: Foreign, tmp_path: Path) -> None:
    for name, words in (
        ("executor", ("CoarseGrainedExecutorBackend", "--executor-id 1 ")),
        ("driver", ("org.apache.spark.deploy.SparkSubmit", "SparkWordCount")),
    ):
        folder = tmp_path / name
        folder.mkdir()
        program = Program(
            cluster.client, folder, "command", command=submit(f"/user/howdah/own-{name}", "20000000", "4")
        )
        until(lambda program=program: program.logged("Starting task 1.0 in stage 1"))  # type: ignore[misc]
        os.kill(next(processes(*words)), signal.SIGKILL)
        code, printed = program.end()
        cluster.hdfs("-rm", "-r", "-f", "-skipTrash", f"/user/howdah/own-{name}")
        assert code == (0 if name == "executor" else 1), printed
        found = findings(program)
        assert f"spark-{'lost-executors' if name == 'executor' else 'driver-lost'}" in found, found


def failed(program: Program) -> RunRecord:
    """The record of a command that must fail."""
    code, printed = program.end()
    assert code == 1, printed
    assert "Traceback" not in printed
    return program.run().record


def test_a_program_for_another_scala_is_named_as_such(cluster: Foreign, tmp_path: Path) -> None:
    """Compiled against a class and a method that Scala 2.12 has, and 2.13 has not."""
    sources = {
        "scala/Serializable": "package scala; public interface Serializable {}",
        "scala/Predef$": "package scala; public class Predef$ { public static Predef$ MODULE$;"
        " public scala.collection.mutable.ArrayOps refArrayOps(Object[] a) { return null; } }",
        "scala/collection/mutable/ArrayOps": "package scala.collection.mutable; public interface ArrayOps {}",
        "OldClass": "public class OldClass implements scala.Serializable {"
        " public static void main(String[] words) {} }",
        "OldMethod": "public class OldMethod { public static void main(String[] words) {"
        " scala.Predef$.MODULE$.refArrayOps(words); } }",
    }
    paths = []
    for name, text in sources.items():
        path = tmp_path / f"{name}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths.append(path)
    subprocess.run([java_home() / "bin/javac", "-d", tmp_path, *paths], check=True)
    jar = tmp_path / "old.jar"
    with zipfile.ZipFile(jar, "w") as content:
        for name in ("OldClass", "OldMethod"):
            content.write(tmp_path / f"{name}.class", f"{name}.class")
    for name in ("OldClass", "OldMethod"):
        folder = tmp_path / name
        folder.mkdir()
        command = ("spark-submit", "--master", "yarn", "--class", name, str(jar))
        error = failed(Program(cluster.client, folder, "command", command=command)).error
        assert error is not None
        assert "scala" in error
        assert "compiled for another version of Scala" in error


def test_a_program_that_runs_locally_started_no_application(cluster: Foreign, tmp_path: Path) -> None:
    local = ("spark-submit", "--master", "local[1]", "--class", "howdah.spark.SparkWordCount")
    command = (*local, str(programs().jar), f"file://{tmp_path}/words", "1000", "1")
    error = failed(Program(cluster.client, tmp_path, "command", command=command)).error
    assert error is not None
    assert "started no application on YARN" in error
    assert "--master yarn" in error
