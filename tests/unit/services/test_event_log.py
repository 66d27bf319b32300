"""Spark's event logs: what they contain in each release, compressed, rolling, truncated and damaged."""

from __future__ import annotations

import bz2
import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.application import SPARK_TASKS_SCHEMA, SparkLog
from howdah.services.event_log import read_event_log
from howdah.units import GIB
from support.spark_logs import LOGS, SPARK_EVENTS, log_bytes, lz4, snappy, zstd

YARN = "application_1628109047826_1317105"
SPARK_4 = SPARK_EVENTS / "eventlog_v2_app-20261128205441-0000"


def _read(path: Path, data: bytes) -> SparkLog:
    path.write_bytes(data)
    return read_event_log(path)


@pytest.mark.parametrize("name", LOGS)
def test_a_log_agrees_with_a_plain_count_of_its_events(name: str) -> None:
    log = read_event_log(SPARK_EVENTS / f"{name}.gz")
    events = [json.loads(line) for line in log_bytes(name).splitlines()]

    def of(kind: str) -> list[dict[str, Any]]:
        return [event for event in events if event["Event"] == kind]

    assert log.tasks.schema == SPARK_TASKS_SCHEMA
    assert log.tasks.num_rows == len(of("SparkListenerTaskStart"))
    ends = of("SparkListenerTaskEnd")
    run_ms = sum((event.get("Task Metrics") or {}).get("Executor Run Time", 0) for event in ends)
    assert (pc.sum(log.tasks["run_s"]).as_py() or 0) == pytest.approx(run_ms / 1e3)
    assert len(log.jobs) == len(of("SparkListenerJobStart"))
    assert len(log.stages) == len(of("SparkListenerStageSubmitted"))
    added = [event for event in of("SparkListenerExecutorAdded") if event["Executor ID"] != "driver"]
    assert len(log.executors) == len(added)
    assert not log.truncated
    assert log.unreadable_lines == 0
    [start] = of("SparkListenerApplicationStart")
    assert (log.application.id, log.application.name) == (start["App ID"], start["App Name"])


def test_an_application_on_yarn_has_its_queue_executors_and_failures() -> None:
    log = read_event_log(SPARK_EVENTS / f"{YARN}.gz")
    app = log.application
    assert (app.queue, app.spark_version, app.outcome) == ("spark_default", "3.1.1.119", "succeeded")
    assert len(log.executors) == 10
    assert {executor.memory_bytes for executor in log.executors} == {4 * GIB}
    assert all("Container" in executor.removal_reason for executor in log.executors if executor.remove_s)
    failed = read_event_log(SPARK_EVENTS / "application_1516285256255_0012.gz")
    states = failed.tasks["state"].to_pylist()
    assert "failed" in states
    assert all(bool(row["failure"]) == (row["state"] != "succeeded") for row in failed.tasks.to_pylist())
    peaks = read_event_log(SPARK_EVENTS / "application_1553914137147_0018.gz").executors
    assert all(executor.peak_heap_bytes and executor.peak_resident_bytes for executor in peaks)


def test_spark_4_writes_zstandard_parts_with_an_exit_code_sql_and_peaks() -> None:
    log = read_event_log(SPARK_4)
    # Its exit code is 0, although its last job failed: in client mode Spark has no other.
    assert (log.application.spark_version, log.application.outcome) == ("4.3.0", "failed")
    assert not log.truncated
    assert not log.unreadable_lines
    assert [job.succeeded for job in log.jobs] == [True, False]
    assert "ZeroDivisionError" in log.jobs[1].failure
    assert log.jobs[0].sql_execution == log.sql[0].id
    assert log.tasks["state"].to_pylist().count("failed") == 4
    assert len({stage.parents for stage in log.stages}) > 1
    assert all(
        (executor.peak_resident_bytes or 0) > (executor.peak_heap_bytes or 0) > 0
        for executor in log.executors
    )
    assert pc.sum(log.tasks["shuffle_write_bytes"]).as_py() > 0


def test_a_log_without_an_end_belongs_to_an_unfinished_application() -> None:
    log = read_event_log(SPARK_EVENTS / "application_1656321732247_0006_2.gz")
    assert log.application.outcome == "unfinished"
    assert log.application.attempt == "2"
    assert log.application.end_s is not None


