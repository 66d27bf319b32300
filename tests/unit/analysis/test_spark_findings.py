"""What a report concludes of Spark applications, from real event logs in a record of a cluster."""

from __future__ import annotations

import pyarrow as pa
import pytest

from howdah.analysis.analyse import analyse
from howdah.model.cluster import Event
from howdah.model.comparison import Finding
from howdah.model.run import Outcome
from howdah.model.tables import TASKS_SCHEMA, RunData
from howdah.report.run import run_report
from support.records import terasuite
from support.spark_runs import KILLED, ROWS, SORTED, recorded


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
    assert findings(failed)["unfinished"].text.endswith("finished by that time: 12 tasks of 12 stages")


def test_a_lost_driver() -> None:
    found = findings(recorded(KILLED))
    assert "its driver was killed or lost" in found["spark-driver-lost"].text
    assert found["spark-driver-lost"].severity == "warning"


def test_a_driver_that_was_started_again() -> None:
    found = findings(recorded(SORTED, attempt=2))
    assert "describes driver 2, which began" in found["spark-driver-restarted"].text
    assert "spark-driver-restarted" not in findings(recorded(SORTED))


def without_executor(moment_s: float) -> RunData:
    """The sort in which a worker was lost with its executor, and a stage ran again for its output."""
    run = recorded(SORTED)
    spark = run.record.workloads[0].spark
    assert spark is not None
    first, *others = spark.executors
    reason = (
        f"Container marked as failed: container_1_01_000003 on host: {first.worker}. Exit status: -100. "
        "Possible causes: Unknown executor exit code (-100)\nDiagnostics: "
    )
    lost = first.model_copy(update={"end_s": moment_s + 20, "removal_reason": reason})
    stages = [stage.model_copy(update={"attempt": 1}) for stage in spark.stages]
    rows = []
    for row in run.tasks.to_pylist():
        rows.append(row)
        again = {"attempt": 100, "worker": others[0].worker, "executor": others[0].id}
        if row["executor"] == lost.id and row["end_s"] <= moment_s:
            rows.append({**row, **again, "start_s": moment_s + 30, "end_s": moment_s + 33})
        elif row["executor"] == lost.id and row["start_s"] <= moment_s:
            rows[-1] = {**row, "state": "failed", "error": "ExecutorLostFailure", "end_s": moment_s + 20}
            rows.append({**row, **again, "start_s": moment_s + 34, "end_s": moment_s + 36})
        elif row["executor"] == lost.id:
            rows[-1] = {**row, **again, "start_s": moment_s + 31, "end_s": moment_s + 32, "attempt": 0}
    fetch = {"state": "failed", "error": "FetchFailed(null, shuffleId=0", "task": 99, "kind": "stage 1"}
    last = {**rows[-1], "start_s": moment_s + 1, "end_s": moment_s + 25, "attempt": 0}
    rows.append({**last, **fetch, "executor": others[0].id, "worker": others[0].worker})
    rows.append({**rows[-1], "state": "succeeded", "error": None, "attempt": 100, "start_s": moment_s + 36})
    rows[-1]["end_s"] = moment_s + 40
    changed = recorded(SORTED, executors=(lost, *others), stages=(*spark.stages, *stages))
    (result,) = changed.record.workloads
    events = [
        Event(time_s=moment_s + at, worker=lost.worker, kind=kind, text="lost", seen_s=moment_s)
        for kind, at in (("datanode-lost", 9), ("nodemanager-lost", 10), ("nodemanager-given-up", 20))
    ]
    end_s = moment_s + 41
    spark_run = changed.record.workloads[0].spark
    assert spark_run is not None
    update = {"end_s": end_s, "spark": spark_run.model_copy(update={"end_s": end_s})}
    record = changed.record.model_copy(
        update={"workloads": (result.model_copy(update=update),), "elapsed_s": end_s, "events": tuple(events)}
    )
    return changed._replace(record=record, tasks=pa.Table.from_pylist(rows, schema=TASKS_SCHEMA))


def test_a_lost_executor_and_what_was_computed_again() -> None:
    run = without_executor(70.0)
    spark = run.record.workloads[0].spark
    assert spark is not None
    own = [row for row in run.tasks.to_pylist() if row["executor"] == spark.executors[0].id]
    finished = sum(row["state"] == "succeeded" for row in own)
    under_way = sum(row["error"] == "ExecutorLostFailure" for row in own)
    assert finished
    assert under_way
    finding = findings(run)["spark-lost-executors"]
    said = numbers(finding)
    assert said["tasks whose output was lost"] == finished
    assert said["attempts lost"] == under_way
    assert said["attempts that could not fetch shuffle data"] == 1
    assert said["repeated stages"] == 2
    assert said["attempts that repeated work"] == finished + under_way + 1
    assert said["repeating work"] == pytest.approx(3 + 2 + 4)
    assert said["from the loss until all was done again"] == pytest.approx(40)
    assert "Exit status: -100 (YARN gave up the node)" in finding.text
    assert "Possible causes" not in finding.text
    assert "the driver removed the first 20.0 s after its last sign" in finding.text
    assert "stage 0 and stage 1 ran again for lost data" in finding.text
    assert "container_1_01_000003" not in finding.text
    failed = [each.text for each in analyse(run).findings if each.id == "failed-attempts"]
    assert all(" -" not in text for text in failed), failed


def test_tasks_of_a_killed_executor_end_a_little_before_it() -> None:
    run = recorded(SORTED)
    spark = run.record.workloads[0].spark
    assert spark is not None
    first, *others = spark.executors
    rows = run.tasks.to_pylist()
    last = max((row for row in rows if row["executor"] == first.id), key=lambda row: row["end_s"])
    end_s = last["end_s"] + 0.01
    lost = first.model_copy(update={"end_s": end_s, "removal_reason": "Exit status: 137"})
    again = {**last, "attempt": 1, "executor": others[0].id, "start_s": end_s + 1, "end_s": end_s + 3}
    last |= {"state": "failed", "error": "ExecutorLostFailure: Exit status: 137"}
    changed = recorded(SORTED, executors=(lost, *others), end_s=end_s + 4)
    table = pa.Table.from_pylist([*rows, again], schema=TASKS_SCHEMA)
    said = numbers(findings(changed._replace(tasks=table))["spark-lost-executors"])
    assert said["attempts lost"] == 1
    assert said["attempts that repeated work"] == 1
    assert said["from the loss until all was done again"] == pytest.approx(3)


def test_a_lost_worker_counts_the_output_that_spark_computed_again() -> None:
    run = without_executor(70.0)
    (loss,) = analyse(run).evidence.losses
    said = numbers(findings(run)["spark-lost-executors"])
    assert len(loss.ended) >= said["attempts lost"] + said["tasks whose output was lost"]
    assert "yarn.client.nodemanager-connect" not in findings(run)["worker-lost"].text


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
