"""What became of a job, whoever tells: its history file, the server, the application master, the client."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from howdah.engines.base import RunClock
from howdah.engines.hadoop.following import TaskSnapshots
from howdah.engines.hadoop.reporters import ReportedJob, printed_counters, report_job
from howdah.engines.hadoop.target import HadoopTarget
from howdah.model.plan import WorkerPlan
from howdah.model.run import TaskAttempt
from howdah.model.workloads.hadoop_programs import PI
from howdah.model.workloads.suite import programs
from howdah.model.workloads.terasort import TERAGEN, TERASORT, TeraGen, TeraSort
from howdah.services import history
from howdah.services.conf import ClientConf
from howdah.services.history import read_history
from howdah.services.job_rest import JobReader
from support.daemons import change_properties
from support.recorded import Recorded, in_json, recorded
from support.recorded_jobs import JOBS, STAGING, RecordedJob, recorded_job, serving

PLAN = WorkerPlan(platform="unknown", workers=(), settings=())
HISTORY = "/ws/v1/history/mapreduce"
MASTER = "/proxy/application/ws/v1/mapreduce"
KINDS = {"terasort": TERASORT, "lost": TERASORT, "limit": PI}


def _clock(job: RecordedJob) -> RunClock:
    """A clock of a run that began ten seconds before the job was handed in."""
    clock = RunClock()
    clock.start_epoch_s = job.answers[f"/ws/v1/cluster/apps/{_app(job)}"]["app"]["startedTime"] / 1000 - 10
    return clock


def _app(job: RecordedJob) -> str:
    return job.id.replace("job", "application")


def _tell(name: str, target: HadoopTarget, job: RecordedJob) -> ReportedJob:
    workload = programs()[KINDS.get(name, TERAGEN)].model_validate({})
    return report_job(target, job.id, _clock(job), workload=workload, plan=PLAN, printed=job.client)


def _told(name: str, folder: Path, *, server: bool, file: bool) -> ReportedJob:
    job = recorded_job(name)
    with serving(job, folder, server=server, file=file) as target:
        return _tell(name, target, job)


@pytest.mark.parametrize(
    ("server", "file", "told_by"),
    [
        (True, True, "history file"),
        (True, False, "history server"),
        (False, True, "history file"),
        (False, False, "client"),
    ],
)
def test_the_first_that_can_tells(server: bool, file: bool, told_by: str, tmp_path: Path) -> None:
    reported = _told("terasort", tmp_path / "conf", server=server, file=file)
    assert reported.job.told_by == told_by
    assert reported.job.queue == "root.default"
    assert reported.job.diagnostics is None
    assert reported.counters.output_rows == 400_000


@pytest.mark.parametrize("name", ["terasort", "one", "json", "lost"])
def test_server_and_file_come_to_the_same_record(name: str, tmp_path: Path) -> None:
    server = _told(name, tmp_path / "a", server=True, file=False)
    file = _told(name, tmp_path / "b", server=False, file=True)
    assert _placeless(server.attempts) == _placeless(file.attempts)
    assert server.phases == file.phases
    assert server.counters == file.counters
    # Of application masters the file alone tells.
    assert len(file.job.masters) == 1
    assert server.job.model_copy(update={"told_by": "history file", "masters": file.job.masters}) == file.job


def test_nobody_else_is_asked_of_a_job_whose_file_says_that_it_succeeded(tmp_path: Path) -> None:
    job = recorded_job("terasort")
    with serving(job, tmp_path / "conf") as target, Recorded({}) as silent:
        manager = f"127.0.0.1:{silent.port}"
        change_properties(tmp_path / "conf/yarn-site.xml", {"yarn.resourcemanager.webapp.address": manager})
        change_properties(tmp_path / "conf/mapred-site.xml", {"mapreduce.jobhistory.webapp.address": manager})
        reported = _tell("terasort", replace(target, conf=ClientConf.read(tmp_path / "conf")), job)
    assert reported.job.told_by == "history file"
    assert reported.job.conf["mapreduce.job.reduces"]
    assert silent.asked == []


def test_a_master_that_left_no_word_in_the_file_is_asked_for(tmp_path: Path) -> None:
    """One that was killed wrote down nothing: the next one's file begins with itself."""
    job = recorded_job("terasort")
    assert job.file is not None
    number = job.id.removeprefix("job_").encode()
    second = job.file.replace(b"appattempt_" + number + b"_000001", b"appattempt_" + number + b"_000002")
    attempts = f"/ws/v1/cluster/apps/{_app(job)}/appattempts"
    job = job._replace(
        file=second, answers={**job.answers, attempts: json.loads(recorded("app-attempts.json").body)}
    )
    with serving(job, tmp_path / "conf") as target:
        reported = _tell("terasort", target, job)
    assert [(one.number, one.worker) for one in reported.job.masters] == [(1, "h2-1"), (2, "h1-2")]


