"""An event log as a run record has it: stages as phases, tasks with executors, bytes by layers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from howdah.model.application import SPARK_TASKS_SCHEMA
from howdah.model.run import TaskAttempt
from howdah.services.event_log import read_event_log
from howdah.services.spark_run import ReadSpark, SparkPlaces

LOGS = Path(__file__).parents[2] / "data/spark-events"
SORTED = LOGS / "eventlog_v2_application_1795899041776_0002"
KILLED = LOGS / "eventlog_v2_application_1795899041776_0005"
ROWS = 3_000_000


def read(path: Path) -> ReadSpark:
    """A log of the laboratory with times from its start on; a worker is on the host before its hyphen."""
    log = read_event_log(path)
    places = SparkPlaces(lambda node: node, lambda worker: worker.partition("-")[0])
    return ReadSpark(log, places, lambda epoch_s: epoch_s - log.application.start_s)


def test_a_sort_has_its_stages_as_phases() -> None:
    spark = read(SORTED)
    run = spark.run()
    assert (run.outcome, run.version, run.deploy_mode, run.start_s) == ("succeeded", "4.3.0", "client", 0.0)
    assert [(stage.id, stage.tasks, stage.parents) for stage in run.stages] == [(0, 4, ()), (1, 8, (0,))]
    assert [phase.name for phase in spark.phases()] == ["stage 0", "stage 1"]
    assert [executor.cores for executor in run.executors] == [1] * 4
    assert run.properties["spark.executor.instances"] == "4"


def test_tasks_of_a_stage_that_runs_again_keep_their_numbers() -> None:
    """Its second attempt has the tasks of the missing partitions alone, which are counted from 0."""
    log = read_event_log(SORTED)
    rows = log.tasks.to_pylist()
    again = next(row for row in rows if row["stage"] == 1 and row["partition"] == 5)
    rows.append({**again, "stage_attempt": 1, "index": 0})
    changed = replace(log, tasks=pa.Table.from_pylist(rows, schema=SPARK_TASKS_SCHEMA))
    places = SparkPlaces(lambda node: node, lambda worker: worker)
    attempts = ReadSpark(changed, places, lambda epoch_s: epoch_s).attempts("spark-terasort")
    numbers = [(attempt.task, attempt.attempt) for attempt in attempts if attempt.kind == "stage 1"]
    assert (5, 100) in numbers
    assert (0, 100) not in numbers


def test_bytes_and_rows_are_those_of_the_sort() -> None:
    spark = read(SORTED)
    counters = spark.counters()
    assert (counters.input_rows, counters.output_rows) == (ROWS, ROWS)
    assert (counters.read_bytes, counters.written_bytes) == (100 * ROWS, 100 * ROWS)
    shuffled = sum(stage.shuffle_write_bytes for stage in spark.run().stages)
    assert counters.spilled_bytes == shuffled == sum(stage.shuffle_read_bytes for stage in spark.run().stages)
    named = spark.hadoop_counters()
    assert named["FileSystemCounter.HDFS_BYTES_READ"].total == 100 * ROWS
    assert named["TaskCounter.REDUCE_SHUFFLE_BYTES"].reduce == shuffled


def test_tasks_have_executors_and_share_the_places_of_their_workers() -> None:
    attempts = read(SORTED).attempts("spark-terasort")
    assert [attempt.kind for attempt in attempts] == ["stage 0"] * 4 + ["stage 1"] * 8
    assert sorted(attempt.task for attempt in attempts if attempt.kind == "stage 1") == list(range(8))
    assert {attempt.host for attempt in attempts} <= {"h1", "h2"}
    assert all(attempt.executor and attempt.cpu_s and attempt.state == "succeeded" for attempt in attempts)
    assert all(attempt.fetch_wait_s is not None for attempt in attempts)
    # Executors of one core: a worker has as many places as executors, and what follows begins at once.
    by_place: dict[tuple[str, int], list[TaskAttempt]] = {}
    for attempt in attempts:
        by_place.setdefault((attempt.worker, attempt.slot), []).append(attempt)
    executors = Counter(executor.worker for executor in read(SORTED).run().executors)
    assert Counter(worker for worker, _ in by_place) == executors
    for tasks in by_place.values():
        for former, later in pairwise(tasks):
            assert later.start_s >= former.end_s - 0.5


def test_a_killed_driver_leaves_an_unfinished_application() -> None:
    spark = read(KILLED)
    run = spark.run()
    assert run.outcome == "unfinished"
    assert run.end_s > run.start_s
    assert len(run.executors) == 4


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.gz")), ids=lambda path: path.name)
def test_logs_of_other_releases_are_read(path: Path) -> None:
    spark = read(path)
    run, attempts = spark.run(), spark.attempts("any")
    assert len(attempts) == read_event_log(path).tasks.num_rows
    assert {attempt.kind for attempt in attempts} <= {f"stage {stage.id}" for stage in run.stages}
    assert all(attempt.end_s >= attempt.start_s for attempt in attempts)
    assert [phase.start_s for phase in spark.phases()] == sorted(phase.start_s for phase in spark.phases())