def test_every_compression_gives_the_same_application(tmp_path: Path) -> None:
    data = log_bytes(YARN)
    plain = _read(tmp_path / "plain", data)
    for pack in (zstd, lz4, snappy):
        packed = _read(tmp_path / f"log.{pack.__name__}.inprogress", pack(data))
        assert packed == plain, pack.__name__
    # Users compress logs, too.
    for name, again in (("lz4", pa.compress(data, codec="lz4", asbytes=True)), ("bz2", bz2.compress(data))):
        assert _read(tmp_path / f"log.{name}", again) == plain, name


def test_a_rolling_log_is_read_in_the_order_of_its_numbers_from_its_last_compaction(tmp_path: Path) -> None:
    lines = log_bytes(YARN).splitlines(keepends=True)
    rolling = tmp_path / f"eventlog_v2_{YARN}"
    rolling.mkdir()
    (rolling / f"appstatus_{YARN}.inprogress").touch()
    for number, at in enumerate(range(0, len(lines), 5), 1):
        (rolling / f"events_{number}_{YARN}.zstd").write_bytes(zstd(b"".join(lines[at : at + 5])))
    assert number > 9
    plain = _read(tmp_path / "plain", b"".join(lines))
    assert read_event_log(rolling) == plain
    (rolling / f"events_3_{YARN}.compact").write_bytes(b"".join(lines[:15]))
    (rolling / f"events_1_{YARN}.zstd").unlink()
    assert read_event_log(rolling) == plain


