"""The job history, as real servers and real history files tell of it: both tell the same."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from howdah.services.conf import ClientConf
from howdah.services.errors import NotReachable, RefusedByDaemon, Unexpected
from howdah.services.history import HistoryFiles, JobHistory, read_history
from howdah.services.job_facts import AttemptFacts, JobFacts, state_of, task_number
from howdah.services.job_rest import JobReader
from howdah.services.namenode import NameNode
from howdah.services.web import Web
from support.daemons import change_properties
from support.ports import free_ports
from support.recorded import Answer, Recorded, in_json
from support.recorded_jobs import DATA, JOBS, STAGING, RecordedJob, recorded_job, serving

BASE = "/ws/v1/history/mapreduce"


def _from_server(job: RecordedJob, folder: Path) -> JobFacts:
    with serving(job, folder, file=False) as target:
        return JobHistory(target.web, target.conf).whole(job.id)


def _from_file(job: RecordedJob) -> JobFacts:
    assert job.file is not None
    return read_history(job.file, "a file")


def _attempts(job: JobFacts) -> list[AttemptFacts]:
    return [one for task in job.tasks for one in task.attempts]


@pytest.mark.parametrize("name", JOBS)
def test_the_server_and_the_file_tell_the_same_of_a_job(name: str, tmp_path: Path) -> None:
    job = recorded_job(name)
    server, file = _from_server(job, tmp_path / "conf"), _from_file(job)
    for field in ("id", "name", "queue", "user", "state", "submit_ms", "start_ms", "finish_ms"):
        assert getattr(server, field) == getattr(file, field), field
    if server.state == "succeeded":
        assert server.counters == file.counters
        assert (server.maps, server.reduces) == (file.maps, file.reduces)


@pytest.mark.parametrize("name", JOBS)
def test_the_server_and_the_file_tell_of_the_same_attempts(name: str, tmp_path: Path) -> None:
    job = recorded_job(name)
    # Where the input lay is in the file alone, and the server adds and drops white space of errors.
    port = ":8042"
    server = [
        replace(one, node_web=one.node + port if one.node else "", error="".join(one.error.split()))
        for one in _attempts(_from_server(job, tmp_path / "conf"))
        if one.start_ms
    ]
    file = [
        replace(one, locality="", error="".join(one.error.split()))
        for one in _attempts(_from_file(job))
        if one.start_ms
    ]
    assert file
    assert server == file


def test_a_job_has_every_task_once_with_its_attempts_in_order(tmp_path: Path) -> None:
    job = _from_server(recorded_job("terasort"), tmp_path / "conf")
    assert [task_number(task.id)[:2] for task in job.tasks] == [
        *(("map", number) for number in range(8)),
        *(("reduce", number) for number in range(2)),
    ]
    speculated = job.tasks[3]
    assert [one.state for one in speculated.attempts] == ["succeeded", "killed"]
    assert speculated.winner == speculated.attempts[0].id


def test_a_reduce_says_when_it_had_fetched_and_merged_and_a_map_does_not() -> None:
    for one in _attempts(_from_file(recorded_job("terasort"))):
        if one.number.kind == "map":
            assert (one.shuffle_ms, one.merge_ms) == (None, None)
        else:
            assert one.start_ms is not None
            assert one.shuffle_ms is not None
            assert one.merge_ms is not None
            assert one.finish_ms is not None
            assert one.start_ms <= one.shuffle_ms <= one.merge_ms <= one.finish_ms


def test_counters_are_named_without_the_package_of_their_group() -> None:
    counters = _from_file(recorded_job("one")).counters
    assert counters["TaskCounter.MAP_OUTPUT_RECORDS"].map == 1000
    assert counters["FileSystemCounter.HDFS_BYTES_WRITTEN"].total == 100_000
    assert counters["TeraGen$Counters.CHECKSUM"].total == int("1f9ffe645ec", 16)


def test_a_file_tells_where_the_input_of_maps_lay() -> None:
    tasks = _from_file(recorded_job("terasort")).tasks
    assert tasks[7].split_hosts == ("w1-1",)
    assert tasks[7].attempts[0].node == "w1-2"
    assert tasks[7].attempts[0].locality == "RACK_LOCAL"


def test_an_attempt_undone_by_a_lost_node_keeps_the_time_of_its_end(tmp_path: Path) -> None:
    job = recorded_job("lost")
    for facts in (_from_server(job, tmp_path / "conf"), _from_file(job)):
        undone = facts.tasks[1].attempts[0]
        assert undone.state == "killed"
        assert "unusable node" in undone.error
        assert undone.finish_ms is not None
        assert undone.finish_ms < facts.tasks[1].attempts[-1].start_ms  # type: ignore[operator]


def test_an_attempt_without_a_container_has_neither_a_start_nor_a_node() -> None:
    never = _from_file(recorded_job("lost")).tasks[1].attempts[1]
    assert (never.start_ms, never.node) == (None, "")


# Releases differ in whether a list of one element is that element, and an empty one null, empty or not there.


def _reshaped(value: Any, draw: st.DrawFn) -> Any:
    if isinstance(value, dict):
        return {key: _reshaped_list(key, inner, draw) for key, inner in value.items()}
    return value


def _reshaped_list(key: str, value: Any, draw: st.DrawFn) -> Any:
    if key in {
        "task",
        "taskAttempt",
        "counterGroup",
        "taskAttemptCounterGroup",
        "counter",
        "property",
    }:
        inner = [_reshaped(one, draw) for one in (value if isinstance(value, list) else [value])]
        return inner[0] if len(inner) == 1 and draw(st.booleans()) else inner
    if key in {"taskAttempts", "tasks"} and not value:
        return draw(st.sampled_from(["", None, {}, {"taskAttempt": None}]))
    return _reshaped(value, draw)


@st.composite
def _shapes(draw: st.DrawFn) -> RecordedJob:
    job = recorded_job(draw(st.sampled_from(["one", "codec"])))._replace(file=None)
    return job._replace(answers={path: _reshaped(answer, draw) for path, answer in job.answers.items()})


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_shapes())
def test_lists_of_one_and_of_none_are_read_in_every_shape(tmp_path: Path, job: RecordedJob) -> None:
    same = next(one for one in map(recorded_job, ("one", "codec")) if one.id == job.id)
    shaped, plain = _from_server(job, tmp_path / "conf"), _from_server(same, tmp_path / "conf")
    web = {one.id: one.node_web for one in _attempts(plain)}
    assert replace(shaped, tasks=()) == replace(plain, tasks=())
    assert [replace(one, node_web=web[one.id]) for one in _attempts(shaped)] == _attempts(plain)


@st.composite
def _lacking(draw: st.DrawFn) -> Any:
    """An answer of a running master's from which fields are missing or have not come."""
    answer = copy.deepcopy(recorded_job("terasort").answers)
    path = draw(st.sampled_from([path for path in answer if path.endswith("/attempts")]))
    attempt = answer[path]["taskAttempts"]["taskAttempt"]
    one = attempt[0] if isinstance(attempt, list) else attempt
    for key in draw(st.sets(st.sampled_from(sorted(set(one) - {"id", "state"})))):
        if draw(st.booleans()):
            del one[key]
        else:
            one[key] = None if isinstance(one[key], str) else draw(st.sampled_from([0, -1, None]))
    return path, answer[path]


