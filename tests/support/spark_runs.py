"""Runs of a sort on Spark, from real event logs in a record of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from howdah.model.cluster import HadoopJob
from howdah.model.run import Outcome, WorkloadResult
from howdah.model.tables import TASKS_SCHEMA, RunData
from howdah.model.workloads.spark import SparkTeraSort
from howdah.model.workloads.suite import Suite
from howdah.services.event_log import read_event_log
from howdah.services.spark_run import ReadSpark, SparkPlaces
from support.cluster_records import terasort_on
from support.cluster_scene import Scene
from support.spark_logs import SPARK_EVENTS

SORTED = SPARK_EVENTS / "eventlog_v2_application_1795899041776_0002"
KILLED = SPARK_EVENTS / "eventlog_v2_application_1795899041776_0005"
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
        job=HadoopJob(
            id=spark.id, name="sort", queue="default", told_by="event log", submitted_s=spark.start_s
        ),
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
