"""Spark applications in tables of a report: what each stage and each executor did."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.times import ExecutorUse, SparkUse
from howdah.analysis.wording import percent, seconds
from howdah.model.run import RunRecord
from howdah.model.spark import SparkRun, SparkStageRun
from howdah.report.document import Table
from howdah.report.words import NONE
from howdah.units import format_bytes

SPARK_ABOUT = (
    "Sums over tasks that succeeded. CPU, garbage and waits are fractions of tasks' time; an executor is "
    "busy while its cores run tasks."
)


def spark_tables(record: RunRecord, evidence: Evidence) -> tuple[Table, ...]:
    """The stages and executors of every application; empty without any."""
    uses = {use.workload: use for use in evidence.spark}
    return tuple(_tables(record, evidence, uses))


def _tables(record: RunRecord, evidence: Evidence, uses: dict[str, SparkUse]) -> Iterator[Table]:
    for time in evidence.workloads:
        spark, use = record.workloads[time.index].spark, uses.get(time.workload)
        if spark is None or use is None:
            continue
        yield _stages(time.workload, spark, use)
        yield _executors(time.workload, use)


def _stages(workload: str, spark: SparkRun, use: SparkUse) -> Table:
    return Table(
        ("stage", "computes", "time", "tasks", "hosts", "CPU", "garbage", "fetch waits", "input",
         "shuffled in", "shuffled out", "output", "spilled"),
        tuple(_stage(stage, use) for stage in spark.stages),
        title=f"Stages of {workload}",
        fold=True,
    )  # fmt: skip


def _stage(stage: SparkStageRun, use: SparkUse) -> tuple[str, ...]:
    name = f"{stage.id}" + (f", attempt {stage.attempt + 1}" if stage.attempt else "")
    return (
        name,
        (stage.what or stage.name.partition(" at ")[0]) + (" (failed)" if stage.failure else ""),
        seconds(stage.end_s - stage.start_s),
        f"{stage.tasks:,}",
        f"{use.hosts.get((stage.id, stage.attempt), 0):,}",
        *(_share(part_s, stage.run_s) for part_s in (stage.cpu_s, stage.gc_s, stage.fetch_wait_s)),
        *(
            format_bytes(size) if size else NONE
            for size in (
                stage.input_bytes, stage.shuffle_read_bytes, stage.shuffle_write_bytes, stage.output_bytes,
                stage.disk_spilled_bytes,
            )
        ),
    )  # fmt: skip


def _executors(workload: str, use: SparkUse) -> Table:
    return Table(
        ("executor", "worker", "host", "cores", "lived", "busy", "tasks", "failed", "CPU", "garbage",
         "fetch waits", "input", "shuffled in", "written", "heap used"),
        tuple(_executor(executor) for executor in use.by_executor),
        title=f"Executors of {workload}",
        fold=True,
    )  # fmt: skip


def _executor(executor: ExecutorUse) -> tuple[str, ...]:
    return (
        executor.id,
        executor.worker,
        executor.host or NONE,
        f"{executor.cores:,}",
        seconds(executor.lived_s),
        percent(executor.busy_share),
        f"{executor.tasks:,}",
        f"{executor.failed:,}" if executor.failed else NONE,
        *(
            _share(part_s, executor.task_s)
            for part_s in (executor.cpu_s, executor.gc_s, executor.fetch_wait_s)
        ),
        *(
            format_bytes(size) if size else NONE
            for size in (executor.input_bytes, executor.shuffle_read_bytes, executor.written_bytes)
        ),
        NONE if executor.peak_heap_share is None else percent(executor.peak_heap_share),
    )


def _share(part_s: float, whole_s: float) -> str:
    return percent(part_s / whole_s) if whole_s > 0 else NONE