def test_a_job_that_failed_has_the_servers_counters_and_its_files_tasks(tmp_path: Path) -> None:
    reported = _told("heap", tmp_path / "conf", server=True, file=True)
    assert reported.job.told_by == "history server"
    assert reported.job.counters


def _placeless(rows: Iterable[TaskAttempt]) -> list[TaskAttempt]:
    """Rows without what the history server's REST does not tell: where the input lay."""
    return [row._replace(locality="") for row in rows]


def test_its_file_tells_where_the_input_lay(tmp_path: Path) -> None:
    reported = _told("terasort", tmp_path / "conf", server=True, file=True)
    maps = [row for row in reported.attempts if row.kind == "map" and row.state == "succeeded"]
    assert [row.locality for row in sorted(maps, key=lambda row: row.task)] == ["local"] * 7 + ["remote"]


@pytest.mark.parametrize("name", JOBS)
@pytest.mark.parametrize("server", [True, False], ids=["server", "file"])
def test_phases_cover_the_job_and_do_not_overlap(name: str, server: bool, tmp_path: Path) -> None:
    reported = _told(name, tmp_path / "conf", server=server, file=not server)
    assert reported.phases[0].start_s == reported.job.started_s
    assert reported.phases[-1].end_s == reported.job.finished_s
    for one, next_one in zip(reported.phases, reported.phases[1:], strict=False):
        assert one.start_s <= one.end_s == next_one.start_s


def test_the_maps_phase_ends_with_the_last_map_whose_output_was_taken(tmp_path: Path) -> None:
    for name in ("terasort", "lost"):
        reported = _told(name, tmp_path / name, server=True, file=True)
        assert [phase.name for phase in reported.phases] == ["map-shuffle", "reduce-merge"]
        good = [row for row in reported.attempts if row.kind == "map" and row.state == "succeeded"]
        assert reported.phases[0].end_s == max(row.end_s for row in good)


def test_a_job_without_reduces_has_one_phase(tmp_path: Path) -> None:
    reported = _told("one", tmp_path / "conf", server=True, file=True)
    assert [phase.name for phase in reported.phases] == ["map"]


@pytest.mark.parametrize("name", ["terasort", "one", "json", "lost"])
def test_what_good_attempts_did_adds_up_to_the_jobs_counters(name: str, tmp_path: Path) -> None:
    reported = _told(name, tmp_path / "conf", server=True, file=True)
    good = [row for row in reported.attempts if row.state == "succeeded"]
    counters = reported.job.counters
    maps = [row for row in good if row.kind == "map"]
    assert sum(row.input_rows for row in maps) == reported.counters.input_rows
    assert sum(row.output_rows for row in maps) == counters["TaskCounter.MAP_OUTPUT_RECORDS"].map
    assert sum(row.input_bytes for row in maps) == counters["FileSystemCounter.HDFS_BYTES_READ"].map
    assert sum(row.spilled_bytes for row in good) == counters["FileSystemCounter.FILE_BYTES_WRITTEN"].total
    cpu_s = sum(row.cpu_s or 0 for row in good)
    assert cpu_s * 1000 == pytest.approx(counters["TaskCounter.CPU_MILLISECONDS"].total)
    if name == "terasort":
        reduces = [row for row in good if row.kind == "reduce"]
        shuffled = counters["TaskCounter.REDUCE_SHUFFLE_BYTES"].reduce
        assert sum(row.shuffled_bytes or 0 for row in reduces) == shuffled
        assert sum(row.output_bytes for row in reduces) == 40_000_000


def test_a_sorts_counters_in_bytes_and_rows(tmp_path: Path) -> None:
    counters = _told("terasort", tmp_path / "conf", server=True, file=True).counters
    assert (counters.input_rows, counters.output_rows) == (400_000, 400_000)
    assert counters.written_bytes == 40_000_000
    # Every row once in a map and once in a reduce; two bytes of lengths and two of framing for each.
    assert counters.spilled_rows == 800_000
    assert (counters.spilled_raw_bytes, counters.spilled_bytes) == (40_800_000, 41_600_096)


