"""The engine of Hadoop on a real cluster of one host: its programs, refusals, and ends before time."""

from __future__ import annotations

import multiprocessing
import shutil
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from howdah.engines.hadoop.engine import HadoopEngine
from howdah.engines.hadoop.storage import HdfsWorkspace
from howdah.engines.hadoop.target import HadoopTarget, run_tag
from howdah.errors import UserError
from howdah.model.run import Outcome, RunRecord
from howdah.model.tables import Job, Progress
from howdah.services.conf import ClientConf
from howdah.services.resourcemanager import AppFacts, ResourceManager
from howdah.services.web import Web
from support.daemons import change_properties
from support.hadoop_cluster import HadoopCluster, needs_hadoop
from support.ports import free_ports
from support.rigs import HadoopRig
from support.sinks import MemorySink

pytestmark = [needs_hadoop, pytest.mark.xdist_group("cluster")]

DFSADMIN = "org.apache.hadoop.hdfs.tools.DFSAdmin"
FS_SHELL = "org.apache.hadoop.fs.FsShell"
SMALL = 20_000
LONG = 20_000_000


@pytest.fixture
def rig(cluster: HadoopCluster, tmp_path: Path, request: pytest.FixtureRequest) -> HadoopRig:
    return HadoopRig(cluster, tmp_path, f"/user/howdah/{request.node.name[:40].strip('[]')}")


def run(rig: HadoopRig, job: Job, target: HadoopTarget | None = None) -> RunRecord:
    return HadoopEngine(target or rig.target).run(job, MemorySink())


def apps(rig: HadoopRig, record_id: str) -> list[AppFacts]:
    target = rig.target
    tag = run_tag(f"{rig.work_dir}/{record_id}")
    return ResourceManager(target.web, target.conf).apps(applicationTags=tag)


def clients(rig: HadoopRig, run_id: str) -> list[int]:
    tag = f"-Dmapreduce.job.tags={run_tag(f'{rig.work_dir}/{run_id}')}"
    return [one.pid for one in psutil.process_iter(["cmdline"]) if tag in (one.info["cmdline"] or ())]


@pytest.mark.exam("jobs")
def test_dfsio_times_every_file_as_testdfsio_does(rig: HadoopRig) -> None:
    record = run(rig, rig.make_job("dfsio", files=2, file_bytes=4 * 2**20))
    assert record.error is None
    assert record.warnings == ()
    for result, operation in zip(record.workloads, ("write", "read"), strict=True):
        assert [file.operation for file in result.files] == [operation] * 2
        assert {file.bytes for file in result.files} == {4 * 2**20}
        assert [file.path.rpartition("/")[2] for file in result.files] == ["test_io_0", "test_io_1"]
        throughput = (
            sum(file.bytes for file in result.files) / 2**20 / sum(file.io_s for file in result.files)
        )
        block = (rig.root / "TestDFSIO_results.log").read_text().split("----- TestDFSIO ----- : ")
        (text,) = [one for one in block if one.startswith(operation)]
        (said,) = [line for line in text.splitlines() if "Throughput mb/sec" in line]
        assert float(said.rpartition(":")[2]) == pytest.approx(throughput, rel=0.01)
    written = record.workloads[0].replicas
    assert written is not None
    assert written.bytes == 2 * 4 * 2**20
    assert rig.left() == []


@pytest.mark.exam("jobs")
def test_the_work_goes_on_when_the_history_server_is_down(rig: HadoopRig) -> None:
    rig.cluster.daemons.kill("historyserver")
    try:
        record = run(rig, rig.make_job("pi", maps=2, samples=1000))
    finally:
        rig.cluster.start("historyserver")
    (result,) = record.workloads
    assert record.outcome is Outcome.SUCCEEDED
    assert [one.in_words() for one in result.metrics] == ["3.14400000000000000000"]
    assert result.job is not None
    assert result.job.told_by == "history file"
    assert [warning.code for warning in record.warnings] == ["no-history-server"]
    assert rig.left() == []


def test_a_job_whose_tasks_fail_is_a_record_with_the_cause(rig: HadoopRig) -> None:
    broken = {"mapreduce.map.java.opts": "-XX:NoSuchOption", "mapreduce.map.maxattempts": "1"}
    target = replace(rig.target, job_settings=broken)
    record = run(rig, rig.make_job("teragen", rows=SMALL, maps=1), target)
    assert record.outcome is Outcome.FAILED
    assert record.error is not None
    assert "map 0 failed on localhost" in record.error
    assert "Could not create the Java Virtual Machine" in record.error
    assert record.workloads[0].outcome is Outcome.FAILED
    assert rig.left() == []


@pytest.mark.exam("jobs")
def test_an_interrupt_ends_the_job_keeps_what_it_did_and_removes_its_data(rig: HadoopRig) -> None:
    class Interrupted(MemorySink):
        def progress(self, progress: Progress) -> None:
            super().progress(progress)
            # Some of its rows are written: a map runs.
            if progress.done:
                raise KeyboardInterrupt

    job = rig.make_job("teragen", rows=LONG, maps=1)
    sink = Interrupted()
    record = rig.engine.run(job, sink)
    assert record.outcome is Outcome.ABORTED
    (result,) = record.workloads
    assert result.outcome is Outcome.ABORTED
    assert result.job is not None
    assert [(row.kind, row.state) for row in sink.attempts] == [("map", "killed")]
    assert [app.final_status for app in apps(rig, job.run_id)] == ["KILLED"]
    assert rig.left() == []


