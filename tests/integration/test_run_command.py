"""A user's commands on a real cluster: applications found by tag, and clear errors if there are none."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from howdah.engines.hadoop.engine import HadoopEngine
from howdah.engines.hadoop.target import HadoopTarget
from howdah.model.run import Outcome, RunRecord
from howdah.services.resourcemanager import ResourceManager
from howdah.services.web import Web
from howdah.session.jobs import application_of, import_jobs
from support.daemons import LIB
from support.hadoop_cluster import HadoopCluster, needs_hadoop
from support.rigs import HadoopRig
from support.sinks import MemorySink
from support.spark_programs import fetch_spark, programs

pytestmark = [needs_hadoop, pytest.mark.xdist_group("cluster")]


@pytest.fixture
def rig(cluster: HadoopCluster, tmp_path: Path, request: pytest.FixtureRequest) -> HadoopRig:
    return HadoopRig(cluster, tmp_path, f"/user/howdah/{request.node.name[:40].strip('[]')}")


def _run(rig: HadoopRig, *words: str, target: HadoopTarget | None = None) -> tuple[RunRecord, MemorySink]:
    sink = MemorySink()
    job = rig.make_job("command", command_line=words)
    return HadoopEngine(target or rig.target).run(job, sink), sink


def _examples() -> str:
    [jar] = LIB.glob("hadoop-mapreduce-examples-*.jar")
    return str(jar)


def test_a_scripts_jobs_are_all_in_the_record(rig: HadoopRig, tmp_path: Path) -> None:
    jar = _examples()
    script = tmp_path / "two.sh"
    script.write_text(
        f"#!/bin/sh\nset -e\nhadoop jar {jar} pi 2 1000\nhadoop jar {jar} teragen 1000 {rig.work_dir}-rows\n"
        f"hadoop fs -rm -r -skipTrash {rig.work_dir}-rows\n"
    )
    script.chmod(0o755)
    record, sink = _run(rig, str(script))
    assert record.error is None
    [result] = record.workloads
    assert result.outcome is Outcome.SUCCEEDED
    assert [phase.name for phase in result.phases] == ["1 map", "1 reduce", "2 map"] or len(
        result.phases
    ) >= 2
    assert len({row.job for row in sink.attempts}) == 2
    assert {row.kind for row in sink.attempts} == {"map", "reduce"}
    assert result.start_s < result.end_s
    assert rig.left() == [] or rig.left() == [rig.work_dir]


def test_commands_without_an_application_fail_with_what_they_printed(rig: HadoopRig) -> None:
    record, _ = _run(rig, "sh", "-c", "echo nothing to do")
    assert record.outcome is Outcome.FAILED
    assert record.error is not None
    assert "started no application on YARN" in record.error
    assert "nothing to do" in record.error
    record, _ = _run(rig, "sh", "-c", "echo broken >&2; exit 3")
    assert record.error is not None
    assert "exit code 3" in record.error
    assert "broken" in record.error
    record, _ = _run(rig, "no-such-program")
    assert record.error is not None
    assert "no-such-program cannot be started" in record.error


def test_a_failing_job_gives_its_cause(rig: HadoopRig) -> None:
    record, _ = _run(rig, "hadoop", "jar", _examples(), "wordcount", "/no/input", f"{rig.work_dir}-out")
    assert record.outcome is Outcome.FAILED
    assert record.error is not None
    assert "/no/input" in record.error


@pytest.mark.exam("jobs")
def test_a_queue_that_never_grants_a_container_ends_the_run_with_yarns_reason(rig: HadoopRig) -> None:
    target = replace(rig.target, deadline_s=8.0)
    words = ("hadoop", "jar", _examples(), "pi", "-Dmapreduce.job.queuename=small", "1", "10")
    record, _ = _run(rig, *words, target=target)
    assert record.outcome is Outcome.FAILED
    assert record.error is not None
    assert "gave application_" in record.error
    assert "no container within 8 s" in record.error


@pytest.mark.exam("jobs")
def test_tasks_that_no_node_has_room_for_end_the_run_with_what_is_missing(rig: HadoopRig) -> None:
    with Web() as web:
        (node,) = ResourceManager(web, rig.target.conf).nodes()
    # As much as the node has, of which the application master takes a part.
    memory = f"-Dmapreduce.map.memory.mb={node.used_memory_mib + node.available_memory_mib}"
    words = ("hadoop", "jar", _examples(), "pi", memory, "1", "10")
    record, _ = _run(rig, *words, target=replace(rig.target, deadline_s=8.0))
    assert record.outcome is Outcome.FAILED
    assert record.error is not None
    assert "gave no task or executor of application_" in record.error
    assert "1 container requested" in record.error


@pytest.mark.exam("jobs")
def test_a_program_on_spark_in_such_a_queue_ends_the_run_as_well(rig: HadoopRig) -> None:
    fetch_spark()
    jars = f"spark.yarn.jars=local:{programs().spark.jars}/*"
    words = ("spark-submit", "--master", "yarn", "--queue", "small", "--conf", jars)
    main = ("--class", "howdah.spark.SparkWordCount", str(programs().jar), f"{rig.work_dir}-own", "1000", "1")
    record, _ = _run(rig, *words, *main, target=replace(rig.target, deadline_s=8.0))
    assert record.error is not None
    assert "no container within 8 s" in record.error


@pytest.mark.exam("jobs")
def test_histories_are_imported_from_hdfs(rig: HadoopRig, tmp_path: Path) -> None:
    record, _ = _run(rig, "hadoop", "jar", _examples(), "pi", "1", "10")
    [result] = record.workloads
    assert result.job is not None
    conf = rig.target.conf
    done = conf.get("mapreduce.jobhistory.intermediate-done-dir") or ""
    # The history server moves a job's files away, at the latest after three minutes.
    source = posixpath.dirname(urlsplit(done).path)
    imported = import_jobs([f"hdfs://{source}"], tmp_path / "jobs", conf.directory, lambda done, of: None)
    assert imported.problems == ()
    assert imported.added > 0
    application = application_of(tmp_path / "jobs", result.job.id)
    assert application.kind == "mapreduce"
    assert application.source.startswith("hdfs:/")
    assert application.tasks == 2
    again = import_jobs([f"hdfs://{source}"], tmp_path / "jobs", conf.directory, lambda done, of: None)
    assert again.added == 0