@settings(max_examples=15, deadline=None)
@given(_lacking())
def test_an_attempt_of_which_little_is_known_is_read_all_the_same(lacking: Any) -> None:
    path, answer = lacking
    job, task = path.split("/")[6], path.split("/")[8]
    with Recorded({f"GET {path}": in_json(answer)}) as server, Web() as web:
        found = JobReader(web, server.url + BASE).attempts(job, task)
    assert found[0].id.startswith("attempt_")
    for time in (found[0].start_ms, found[0].finish_ms, found[0].shuffle_ms, found[0].merge_ms):
        assert time is None or time > 0


def test_a_server_that_does_not_know_the_job_refuses() -> None:
    gone = {"RemoteException": {"exception": "NotFoundException", "message": "job, job_1_1, is not found"}}
    answers = {f"GET {BASE}/jobs/job_1_1": in_json(gone, 404)}
    with Recorded(answers) as server, Web() as web, pytest.raises(RefusedByDaemon) as error:
        JobReader(web, server.url + BASE).job("job_1_1")
    assert error.value.exception == "NotFoundException"


def test_a_server_that_is_down_is_not_reachable() -> None:
    (port,) = free_ports(1)
    with Web() as web, pytest.raises(NotReachable):
        JobReader(web, f"http://127.0.0.1:{port}{BASE}").job("job_1_1")


def test_a_page_in_place_of_an_answer_is_unexpected() -> None:
    page = Answer(b"<html>the proxy's</html>", kind="text/html")
    answers = {f"GET {BASE}/jobs/job_1_1/tasks": page}
    with Recorded(answers) as server, Web() as web, pytest.raises(Unexpected):
        JobReader(web, server.url + BASE).tasks("job_1_1")


@pytest.mark.parametrize("counter", [{"totalCounterValue": 1}, {"name": "A", "totalCounterValue": None}, 7])
def test_a_counter_that_is_not_told_as_it_should_be_is_unexpected(counter: object) -> None:
    group = {"counterGroupName": "G", "counter": [counter]}
    answers = {f"GET {BASE}/jobs/job_1_1/counters": in_json({"jobCounters": {"counterGroup": [group]}})}
    with Recorded(answers) as server, Web() as web, pytest.raises(Unexpected):
        JobReader(web, f"{server.url}{BASE}").counters("job_1_1")


def test_the_jobs_a_server_knows_are_asked_for_with_hadoops_own_parameters() -> None:
    listed = {"job": recorded_job("one").answers[f"{BASE}/jobs/{recorded_job('one').id}"]["job"]}
    with Recorded({f"GET {BASE}/jobs?startedTimeBegin=5": in_json({"jobs": listed})}) as server, Web() as web:
        (job,) = JobReader(web, server.url + BASE).jobs(startedTimeBegin=5)
    assert (job.name, job.state, job.maps) == ("TeraGen", "succeeded", 1)


