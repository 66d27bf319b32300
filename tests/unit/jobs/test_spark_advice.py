"""Changes to Spark applications, on real logs and on numbers that a test changes."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from howdah.jobs.spark import SparkFacts, advise
from howdah.model.application import JobChange, SparkLog, StageSummary
from howdah.services.event_log import read_event_log
from howdah.units import GIB
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
STAGE = StageSummary("3: join", 200, 0.0, 100.0, 2.0, 4.0, shuffle_read_bytes=20 * GIB)


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


def test_a_sound_application_gets_no_advice(log: SparkLog) -> None:
    assert _changes(log) == {}


def test_idle_executors_are_released_or_fewer(log: SparkLog) -> None:
    idle = FACTS._replace(idle_s=800.0, busy_s=200.0)
    change = _changes(log, idle)["spark.dynamicAllocation.enabled"]
    assert (change.now, change.proposed) == ("false", "true")
    assert change.saves_s == pytest.approx(640.0)
    assert "shuffleTracking" in change.reason


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
    idle = FACTS._replace(idle_s=800.0, busy_s=200.0)
    other = replace(log, application=replace(log.application, spark_version=release))
    reason = _changes(other, idle)["spark.dynamicAllocation.enabled"].reason
    assert needed in reason
    assert ("=true" in reason) == bool(needed)
    served = _with(other, spark_shuffle_service_enabled="true")
    assert "=true" not in _changes(served, idle)["spark.dynamicAllocation.enabled"].reason


def test_idle_executors_that_a_minimum_keeps_need_a_lower_minimum(log: SparkLog) -> None:
    idle = FACTS._replace(idle_s=800.0, busy_s=200.0)
    kept = _with(log, spark_dynamicAllocation_enabled="true", spark_dynamicAllocation_minExecutors="4")
    changes = _changes(kept, idle)
    assert changes["spark.dynamicAllocation.minExecutors"].now == "4"
    assert "spark.dynamicAllocation.executorIdleTimeout" not in changes
    dynamic = _with(log, spark_dynamicAllocation_enabled="true")
    assert "spark.dynamicAllocation.executorIdleTimeout" in _changes(dynamic, idle)


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
    idle = FACTS._replace(idle_s=800.0, busy_s=200.0)
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
