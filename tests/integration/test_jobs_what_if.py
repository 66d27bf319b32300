"""Replays of real jobs, compared with real second runs of them on another number of containers."""

from __future__ import annotations

import posixpath
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from howdah.engines.hadoop.engine import HadoopEngine
from howdah.installation.digests import release_folder, release_of
from howdah.installation.installation import find_installation, find_spark
from howdah.installation.java_programs import spark_command, spark_programs
from howdah.jobs.store import JobStore, texts
from howdah.model.run import Outcome
from howdah.session.jobs import import_jobs
from howdah.session.replaying import Request, replay
from support.command import HOWDAH
from support.daemons import LIB
from support.hadoop_cluster import HadoopCluster, needs_hadoop
from support.rigs import HadoopRig
from support.sinks import MemorySink

pytestmark = [needs_hadoop, pytest.mark.xdist_group("cluster")]

_MAPS, _POINTS = 8, 20_000_000


def _run(rig: HadoopRig, maps_at_once: int) -> str:
    """The id of a job that computes pi, so many maps at once."""
    [jar] = LIB.glob("hadoop-mapreduce-examples-*.jar")
    limit = f"-Dmapreduce.job.running.map.limit={maps_at_once}"
    job = rig.make_job(
        "command", command_line=("hadoop", "jar", str(jar), "pi", limit, str(_MAPS), str(_POINTS))
    )
    record = HadoopEngine(rig.target).run(job, MemorySink())
    assert record.outcome is Outcome.SUCCEEDED, record.error
    [result] = record.workloads
    assert result.job is not None
    return result.job.id


@pytest.mark.exam("jobs")
def test_a_mapreduce_job_replayed_with_fewer_tasks_takes_what_the_second_run_took(
    cluster: HadoopCluster, tmp_path: Path
) -> None:
    rig = HadoopRig(cluster, tmp_path, "/user/howdah/what-if")
    jobs = {at_once: _run(rig, at_once) for at_once in (2, 1)}
    conf = rig.target.conf
    done = conf.get("mapreduce.jobhistory.intermediate-done-dir") or ""
    source = f"hdfs://{posixpath.dirname(urlsplit(done).path)}"
    store = tmp_path / "jobs"
    assert import_jobs([source], store, conf.directory, lambda done, of: None).problems == ()
    replayed = replay(store, Request(jobs[2], against=jobs[1], conf=conf.directory))
    score = replayed.score
    assert score is not None
    assert (replayed.containers, replayed.tasks) == (2, _MAPS + 1)
    assert abs(replayed.own_error) < 0.15
    # Half of the maps at once take longer; how much is what the replay has to find.
    assert score.measured_s > replayed.measured_s
    assert score.inside, replayed
    back = replay(store, Request(jobs[1], against=jobs[2], conf=conf.directory))
    assert back.score is not None
    assert back.score.inside, back


_LONGEST_S = 600


def _count_words(folder: Path, threads: int) -> None:
    """Count words on Spark without a cluster, so many tasks at once; the event log is in ``folder/logs``."""
    spark = find_spark()
    programs = spark_programs(spark, find_installation())
    (folder / "conf").mkdir(exist_ok=True)
    (folder / "logs").mkdir(exist_ok=True)
    properties = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(folder / "logs"),
        "spark.ui.enabled": "false",
    }
    command = spark_command(
        spark,
        folder / "conf",
        "1g",
        *("--master", f"local[{threads}]", "--name", "words"),
        *(word for key, value in properties.items() for word in ("--conf", f"{key}={value}")),
        *("--class", "howdah.spark.SparkWordCount", str(programs.jar)),
        *(str(folder / f"out-{threads}"), "8000000", "16"),
    )
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_LONGEST_S)
    assert done.returncode == 0, done.stderr


@pytest.mark.exam("spark")
def test_an_application_replayed_with_fewer_tasks_takes_what_the_second_run_took(tmp_path: Path) -> None:
    if not release_folder(release_of("spark")).is_dir():
        subprocess.run([HOWDAH, "hadoop", "fetch", "spark"], check=True, timeout=_LONGEST_S)
    for threads in (2, 1):
        _count_words(tmp_path, threads)
    store = tmp_path / "jobs"
    assert import_jobs([str(tmp_path / "logs")], store, None, lambda done, of: None).added == 2
    # The first to end ran two tasks at once.
    two, one = texts(JobStore(store).read(("id",)), "id")
    replayed = replay(store, Request(two, against=one))
    assert abs(replayed.own_error) < 0.15
    assert replayed.score is not None
    assert replayed.score.inside, replayed
    back = replay(store, Request(one, against=two))
    assert back.score is not None
    assert back.score.inside, back