@pytest.mark.parametrize("place", ["intermediate", "done", "staging"])
def test_a_history_file_is_found_where_it_is_written_and_where_it_is_moved(
    place: Literal["intermediate", "done", "staging"], tmp_path: Path
) -> None:
    job = recorded_job("terasort")
    with serving(job, tmp_path / "conf", server=False, place=place) as target:
        found = HistoryFiles(NameNode(target.web, target.conf), target.conf, "root", STAGING).job(job.id)
    assert found is not None
    assert replace(found, conf={}) == _from_file(job)
    assert found.conf["mapreduce.job.reduces"] == "2"


def test_no_more_of_a_history_file_is_asked_for_than_fits_into_memory(tmp_path: Path) -> None:
    job = recorded_job("terasort")
    with serving(job, tmp_path / "conf") as target, Recorded({}) as namenode:
        change_properties(
            tmp_path / "conf/hdfs-site.xml", {"dfs.namenode.http-address": f"127.0.0.1:{namenode.port}"}
        )
        hdfs = NameNode(target.web, ClientConf.read(tmp_path / "conf"))
        with pytest.raises(RefusedByDaemon):
            hdfs.read("/a/file", 1000)
    assert namenode.asked[0].query["length"] == "1000"


def test_there_may_be_no_history_file(tmp_path: Path) -> None:
    job = recorded_job("terasort")
    with serving(job, tmp_path / "conf", server=False, file=False) as target:
        assert HistoryFiles(NameNode(target.web, target.conf), target.conf, "root").job(job.id) is None


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["terasort", "json"]), st.floats(0, 1))
def test_a_file_that_ends_anywhere_tells_of_what_came_before(name: str, share: float) -> None:
    whole = recorded_job(name).file
    assert whole is not None
    try:
        job = read_history(whole[: round(share * len(whole))], "a file")
    except Unexpected:
        # Without its schema or the job's first event it tells nothing.
        assert share < 0.6
        return
    reported = {one.id for one in _attempts(job)}
    assert reported <= {one.id for one in _attempts(_from_file(recorded_job(name)))}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 53_000), st.binary(min_size=1, max_size=8))
def test_a_damaged_file_is_an_error_of_its_own_or_less_of_a_job(at: int, noise: bytes) -> None:
    file = recorded_job("terasort").file
    assert file is not None
    with suppress(Unexpected):
        read_history(file[:at] + noise + file[at + len(noise) :], "a file")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"Avro-Binary\n", "its schema cannot be read"),
        (b"Avro-Binary\nno schema\n", "its schema cannot be read"),
        (b'Avro-Json\n"string"\n', "it ends before the job's first event"),
        (b"<html>", "it begins with"),
    ],
)
def test_what_is_no_history_file_is_unexpected(content: bytes, why: str) -> None:
    with pytest.raises(Unexpected, match=why):
        read_history(content, "a file")


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("SUCCEEDED", "succeeded"),
        ("FAILED", "failed"),
        ("KILLED", "killed"),
        ("ERROR", "failed"),
        ("SCHEDULED", "running"),
        ("RUNNING", "running"),
        ("COMMIT_PENDING", "running"),
        ("KILL_WAIT", "killed"),
    ],
)
def test_the_states_of_hadoop_come_to_four(word: str, state: str) -> None:
    assert state_of(word) == state


def test_the_data_hold_real_answers_of_both_shapes() -> None:
    one = json.dumps(recorded_job("one").answers)
    assert '"task": {' in one
    assert '"taskAttempts": ""' in json.dumps(recorded_job("codec").answers)


def test_a_real_application_master_is_read_while_its_job_runs() -> None:
    answers = json.loads((DATA / "master.json").read_text())
    base = "/proxy/application_1795279288437_0002/ws/v1/mapreduce"
    with Recorded({f"GET {base}/{path}": in_json(answer) for path, answer in answers.items()}) as server:
        reader = JobReader(Web(), server.url + base)
        job = reader.job("job_1795279288437_0002")
        counters = reader.counters(job.id)
        tasks = {task.id: reader.attempts(job.id, task.id) for task in reader.tasks(job.id)}
    assert (job.state, job.maps, job.reduces, job.finish_ms) == ("running", 8, 2, None)
    assert counters["JobCounter.TOTAL_LAUNCHED_MAPS"].total == 8
    maps = [one for attempts in tasks.values() for one in attempts if one.number.kind == "map"]
    assert len(maps) == 8
    assert all(one.state == "running" and one.start_ms and one.finish_ms is None for one in maps)
    assert {one.node for one in maps} == {"w1-1", "w1-2", "w2-1"}
    reduces = [one for attempts in tasks.values() for one in attempts if one.number.kind == "reduce"]
    assert [(one.start_ms, one.node, one.shuffle_ms) for one in reduces] == [(None, "", None)] * 2
