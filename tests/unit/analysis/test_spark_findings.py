"""What a report concludes of Spark applications, from real event logs in a record of a cluster."""

from __future__ import annotations

import pyarrow as pa
import pytest

from howdah.analysis.analyse import analyse
from howdah.model.finding import Finding
from howdah.model.run import Outcome
from howdah.model.spark import SparkRun
from howdah.model.tables import TASKS_SCHEMA, RunData
from support.spark_runs import KILLED, SORTED, recorded


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