@pytest.mark.exam("jobs")
def test_an_interrupt_while_cleaning_up_costs_no_record(
    rig: HadoopRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(workspace: HdfsWorkspace) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(HdfsWorkspace, "release", interrupted)
        record = run(rig, rig.make_job("pi", maps=1, samples=10))
    assert record.outcome is Outcome.SUCCEEDED
    assert [warning.code for warning in record.warnings] == ["data-left"]
    assert f"{rig.work_dir}/{record.id}/.howdah" in rig.left()


@pytest.mark.exam("jobs")
def test_what_a_killed_run_left_goes_when_the_next_one_starts(rig: HadoopRig) -> None:
    others = f"{rig.work_dir}/others"
    rig.namenode().write(f"{others}/data", b"not howdah's")
    job = rig.make_job("teragen", rows=SMALL, maps=1)
    child = multiprocessing.get_context("fork").Process(target=rig.engine.run, args=(job, MemorySink()))
    child.start()
    try:
        rig.cluster.daemons.wait("its job", lambda: apps(rig, job.run_id) or None)
    finally:
        child.kill()
        child.join()
    rig.cluster.daemons.wait("its client's end", lambda: not clients(rig, job.run_id) or None)
    assert f"{rig.work_dir}/{job.run_id}/.howdah" in rig.left()
    record = run(rig, rig.make_job("pi", maps=1, samples=10))
    assert record.outcome is Outcome.SUCCEEDED
    assert [app.final_status for app in apps(rig, job.run_id)] == ["KILLED"]
    assert rig.left() == [rig.work_dir, others, f"{others}/data"]


def test_a_queue_that_gives_no_container_is_told_with_its_reason(rig: HadoopRig) -> None:
    target = replace(rig.target, queue="root.small", deadline_s=15.0)
    record = run(rig, rig.make_job("pi", maps=1, samples=10), target)
    assert record.outcome is Outcome.FAILED
    assert record.error is not None
    assert "queue root.small gave application_" in record.error
    assert "no container within 15 s: " in record.error
    assert [app.final_status for app in apps(rig, record.id)] == ["KILLED"]
    assert rig.left() == []


def refused(rig: HadoopRig, job: Job, target: HadoopTarget | None = None) -> UserError:
    sink = MemorySink()
    engine = HadoopEngine(target or rig.target)
    with pytest.raises(UserError) as caught:
        engine.run(job, sink)
    assert sink.records == []
    return caught.value


def test_queues_that_cannot_be_used_are_refused(rig: HadoopRig) -> None:
    unknown = refused(rig, rig.make_job("pi"), replace(rig.target, queue="fast"))
    assert unknown.where == "--queue fast"
    assert "root.default" in unknown.hint
    stopped = refused(rig, rig.make_job("pi"), replace(rig.target, queue="root.stopped"))
    assert "stopped" in stopped.what
    assert rig.left() == []


def test_containers_that_no_node_has_are_refused(rig: HadoopRig) -> None:
    large = {"mapreduce.map.memory.mb": "100000"}
    error = refused(rig, rig.make_job("pi"), replace(rig.target, job_settings=large))
    assert error.where == "--set mapreduce.map.memory.mb"
    assert "100000 MiB" in error.what


def test_another_major_release_is_refused(rig: HadoopRig) -> None:
    old = replace(rig.target, installation=rig.target.installation._replace(version="2.10.2"))
    assert "2.10.2" in refused(rig, rig.make_job("pi"), old).what


def test_a_cluster_that_is_not_there_is_refused(rig: HadoopRig, tmp_path: Path) -> None:
    conf = tmp_path / "conf"
    shutil.copytree(rig.cluster.conf, conf)
    (closed,) = free_ports(1)
    change_properties(conf / "hdfs-site.xml", {"dfs.namenode.http-address": f"localhost:{closed}"})
    target = replace(rig.target, conf=ClientConf.read(conf))
    assert str(closed) in refused(rig, rig.make_job("pi"), target).where


def test_nothing_to_sort_is_refused_with_what_would_make_it(rig: HadoopRig) -> None:
    error = refused(rig, rig.make_job("terasort"))
    assert "run teragen" in error.hint
    assert "--keep-data" in error.hint
    assert "dfsio-write" in refused(rig, rig.make_job("dfsio-read")).hint


def test_a_directory_of_somebody_elses_is_refused(rig: HadoopRig) -> None:
    theirs = f"{rig.work_dir}/theirs"
    rig.namenode().mkdirs(theirs)
    target = replace(rig.target, work_dir=f"{theirs}/howdah", web=Web(user="stranger"))
    error = refused(rig, rig.make_job("pi"), target)
    assert "stranger" in error.what
    assert "--hdfs-dir" in error.hint
    rig.cluster.daemons.run(FS_SHELL, "-chmod", "700", theirs)
    assert 'inode="' in refused(rig, rig.make_job("pi"), target).what, "what is below cannot even be seen"
    assert rig.left() == [rig.work_dir, theirs]


def test_quotas_and_safe_mode_are_refused(rig: HadoopRig) -> None:
    rig.namenode().mkdirs(rig.work_dir)
    rig.cluster.daemons.run(DFSADMIN, "-setSpaceQuota", "1m", rig.work_dir)
    assert f"the quota of {rig.work_dir}" in refused(rig, rig.make_job("teragen", rows=SMALL)).what
    rig.cluster.daemons.run(DFSADMIN, "-clrSpaceQuota", rig.work_dir)
    rig.cluster.daemons.run(DFSADMIN, "-setQuota", "1", rig.work_dir)
    assert "QuotaExceeded" in refused(rig, rig.make_job("pi")).what
    assert rig.left() == [rig.work_dir]
    rig.cluster.daemons.run(DFSADMIN, "-safemode", "enter")
    try:
        assert "safe mode" in refused(rig, rig.make_job("pi")).what
    finally:
        rig.cluster.daemons.run(DFSADMIN, "-safemode", "leave")
    assert rig.left() == [rig.work_dir]
