"""Importing histories: every kind once, changed ones again, and unreadable ones with a reason."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from howdah.errors import UserError
from howdah.jobs.store import JobStore, applications
from howdah.model.job_ranking import Filters
from howdah.services.history import read_history
from howdah.session.jobs import JobImport, application_of, import_jobs, overview_of
from howdah.session.replaying import Request, replay
from support.recorded import Answer, Recorded, in_json
from support.recorded_jobs import JOBS, recorded_job, serving
from support.spark_logs import SPARK_EVENTS, log_bytes

YARN = "application_1628109047826_1317105"


def _import(jobs_dir: Path, *sources: Path | str, conf: Path | None = None) -> JobImport:
    return import_jobs([str(source) for source in sources], jobs_dir, conf, lambda done, of: None)


@pytest.fixture
def histories(tmp_path: Path) -> Path:
    """MapReduce's files as its server keeps them, and Spark's logs next to them."""
    done = tmp_path / "history" / "done" / "2026" / "11" / "22" / "000000"
    done.mkdir(parents=True)
    for name in JOBS:
        job = recorded_job(name)
        if job.file is not None:
            (done / f"{job.id}-1795279312438-root-TeraSort-1795279331906-8-2.jhist").write_bytes(job.file)
            (done / f"{job.id}_conf.xml").write_text(
                "<configuration><property><name>mapreduce.map.memory.mb</name><value>1024</value></property>"
                "<property><name>mapreduce.task.io.sort.mb</name><value>7</value></property></configuration>"
            )
    shutil.copytree(SPARK_EVENTS, tmp_path / "history" / "spark")
    return tmp_path / "history"


def test_every_history_is_imported_once(histories: Path, tmp_path: Path) -> None:
    first = _import(tmp_path / "jobs", histories)
    jobs = sum(recorded_job(name).file is not None for name in JOBS)
    spark = sum(path.name != "README.md" for path in SPARK_EVENTS.iterdir())
    assert first == JobImport(spark + jobs, 0, 0, ())
    again = _import(tmp_path / "jobs", histories)
    assert (again.added, again.replaced, again.problems) == (0, 0, ())
    # The same application from another place is known, too.
    shutil.copytree(histories, tmp_path / "copy")
    assert _import(tmp_path / "jobs", tmp_path / "copy").added == 0
    assert JobStore(tmp_path / "jobs").read().num_rows == first.added


def test_an_unfinished_application_is_replaced_once_it_has_ended(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    data = log_bytes(YARN)
    (logs / f"{YARN}.inprogress").write_bytes(data[: len(data) // 2])
    assert _import(tmp_path / "jobs", logs).added == 1
    [running] = applications(JobStore(tmp_path / "jobs").read())
    assert running.outcome == "unfinished"
    (logs / f"{YARN}.inprogress").unlink()
    (logs / YARN).write_bytes(data)
    assert _import(tmp_path / "jobs", logs) == JobImport(0, 1, 0, ())
    [ended] = applications(JobStore(tmp_path / "jobs").read())
    assert ended.outcome == "succeeded"


def test_an_unreadable_history_is_reported_and_leaves_out_nothing_else(
    histories: Path, tmp_path: Path
) -> None:
    (histories / "application_1_0001").write_text("no event\n")
    (histories / "job_1_0002-x.jhist").write_text("no history")
    (histories / "notes.txt").write_text("no history, and no name of one")
    imported = _import(tmp_path / "jobs", histories)
    assert imported.added > 10
    assert len(imported.problems) == 2
    assert any("is not a Spark event log" in problem for problem in imported.problems)


def test_a_history_of_mapreduce_has_its_memory_waste_and_advice(histories: Path, tmp_path: Path) -> None:
    _import(tmp_path / "jobs", histories)
    job = application_of(tmp_path / "jobs", "job_1795279288437_0002")
    facts = recorded_job("terasort")
    assert job.kind == "mapreduce"
    assert job.id == facts.id.replace("job_", "application_")
    assert (job.queue, job.outcome, job.tasks) == ("default", "succeeded", 10)
    # Hadoop's own sums of container time.
    assert facts.file is not None
    counters = read_history(facts.file, "").counters
    charged_s = sum(counters[f"JobCounter.MILLIS_{kind}"].total for kind in ("MAPS", "REDUCES")) / 1e3
    assert job.container_s == pytest.approx(charged_s, rel=0.1)
    assert 0 < job.unused_memory_s < job.container_s
    # Hadoop's counter has only the one write of the reduces' input.
    assert counters["TaskCounter.SPILLED_RECORDS"].reduce > 0
    assert job.spilled_bytes == 0
    assert [stage.name for stage in job.stages] == ["maps", "reduces"]
    assert {share.host for share in job.hosts} == {"w1-1", "w1-2", "w2-1", "w2-2"} & {
        s.host for s in job.hosts
    }
    failed = application_of(tmp_path / "jobs", "1795279700344_0003")
    assert failed.outcome == "failed"
    assert failed.failed_attempts == 2
    [advice] = [each for each in failed.advice if "heap space" in each.reason]
    assert advice.setting == "mapreduce.map.memory.mb"


def test_a_history_server_gives_the_same_as_its_file(tmp_path: Path) -> None:
    job = recorded_job("terasort")
    (tmp_path / "logs").mkdir()
    assert job.file is not None
    (tmp_path / "logs" / f"{job.id}-x.jhist").write_bytes(job.file)
    _import(tmp_path / "files", tmp_path / "logs")
    with serving(job, tmp_path / "conf", file=False) as target:
        url = target.conf.history().url
        facts = {path: answer for path, answer in job.answers.items() if path.endswith(f"/jobs/{job.id}")}
        [whole] = [answer["job"] for answer in facts.values() if "job" in answer]
        with Recorded({}) as server:
            for path, answer in job.answers.items():
                server.answers[f"GET {path}"] = in_json(answer)
            server.answers["GET /ws/v1/history/info"] = in_json({"historyInfo": {}})
            server.answers["GET /ws/v1/history/mapreduce/jobs"] = in_json({"jobs": {"job": [whole]}})
            assert url
            assert _import(tmp_path / "server", server.url).added == 1
            assert _import(tmp_path / "server", server.url).added == 0
            # A replay reads the whole history again, with all of its tasks.
            replayed = replay(tmp_path / "server", Request(job.id.replace("job_", "application_")))
            same = replay(tmp_path / "files", Request(job.id.replace("job_", "application_")))
            assert (replayed.tasks, replayed.containers) == (same.tasks, same.containers)
            assert replayed.cpu_s == pytest.approx(same.cpu_s, rel=0.01)
    [file] = applications(JobStore(tmp_path / "files").read())
    [served] = applications(JobStore(tmp_path / "server").read())
    assert served.container_s == pytest.approx(file.container_s)
    assert served.spilled_bytes == file.spilled_bytes
    assert served.source.startswith("http://")


def test_sparks_history_server_returns_logs_as_zip_files(tmp_path: Path) -> None:
    packed = tmp_path / "log.zip"
    with ZipFile(packed, "w") as archive:
        archive.writestr(YARN, log_bytes(YARN))
    listed = [{"id": YARN, "name": "Spark shell", "attempts": [{"completed": True}]}]
    with Recorded({}) as server:
        server.answers["GET /api/v1/version"] = in_json({"spark": "4.3.0"})
        server.answers["GET /api/v1/applications"] = Answer(
            json.dumps(listed).encode(), kind="application/json"
        )
        server.answers[f"GET /api/v1/applications/{YARN}/logs"] = Answer(
            packed.read_bytes(), kind="application/octet-stream"
        )
        assert _import(tmp_path / "jobs", server.url).added == 1
        assert _import(tmp_path / "jobs", server.url) == JobImport(0, 0, 1, ())
        assert replay(tmp_path / "jobs", Request(YARN)).tasks > 0
        server.answers[f"GET /api/v1/applications/{YARN}/logs"] = Answer(b"no zip", kind="text/plain")
        assert "returns no zip file" in _import(tmp_path / "other", server.url).problems[0]
        with pytest.raises(UserError, match=r"cannot be read again: .*returns no zip file"):
            replay(tmp_path / "jobs", Request(YARN))


def test_sources_that_hold_nothing_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    for source, what in (
        (tmp_path / "missing", "no such file"),
        (tmp_path, "contains no history"),
        ("ftp://host/logs", "is not a directory, a path in HDFS"),
        ("hdfs:///logs", "configuration is unknown"),
        ("http://127.0.0.1:1", "cannot be reached"),
    ):
        with pytest.raises(UserError, match=what):
            _import(tmp_path / "jobs", source)
    with pytest.raises(UserError, match="no such application"):
        application_of(tmp_path / "jobs", "nothing")
    assert overview_of(tmp_path / "jobs", Filters()).count == 0


def test_a_damaged_table_is_named(tmp_path: Path, histories: Path) -> None:
    _import(tmp_path / "jobs", histories)
    [file] = (tmp_path / "jobs").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(UserError, match="damaged"):
        overview_of(tmp_path / "jobs", Filters())


def test_a_named_file_that_is_no_history_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"a":')
    with pytest.raises(UserError, match=r"bad\.json: is not a Spark event log"):
        _import(tmp_path / "jobs", tmp_path / "bad.json")
    assert not (tmp_path / "jobs").exists()


def test_renamed_logs_are_found_compressed_or_not(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    shutil.copy(SPARK_EVENTS / f"{YARN}.gz", logs / "monday.gz")
    (logs / "tuesday.json").write_bytes(log_bytes("application_1553914137147_0018"))
    (logs / "other.json").write_text("{}")
    shutil.copy(
        next((SPARK_EVENTS / "eventlog_v2_app-20261128205441-0000").glob("events_1_*")), logs / "join.zstd"
    )
    (logs / "plain").write_bytes(log_bytes("local-1642039451826"))
    (logs / "other.gz").write_bytes(b"\x1f\x8b\x08 no archive")
    assert _import(tmp_path / "jobs", logs) == JobImport(4, 0, 0, ())
