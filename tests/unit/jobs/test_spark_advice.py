"""Changes to Spark applications, on real logs and on numbers that a test changes."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pyarrow as pa
import pytest

from howdah.jobs.spark import spark_application
from howdah.jobs.spark_advice import SparkFacts, advise
from howdah.model.application import (
    SPARK_TASKS_SCHEMA,
    JobChange,
    SparkExecutor,
    SparkJob,
    SparkLog,
    StageSummary,
)
from howdah.services.event_log import read_event_log
from howdah.units import GIB, MIB
from support.spark_logs import SPARK_EVENTS

FACTS = SparkFacts(
    container_s=1000.0,
    idle_s=100.0,
    slots=2,
    granted_bytes=5 * GIB,
    heap_bytes=4 * GIB,
    peak_bytes=4 * GIB,
    peak_heap_bytes=3 * GIB,
    most_executors=4,
    run_s=1800.0,
    gc_s=20.0,
    fetch_wait_s=10.0,
    spilled_bytes=0,
    busy_s=900.0,
)
IDLE = FACTS._replace(idle_s=800.0, busy_s=200.0, gaps_s=(260.0, 260.0, 260.0))
"""Executors without a task for long, three times."""
STAGE = StageSummary("99: join", 200, 0.0, 100.0, 2.0, 4.0, shuffle_read_bytes=20 * GIB)


@pytest.fixture(scope="module")
def log() -> SparkLog:
    """An application without failures."""
    return read_event_log(SPARK_EVENTS / "local-1642039451826.gz")


def _changes(log: SparkLog, facts: SparkFacts = FACTS, *stages: StageSummary) -> dict[str, JobChange]:
    return {change.setting: change for change in advise(log, facts, stages or (STAGE,))}


def _with(log: SparkLog, **properties: str) -> SparkLog:
    given = {name.replace("_", "."): value for name, value in properties.items()}
    app = replace(log.application, properties=MappingProxyType({**log.application.properties, **given}))
    return replace(log, application=app)


def _tasks(*rows: dict[str, object]) -> pa.Table:
    """Attempts of stage 99, of which each gives what it has; all else is 0."""
    usual = {
        field.name: "" if pa.types.is_dictionary(field.type) or field.type == pa.string() else 0
        for field in SPARK_TASKS_SCHEMA
    } | {"stage": 99, "state": "succeeded", "executor": "1", "host": "w1"}
    columns = [
        pa.array([(usual | row)[field.name] for row in rows], field.type)
        for field in SPARK_TASKS_SCHEMA
        if field.type != pa.bool_()
    ]
    return pa.table(columns, [field.name for field in SPARK_TASKS_SCHEMA if field.type != pa.bool_()])


def _skewed(log: SparkLog, **longest: object) -> SparkLog:
    """Nine tasks of 2 s with 128 MiB each, and one of a minute."""
    usual: dict[str, object] = {"end_s": 2.0, "input_bytes": 128 * MIB, "input_rows": 1000}
    executor = SparkExecutor("1", "w1", 2, 0.0)
    tasks = _tasks(*[usual] * 9, usual | {"end_s": 60.0} | longest)
    return replace(log, executors=(executor,), tasks=tasks)


def test_a_sound_application_gets_no_advice(log: SparkLog) -> None:
    assert _changes(log) == {}


def test_idle_executors_are_released_or_fewer(log: SparkLog) -> None:
    change = _changes(log, IDLE)["spark.dynamicAllocation.enabled"]
    assert (change.now, change.proposed) == ("false", "true")
    # An executor is released after a minute without a task.
    assert change.saves_s == pytest.approx(3 * 200.0)
    assert "shuffleTracking" in change.reason
    assert "up to 4 executors had no task for 13 min 00 s, 78 % of their time" in change.reason
    single = _changes(log, IDLE._replace(most_executors=1))["spark.dynamicAllocation.enabled"]
    assert single.reason.startswith("the executor had no task for 13 min 00 s, 78 % of its time")


def test_short_pauses_are_nothing_for_dynamic_allocation(log: SparkLog) -> None:
    # As in nds_q66_gpu.zstd of spark-rapids-tools: eight executors, 86 % idle, no pause above 47 s.
    short = IDLE._replace(gaps_s=(40.0,) * 20, busy_s=2.0)
    assert _changes(log, short) == {}
    change = _changes(_with(log, spark_executor_instances="4"), short)["spark.executor.instances"]
    assert int(change.proposed) < 4
    assert change.saves_s == pytest.approx(800.0 * (1 - int(change.proposed) / 4))


@pytest.mark.parametrize(
    ("release", "needed"),
    [
        ("2.4.8", "spark.shuffle.service.enabled=true"),
        ("", "spark.shuffle.service.enabled=true"),
        ("3.3.0-SNAPSHOT", "spark.dynamicAllocation.shuffleTracking.enabled=true"),
        ("4.3.0", ""),
    ],
)
def test_dynamic_allocation_is_advised_with_what_the_release_needs(
    log: SparkLog, release: str, needed: str
) -> None:
    other = replace(log, application=replace(log.application, spark_version=release))
    reason = _changes(other, IDLE)["spark.dynamicAllocation.enabled"].reason
    assert needed in reason
    assert ("=true" in reason) == bool(needed)
    served = _with(other, spark_shuffle_service_enabled="true")
    assert "=true" not in _changes(served, IDLE)["spark.dynamicAllocation.enabled"].reason


def test_idle_executors_that_a_minimum_keeps_need_a_lower_minimum(log: SparkLog) -> None:
    kept = _with(log, spark_dynamicAllocation_enabled="true", spark_dynamicAllocation_minExecutors="4")
    changes = _changes(kept, IDLE)
    assert changes["spark.dynamicAllocation.minExecutors"].now == "4"
    assert "spark.dynamicAllocation.executorIdleTimeout" not in changes
    # PySpark writes the text of a Python bool.
    dynamic = _with(log, spark_dynamicAllocation_enabled="True")
    short = IDLE._replace(gaps_s=(50.0,) * 10)
    change = _changes(dynamic, short)["spark.dynamicAllocation.executorIdleTimeout"]
    assert change.saves_s == pytest.approx(10 * 35.0)


def test_unused_memory_spills_garbage_and_waits_change_memory_partitions_and_cores(log: SparkLog) -> None:
    roomy = _changes(log, FACTS._replace(peak_bytes=2 * GIB, peak_heap_bytes=GIB))["spark.executor.memory"]
    assert (roomy.now, roomy.proposed) == ("4096m", "1280m")
    spilled = _changes(log, FACTS, replace(STAGE, spilled_bytes=5 * GIB))["spark.sql.shuffle.partitions"]
    assert spilled.proposed == "400"
    larger = replace(STAGE, spilled_bytes=5 * GIB, shuffle_read_bytes=95 * GIB)
    assert int(_changes(log, FACTS, larger)["spark.sql.shuffle.partitions"].proposed) == 100 * 8
    garbage = _changes(log, FACTS._replace(gc_s=400.0))["spark.executor.memory"]
    assert garbage.proposed == "6144m"
    waiting = _changes(log, FACTS._replace(fetch_wait_s=700.0))["spark.executor.cores"]
    assert waiting.proposed == "4"
    tiny = _changes(log, FACTS, replace(STAGE, tasks=5000, median_s=0.02, longest_s=0.1))
    assert tiny["spark.sql.shuffle.partitions"].proposed == "500"


def test_skew_is_left_to_adaptive_execution_where_it_is_off(log: SparkLog) -> None:
    skewed = replace(STAGE, longest_s=300.0)
    off = _with(log, spark_sql_adaptive_enabled="false")
    assert _changes(off, FACTS, skewed)["spark.sql.adaptive.enabled"].proposed == "true"
    plain = replace(log, sql=())
    assert "random part" in _changes(plain, FACTS, skewed)[""].reason


def test_memory_is_not_lowered_where_its_use_or_garbage_collection_speaks_against_it(log: SparkLog) -> None:
    roomy = FACTS._replace(granted_bytes=8 * GIB, peak_bytes=5 * GIB, peak_heap_bytes=0)
    # The heap of 4 GiB may be full: only the process's memory is known.
    assert "spark.executor.memory" not in _changes(log, roomy)
    smaller = _changes(log, roomy._replace(peak_bytes=2 * GIB))["spark.executor.memory"]
    assert smaller.proposed == "2560m"
    collecting = FACTS._replace(peak_bytes=2 * GIB, peak_heap_bytes=GIB, gc_s=400.0)
    memory = [change for change in advise(log, collecting, (STAGE,)) if change.setting]
    assert [change.proposed for change in memory] == ["6144m"]


def test_an_idle_timeout_is_only_lowered(log: SparkLog) -> None:
    idle = IDLE._replace(gaps_s=(60.0,) * 12)
    key = "spark.dynamicAllocation.executorIdleTimeout"
    for now, changes in (("120", True), ("1min", True), ("10s", False), ("15", False)):
        given = _with(
            log, spark_dynamicAllocation_enabled="true", spark_dynamicAllocation_executorIdleTimeout=now
        )
        assert (key in _changes(given, idle)) == changes


def test_scans_and_joined_partitions_are_divided_by_bytes(log: SparkLog) -> None:
    scan = replace(STAGE, shuffle_read_bytes=0, input_bytes=20 * GIB, spilled_bytes=5 * GIB)
    change = _changes(log, FACTS, scan)["spark.sql.files.maxPartitionBytes"]
    assert (change.now, change.proposed) == ("128MB", "51m")
    joined = replace(STAGE, tasks=13, spilled_bytes=5 * GIB)
    assert "spark.sql.adaptive.advisoryPartitionSizeInBytes" in _changes(log, FACTS, joined)
    listing = replace(STAGE, tasks=5000, median_s=0.02, longest_s=0.1, shuffle_read_bytes=0)
    assert "fewer partitions" in _changes(log, FACTS, listing)[""].reason


def test_a_long_task_without_more_data_is_not_skew_of_data(log: SparkLog) -> None:
    # As in spark_event_log_example of sparklint: three tasks of a minute read the 134 MB of those of 2 s.
    scan = replace(STAGE, tasks=10, longest_s=60.0, shuffle_read_bytes=0, input_bytes=10 * 128 * MIB)
    slow = _skewed(log)
    change = _changes(slow, FACTS, scan)["spark.speculation"]
    assert (change.proposed, change.now) == ("true", "false")
    assert _changes(_with(slow, spark_speculation="true"), FACTS, scan) == {}
    larger = _skewed(log, input_bytes=900 * MIB)
    assert "split its large files" in _changes(larger, FACTS, scan)[""].reason
    # As in JunoHourly of sparklint: as much input, but 2.6 times as much output.
    wrote = _skewed(log, shuffle_write_rows=2600)
    assert "divide the work more evenly" in _changes(wrote, FACTS, scan)[""].reason
    # As in eventlog_4nodes_8cores_dynamic_alloc.zstd of spark-rapids-tools: the program was loaded for 15 s.
    assert _changes(_skewed(log, deserialize_s=55.0), FACTS, scan) == {}


def test_adaptive_execution_is_advised_to_releases_that_have_it(log: SparkLog) -> None:
    skewed, joined = replace(STAGE, longest_s=300.0), replace(STAGE, tasks=13, spilled_bytes=5 * GIB)
    threshold = "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes"

    def changes(release: str, stage: StageSummary, size: int) -> dict[str, JobChange]:
        properties = {
            name: text for name, text in log.application.properties.items() if "adaptive" not in name
        }
        app = replace(log.application, spark_version=release, properties=properties)
        large = _skewed(log, input_rows=9000, shuffle_remote_read_bytes=size)
        return _changes(replace(large, application=app), FACTS, stage)

    assert set(changes("2.4.8", skewed, GIB)) == {""}
    assert changes("3.1.3", skewed, GIB)["spark.sql.adaptive.enabled"].proposed == "true"
    assert changes("3.5.3", skewed, 200 * MIB)[threshold].proposed == "64MB"
    # Adaptive execution splits such partitions already, and leaves smaller ones whole.
    assert set(changes("3.5.3", skewed, GIB)) == {""}
    assert set(changes("3.5.3", skewed, 20 * MIB)) == {""}
    advisory = "spark.sql.adaptive.advisoryPartitionSizeInBytes"
    assert advisory in changes("3.5.3", joined, GIB)
    assert set(changes("3.1.3", joined, GIB)) == {""}


def test_generated_data_that_spills_has_no_size_of_a_scan(log: SparkLog) -> None:
    generated = replace(STAGE, shuffle_read_bytes=0, shuffle_write_bytes=20 * GIB, spilled_bytes=5 * GIB)
    assert set(_changes(log, FACTS, generated)) == {""}


def test_a_stage_with_fewer_tasks_than_slots_is_named(log: SparkLog) -> None:
    # As in the Spark 3.5.3 logs of mcp-apache-spark-history-server: two tasks for four slots at the end.
    narrow = replace(STAGE, tasks=2, start_s=0.0, end_s=200.0, median_s=190.0, longest_s=200.0)
    facts = FACTS._replace(idle_s=700.0, slots=1)
    change = _changes(log, facts, narrow)[""]
    assert "took 3 min 20 s with 2 tasks for 4 slots" in change.reason
    assert change.saves_s == pytest.approx(400.0)
    assert _changes(log, facts, narrow, replace(narrow, name="100: scan")) == {}


def test_settings_are_not_advised_without_a_configuration_and_no_less_memory_after_a_failure(
    log: SparkLog,
) -> None:
    unknown = replace(log, application=replace(log.application, properties={}))
    assert _changes(unknown, IDLE) == {}
    roomy = FACTS._replace(peak_bytes=2 * GIB, peak_heap_bytes=GIB)
    failed = replace(log, application=replace(log.application, outcome="failed"))
    assert _changes(failed, roomy) == {}


def test_pauses_of_executors_and_the_cause_of_a_failure_are_read_from_the_log(log: SparkLog) -> None:
    # As in gpu_oom_eventlog.zstd of spark-rapids-tools: jobs that end with the application are cancelled.
    failures = ("Job aborted due to stage failure", "Job 2 cancelled because SparkContext was shut down")
    jobs = [SparkJob(n, 0.0, (), 1.0, succeeded=False, failure=text) for n, text in enumerate(failures)]
    start_s = log.application.start_s
    app = replace(
        log.application, outcome="failed", end_s=start_s + 600.0, properties={"spark.master": "yarn"}
    )
    executor = SparkExecutor("1", "w1", 2, start_s, memory_bytes=GIB)
    # One of the executor's two slots is busy for four minutes in between.
    tasks = _tasks({"start_s": start_s + 180.0, "end_s": start_s + 420.0, "run_s": 240.0})
    own = replace(log, application=app, jobs=tuple(jobs), executors=(executor,), tasks=tasks)
    application = spark_application(own, "", 0)
    assert application.failure == failures[0]
    assert application.idle_s == pytest.approx(600.0 - 240.0 / 2)
    change = application.advice[0]
    assert change.reason.startswith("the executor had no task for 6 min 00 s, 60 % of its time")
    assert change.saves_s == pytest.approx(2 * 120.0)
    none = spark_application(replace(own, executors=(), tasks=tasks.slice(0, 0)), "", 0)
    assert none.container_s == 0
