"""What a report concludes of Spark applications, from real event logs in a record of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from howdah.analysis.analyse import analyse
from howdah.model.finding import Finding
from howdah.model.run import Outcome, WorkloadResult
from howdah.model.spark import SparkRun
from howdah.model.tables import TASKS_SCHEMA, RunData
from howdah.model.workloads.spark import SparkTeraSort
from howdah.model.workloads.suite import Suite
from howdah.report.run import run_report
from howdah.services.event_log import read_event_log
from howdah.services.spark_run import ReadSpark, SparkPlaces
from support.cluster_records import terasort_on
from support.cluster_scene import Scene
from support.records import terasuite

LOGS = Path(__file__).parents[2] / "data/spark-events"
SORTED = LOGS / "eventlog_v2_application_1795899041776_0002"
KILLED = LOGS / "eventlog_v2_application_1795899041776_0005"
ROWS = 3_000_000


def recorded(path: Path, **changes: Any) -> RunData:
    """A run of a sort on Spark by its event log, with changes to the application."""
    log = read_event_log(path)
    places = SparkPlaces(lambda node: node, lambda worker: worker.partition("-")[0])
    read = ReadSpark(log, places, lambda epoch_s: epoch_s - log.application.start_s)
    spark = read.run().model_copy(update=changes)
    workload = SparkTeraSort(rows=ROWS, executors=4, executor_cores=1)
    result = WorkloadResult(
        workload=workload,
        start_s=0.0,
        end_s=spark.end_s + 1,
        outcome=Outcome.SUCCEEDED if spark.outcome == "succeeded" else Outcome.FAILED,
        phases=read.phases(),
        counters=read.counters(),
        spark=spark,
    )
    base = terasort_on(Scene())
    record = base.record.model_copy(
        update={
            "suite": Suite(name="spark-terasort", workloads=(workload,)),
            "workloads": (result,),
            "outcome": result.outcome,
            "elapsed_s": result.end_s,
        }
    )
    rows = [attempt._asdict() for attempt in read.attempts(workload.kind)]
    return base._replace(record=record, tasks=pa.Table.from_pylist(rows, schema=TASKS_SCHEMA))


def findings(run: RunData) -> dict[str, Finding]:
    """The findings by their ids."""
    return {finding.id: finding for finding in analyse(run).findings}


def numbers(finding: Finding) -> dict[str, float]:
    """A finding's numbers by name."""
    return {number.name: number.value for number in finding.numbers}


def test_the_drivers_time_the_critical_path_and_other_numbers_of_executors() -> None:
    run = recorded(SORTED)
    found = findings(run)
    driver = numbers(found["spark-driver"])
    assert driver["before the first task"] == pytest.approx(47, abs=1)
    assert found["spark-driver"].severity == "warning"
    scaling = numbers(found["spark-scaling"])
    (use,) = analyse(run).evidence.spark
    assert (use.executors, use.cores) == (4, 1)
    # The estimate for the executors that ran differs little from the measured time.
    assert abs(use.error) < 0.1
    estimates = [scaling[f"{count} executors, estimated"] for count in (2, 4, 8, 16)]
    assert estimates == sorted(estimates, reverse=True)
    assert scaling["critical path"] <= estimates[-1] + 1e-6
    assert not {"spark-driver-lost", "spark-lost-executors", "spark-spill"} & found.keys()


def test_an_application_that_failed_does_not_list_all_its_stages() -> None:
    run = recorded(SORTED)
    tasks = [{**row, "kind": f"stage {number}"} for number, row in enumerate(run.tasks.to_pylist())]
    result = run.record.workloads[0].model_copy(update={"outcome": Outcome.FAILED})
    failed = run._replace(
        record=run.record.model_copy(update={"workloads": (result,), "outcome": Outcome.FAILED}),
        tasks=pa.Table.from_pylist(tasks, schema=TASKS_SCHEMA),
    )
    assert findings(failed)["unfinished"].text.endswith("12 tasks of 12 stages had finished")