@pytest.mark.parametrize("pack", [bytes, zstd, lz4, snappy])
def test_a_log_truncated_anywhere_is_read_up_to_its_last_complete_line(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    data = log_bytes(YARN)
    packed = pack(data)
    whole = _read(tmp_path / "whole", packed)
    read = 0
    for cut in range(1, len(packed), max(1, len(packed) // 60)):
        with suppress(UserError):
            log = _read(tmp_path / "cut", packed[:cut])
            read += 1
            assert log.tasks.num_rows <= whole.tasks.num_rows
            assert log.application.id in (whole.application.id, "")
            if pack is bytes:
                lines = data[:cut].rpartition(b"\n")[0]
                assert log.tasks.num_rows == lines.count(b'{"Event":"SparkListenerTaskStart"')
                assert log.truncated == (data[cut - 1 : cut] not in (b"\n", b"}"))
    assert read > 10


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_never_ends_in_a_traceback(data: st.DataObject, tmp_path: Path) -> None:
    packs: list[Callable[[bytes], bytes]] = [bytes, zstd, lz4, snappy]
    pack = data.draw(st.sampled_from(packs))
    damaged = bytearray(pack(log_bytes(YARN)))
    for _ in range(data.draw(st.integers(1, 20))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        log = _read(tmp_path / "log", bytes(damaged))
    except UserError:
        return
    assert log.tasks.schema == SPARK_TASKS_SCHEMA


@pytest.mark.parametrize(
    ("event", "change"),
    [
        ("TaskEnd", ("Task Info", "Launch Time", 2**80)),
        ("TaskEnd", ("Task Metrics", "Executor Run Time", "soon")),
        ("TaskEnd", ("Task Info", "Index", -(2**40))),
        ("JobStart", ("Stage IDs", None, 7)),
        ("StageCompleted", ("Stage Info", "RDD Info", [1])),
        ("ExecutorAdded", ("Executor Info", "Total Cores", [])),
        ("EnvironmentUpdate", ("Spark Properties", None, 5)),
    ],
)
def test_a_value_of_the_wrong_kind_loses_its_event_only(
    event: str, change: tuple[str, str | None, object], tmp_path: Path
) -> None:
    lines = log_bytes(YARN).splitlines()
    at = next(at for at, line in enumerate(lines) if f'"SparkListener{event}"'.encode() in line)
    broken = json.loads(lines[at])
    outer, inner, value = change
    if inner is None:
        broken[outer] = value
    else:
        broken[outer][inner] = value
    lines[at] = json.dumps(broken).encode()
    log = _read(tmp_path / "log", b"\n".join(lines) + b"\n")
    assert log.unreadable_lines == 1


@pytest.mark.parametrize(
    ("properties", "requested", "gib"),
    [
        ({"spark.master": "yarn"}, {}, 0.4),
        ({"spark.master": "yarn", "spark.yarn.executor.memoryOverhead": "1024"}, {}, 1.0),
        ({"spark.master": "k8s://https://10.0.0.1", "spark.kubernetes.memoryOverheadFactor": "0.5"}, {}, 2.0),
        ({"spark.executor.memoryOverheadFactor": "much"}, {}, 0.375),
        # A standalone worker counts the heap alone, as in jdbc_eventlog.zstd of spark-rapids-tools.
        ({"spark.master": "spark://m:7077", "spark.executor.memoryOverhead": "1g"}, {}, 0.0),
        ({"spark.master": "yarn"}, {"memory": 4096, "offHeap": 2048}, 2.4),
        ({"spark.master": "yarn"}, {"memory": 4096, "memoryOverhead": 512, "pyspark.memory": 512}, 1.0),
    ],
)
def test_a_container_has_the_memory_that_its_cluster_manager_adds(
    tmp_path: Path, properties: dict[str, str], requested: dict[str, int], gib: float
) -> None:
    profile = {"Event": "SparkListenerResourceProfileAdded", "Resource Profile Id": 0}
    amounts = {name: {"Amount": amount} for name, amount in requested.items()}
    info = {"Host": "w1", "Total Cores": 2}
    events: list[dict[str, Any]] = [
        {
            "Event": "SparkListenerEnvironmentUpdate",
            "Spark Properties": {"spark.executor.memory": "4g"} | properties,
        },
        {"Event": "SparkListenerExecutorAdded", "Timestamp": 1, "Executor ID": "1", "Executor Info": info},
    ]
    events += [profile | {"Executor Resource Requests": amounts}] if requested else []
    text = "".join(f"{json.dumps(event, separators=(',', ':'))}\n" for event in events)
    [executor] = _read(tmp_path / "log", text.encode()).executors
    assert executor.memory_bytes == 4 * GIB
    assert (executor.overhead_bytes or 0) / GIB == pytest.approx(gib)


def test_other_encodings_lose_no_event(tmp_path: Path) -> None:
    # Before Spark 3, the driver's platform decided the encoding.
    whole = log_bytes(YARN)
    user = read_event_log(SPARK_EVENTS / f"{YARN}.gz").application.user
    log = _read(tmp_path / "log", whole.replace(f'"{user}"'.encode(), '"Zoë"'.encode("latin-1")))
    assert log.application.user == "Zo\ufffd"
    assert not log.unreadable_lines
    marked = _read(tmp_path / "marked", b"\xef\xbb\xbf" + whole)
    assert marked.application.spark_version


def test_what_is_no_event_log_is_refused(tmp_path: Path) -> None:
    for name, data, what in (
        ("empty", b"", "is empty"),
        ("text", b"hello\nworld\n", "is not a Spark event log"),
        ("json", b'{"a": 1}\n', "is not a Spark event log"),
        ("binary", bytes(range(256)) * 50, "is not a Spark event log"),
    ):
        with pytest.raises(UserError, match=what):
            _read(tmp_path / name, data)
    with pytest.raises(UserError, match="no such file"):
        read_event_log(tmp_path / "missing")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match="contains no event log"):
        read_event_log(tmp_path / "folder")


def test_secrets_in_properties_are_hidden(tmp_path: Path) -> None:
    lines = log_bytes(YARN).replace(
        b'"Spark Properties":{',
        b'"Spark Properties":{"spark.ssl.keyPassword":"geheim","spark.my.password":"geheim",',
    )
    assert b"geheim" in lines
    assert "geheim" not in repr(_read(tmp_path / "log", lines))


def test_a_long_log_takes_a_fraction_of_its_size_in_memory(tmp_path: Path) -> None:
    lines = log_bytes(YARN).splitlines(keepends=True)
    end = next(json.loads(line) for line in lines if b"SparkListenerTaskEnd" in line)
    with (tmp_path / "log").open("wb") as log:
        log.writelines(lines)
        for number in range(8_000):
            end["Task Info"]["Task ID"] = 1_000 + number
            log.write(json.dumps(end).encode() + b"\n")
    size = (tmp_path / "log").stat().st_size
    tracemalloc.start()
    try:
        assert read_event_log(tmp_path / "log").tasks.num_rows >= 8_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < size / 2