def test_a_generators_counters_have_no_input(tmp_path: Path) -> None:
    counters = _told("one", tmp_path / "conf", server=True, file=True).counters
    assert (counters.input_rows, counters.output_rows, counters.written_bytes) == (0, 1000, 100_000)
    assert (counters.spilled_raw_bytes, counters.spilled_bytes) == (0, 0)


def test_times_are_on_the_runs_own_clock(tmp_path: Path) -> None:
    reported = _told("terasort", tmp_path / "conf", server=True, file=True)
    assert reported.job.submitted_s == pytest.approx(10, abs=0.1)
    assert reported.job.started_s is not None
    assert reported.job.finished_s is not None
    for row in reported.attempts:
        assert reported.job.started_s <= row.start_s <= row.end_s <= reported.job.finished_s


def test_only_properties_that_hold_no_secret_are_kept(tmp_path: Path) -> None:
    job = recorded_job("terasort")
    answers = dict(job.answers)
    conf = f"{HISTORY}/jobs/{job.id}/conf"
    answers[conf] = {
        "conf": {
            "property": [
                {"name": "fs.s3a.secret.key", "value": "hunter2"},
                {"name": "mapreduce.map.java.opts", "value": "-Djavax.net.ssl.trustStorePassword=hunter2"},
                {"name": "mapreduce.task.io.sort.mb", "value": 40},
            ]
        }
    }
    with serving(job._replace(answers=answers), tmp_path / "conf", file=False) as target:
        reported = _tell("terasort", target, job)
    assert reported.job.conf == {"mapreduce.task.io.sort.mb": "40"}


def test_a_client_counts_what_the_history_counts(tmp_path: Path) -> None:
    for name in ("terasort", "one", "lost"):
        job = recorded_job(name)
        assert job.file is not None
        reported = read_history(job.file, "a file").counters
        printed = printed_counters(job.client)
        # A client leaves groups out that the history has, and has the checksum of TeraGen by its name.
        assert {key: sums.total for key, sums in printed.items() if key in reported} == {
            key: sums.total for key, sums in reported.items() if key in printed
        }
        assert len(printed) >= 0.9 * len(reported)


def test_a_client_that_printed_no_counters_told_none() -> None:
    assert (
        printed_counters(["2026-11-21 INFO mapreduce.Job:  map 0% reduce 0%", "\tMap input records=3"]) == {}
    )


def test_with_the_client_alone_a_record_has_neither_tasks_nor_phases(tmp_path: Path) -> None:
    reported = _told("terasort", tmp_path / "conf", server=False, file=False)
    assert reported.attempts == []
    assert reported.phases == ()
    assert reported.job.finished_s is not None


def test_nobody_but_the_client_is_left(tmp_path: Path) -> None:
    job = recorded_job("terasort")
    with serving(job._replace(answers={}), tmp_path / "conf", file=False) as target:
        good = _tell("terasort", target, job)
        bad = _tell("terasort", target, job._replace(client=("it printed nothing",)))
    assert (good.job.told_by, good.job.diagnostics) == ("client", None)
    assert bad.job.diagnostics == "Hadoop reports no reason"
    assert good.job.submitted_s == pytest.approx(0, abs=0.01)


def _as_master(job: RecordedJob) -> Recorded:
    """An application master that tells of this job: the shapes are the history's."""
    answers = {
        f"GET {path.replace(HISTORY, MASTER)}": in_json(answer)
        for path, answer in job.answers.items()
        if path.startswith(HISTORY)
    }
    return Recorded(answers)


def test_what_the_master_told_last_counts_where_the_history_cannot_be_had(tmp_path: Path) -> None:
    job = recorded_job("terasort")
    with _as_master(job) as master, serving(job, tmp_path / "a", server=False, file=False) as target:
        seen = TaskSnapshots(JobReader(target.web, master.url + MASTER), job.id)
        seen.poll()
        first = len(master.asked)
        seen.poll()
        again = [one.path for one in master.asked[first:]]
        clock = _clock(job)
        reported = report_job(target, job.id, clock, workload=TeraSort(), plan=PLAN, seen=seen.job)
    assert reported.job.told_by == "application master"
    assert all("attempts" not in path for path in again), "an ended task is asked about once"
    server = _told("terasort", tmp_path / "b", server=True, file=False)
    assert reported.attempts == server.attempts
    assert reported.phases == server.phases
    assert reported.counters == server.counters