def test_a_lost_driver() -> None:
    found = findings(recorded(KILLED))
    assert "its driver was killed or lost" in found["spark-driver-lost"].text
    assert found["spark-driver-lost"].severity == "warning"


def lost_executor(spark: SparkRun) -> SparkRun:
    """The application with its first executor lost, and its second stage run again."""
    first, *others = spark.executors
    reason = "Container from a bad node: container_1 on host: h1-1. Exit status: 137"
    lost = first.model_copy(update={"end_s": first.start_s + 20, "removal_reason": reason})
    again = spark.stages[0].model_copy(update={"attempt": 1})
    return spark.model_copy(update={"executors": (lost, *others), "stages": (*spark.stages, again)})


def test_a_lost_executor_and_what_ran_again() -> None:
    changed = lost_executor(recorded(SORTED).record.workloads[0].spark or pytest.fail("no application"))
    found = findings(recorded(SORTED, executors=changed.executors, stages=changed.stages))
    text = found["spark-lost-executors"].text
    assert "Exit status: 137" in text
    assert "1 attempt of stages ran again" in text


def test_a_stage_that_spilled_and_waited() -> None:
    spark = recorded(SORTED).record.workloads[0].spark
    assert spark is not None
    first, second = spark.stages
    spilled = first.model_copy(update={"memory_spilled_bytes": 10**9, "disk_spilled_bytes": 10**8})
    waited = second.model_copy(update={"fetch_wait_s": second.run_s / 4, "gc_s": 0.0})
    found = findings(recorded(SORTED, stages=(spilled, waited)))
    assert "1.00 GB of its data, 100 MB on disk" in found["spark-spill"].text
    assert "25 % of its tasks' time waiting for shuffle data" in found["spark-fetch-wait"].text


def test_each_executor_and_stage_has_its_tasks_and_the_sums_agree() -> None:
    run = recorded(SORTED)
    (use,) = analyse(run).evidence.spark
    spark = run.record.workloads[0].spark
    assert spark is not None
    assert [executor.id for executor in use.by_executor] == ["1", "2", "3", "4"]
    assert sum(executor.tasks for executor in use.by_executor) == sum(stage.tasks for stage in spark.stages)
    assert sum(executor.cpu_s for executor in use.by_executor) == pytest.approx(
        sum(stage.cpu_s for stage in spark.stages)
    )
    # A sort reads all rows from files once, and all of them as shuffle data once.
    assert sum(executor.input_bytes for executor in use.by_executor) == 100 * ROWS
    assert sum(executor.shuffle_read_bytes for executor in use.by_executor) == sum(
        stage.shuffle_read_bytes for stage in spark.stages
    )
    assert all(0 < executor.busy_share <= 1 for executor in use.by_executor)
    assert set(use.hosts) == {(stage.id, stage.attempt) for stage in spark.stages}
    tables = run_report(run, analyse(run), drawn=False).tables()
    assert len(tables["Stages of spark-terasort"].rows) == len(spark.stages)
    assert len(tables["Executors of spark-terasort"].rows) == 4


def test_the_cpu_time_on_all_cores_is_a_floor() -> None:
    run = recorded(SORTED)
    (use,) = analyse(run).evidence.spark
    assert 0 < use.cpu_floor_s <= use.ideal_s <= use.critical_s + use.ideal_s
    floor = numbers(findings(run)["spark-floor"])
    assert floor["times the CPU time"] == pytest.approx(use.elapsed_s / use.cpu_floor_s)


def test_the_floor_of_a_sort_on_spark_is_the_local_sort_of_as_many_rows() -> None:
    run = recorded(SORTED)
    local = terasuite(rows=ROWS)
    (floor,) = analyse(run, local).evidence.floors
    assert floor.workload == "spark-terasort"
    assert floor.floor_run == local.record.id