def test_a_master_seen_in_the_middle_leaves_tasks_that_ended_with_the_job(tmp_path: Path) -> None:
    job = recorded_job("one")
    answers = {path: _unended(answer) for path, answer in job.answers.items()}
    with (
        _as_master(job._replace(answers=answers)) as master,
        serving(job, tmp_path / "conf", server=False, file=False) as target,
    ):
        seen = TaskSnapshots(JobReader(target.web, master.url + MASTER), job.id)
        seen.poll()
        clock = _clock(job)
        reported = report_job(target, job.id, clock, workload=TeraGen(), plan=PLAN, seen=seen.job)
    assert seen.job is not None
    assert seen.job.state == "running"
    (row,) = reported.attempts
    assert row.state == "killed"
    assert row.error == "Hadoop reports no end of it"
    assert row.end_s == reported.job.finished_s


def test_a_job_whose_master_was_killed_unwritten_has_the_tasks_that_were_seen(tmp_path: Path) -> None:
    job = recorded_job("one")
    running = {path: _unended(answer) for path, answer in job.answers.items()}
    untold = {path: {"tasks": None} if path.endswith("/tasks") else one for path, one in job.answers.items()}
    with (
        _as_master(job._replace(answers=running)) as master,
        serving(job._replace(answers=untold), tmp_path / "conf", file=False) as target,
    ):
        seen = TaskSnapshots(JobReader(target.web, master.url + MASTER), job.id)
        seen.poll()
        clock = _clock(job)
        reported = report_job(target, job.id, clock, workload=TeraGen(), plan=PLAN, seen=seen.job)
    assert reported.job.told_by == "history server"
    assert [(row.kind, row.state) for row in reported.attempts] == [("map", "killed")]


def _unended(answer: object) -> object:
    """An answer as it was before the end."""
    if isinstance(answer, list):
        return [_unended(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    changed = {key: _unended(value) for key, value in answer.items()}
    if "finishTime" in changed and "state" in changed:
        changed |= {"finishTime": 0, "state": "RUNNING"}
    return changed


def test_a_master_that_has_gone_was_not_seen(tmp_path: Path) -> None:
    with Recorded({}) as nothing, serving(recorded_job("one"), tmp_path / "conf") as target:
        seen = TaskSnapshots(JobReader(target.web, nothing.url + MASTER), "job_1_1")
        seen.poll()
    assert seen.job is None


def test_a_killed_job_is_told_of_by_what_its_application_master_had_written(tmp_path: Path) -> None:
    job = recorded_job("terasort")
    assert job.file is not None
    whole = read_history(job.file, "a file")
    # It was killed before the last reduces had ended.
    cut = job._replace(file=job.file[: len(job.file) * 9 // 10])
    with serving(cut, tmp_path / "conf", server=False, place="staging") as target:
        clock = _clock(job)
        reported = report_job(target, job.id, clock, workload=TeraSort(), plan=PLAN, staging=STAGING)
    assert reported.job.told_by == "history file"
    assert reported.job.conf["mapreduce.job.reduces"] == whole_conf(tmp_path, job)
    states = [row.state for row in reported.attempts]
    assert 0 < states.count("succeeded") < sum(len(task.attempts) for task in whole.tasks)


def test_of_a_very_long_history_the_beginning_is_read_and_the_server_tells_how_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = recorded_job("terasort")
    assert job.file is not None
    most = len(job.file) // 2
    monkeypatch.setattr(history, "MOST_BYTES", most)
    # A DataNode sends as much as it was asked for.
    with serving(job._replace(file=job.file[:most]), tmp_path / "conf") as target:
        reported = _tell("terasort", target, job)
    assert reported.job.told_by == "history server"
    assert reported.job.diagnostics is None
    assert reported.counters.output_rows == 400_000
    assert 0 < len(reported.facts.tasks) <= reported.facts.maps + reported.facts.reduces


def whole_conf(folder: Path, job: RecordedJob) -> str:
    """How many reduces the job had, as its own configuration says."""
    with serving(job, folder / "whole") as target:
        return _tell("terasort", target, job).job.conf["mapreduce.job.reduces"]


def test_a_damaged_history_file_leaves_the_telling_to_the_next(tmp_path: Path) -> None:
    job = recorded_job("terasort")
    assert job.file is not None
    with serving(job._replace(file=b"<html>"), tmp_path / "a", server=False) as target:
        assert _tell("terasort", target, job).job.told_by == "client"
    with serving(job._replace(file=b"<html>"), tmp_path / "b") as target:
        assert len(_tell("terasort", target, job).attempts) == 11
