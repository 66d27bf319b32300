"""Programs on Spark, run as applications on YARN."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

from howdah.engines.hadoop.programs.command import Command, sort_properties
from howdah.engines.hadoop.programs.sources import read_generated, tera_rows, write_generated
from howdah.engines.hadoop.programs.spark_command import SparkCommand, executor_properties, prepare_logs
from howdah.engines.hadoop.programs.spark_jars import spark_jars
from howdah.engines.hadoop.programs.tera import TERASORT_MAIN
from howdah.engines.hadoop.work import Conclusion, FinishedJob, HadoopWork
from howdah.engines.under_way import PartialResult
from howdah.model.workloads.spark import OnSpark, SparkApi, SparkTeraSort
from howdah.model.workloads.terasort import TERASORT, TeraSort

P = TypeVar("P", bound=OnSpark)

_PACKAGE = "howdah.spark"
_SAMPLES = 100_000
"""Keys that TeraSort samples by default (mapreduce.terasort.partitions.sample)."""


def submit(
    work: HadoopWork[P], main: str, arguments: tuple[str, ...], properties: dict[str, str]
) -> FinishedJob:
    """Run one of howdah's programs on Spark to its end; Spark's jars are put into HDFS before, if need be."""
    context = work.context
    assert context.target.spark is not None
    prepare_logs(context)
    jars = spark_jars(context.target, context.namenode, context.target.spark.spark, context.warn)
    return work.run(
        SparkCommand(
            main=f"{_PACKAGE}.{main}",
            arguments=arguments,
            name=f"howdah {work.workload.kind}",
            properties={**executor_properties(work.workload), **properties},
            jars=jars,
        )
    )


def terasort(work: HadoopWork[SparkTeraSort]) -> Conclusion:
    """Sort what TeraGen wrote, or what the user names; files are as TeraSort's."""
    context = work.context
    source = tera_rows(context.namenode, work.source())
    work.workload = work.workload.model_copy(update={"rows": source.rows})
    workload = work.workload
    output = context.workspace.folder(TERASORT)
    if workload.api is SparkApi.MAPREDUCE:
        sort = TeraSort(
            reduces=workload.partitions,
            block_bytes=workload.block_bytes,
            replication=workload.replication,
            partition_samples=workload.partition_samples,
        )
        job = work.run(Command(TERASORT_MAIN, sort_properties(sort), (source.path, output)))
        context.workspace.complete(TERASORT)
        return partial(_sorted, work, job, source.path, output)
    # TeraSort replicates its output once by default, and so does this.
    properties = {"dfs.replication": f"{workload.replication or 1}"}
    if workload.block_bytes is not None:
        properties["dfs.blocksize"] = f"{workload.block_bytes}"
    arguments = (
        workload.api or SparkApi.RDD,
        source.path,
        output,
        f"{workload.partitions or 1}",
        f"{workload.partition_samples or _SAMPLES}",
    )
    job = submit(work, "SparkTeraSort", arguments, properties)
    context.workspace.complete(TERASORT)
    return partial(_sorted, work, job, source.path, output)


def _sorted(work: HadoopWork[SparkTeraSort], job: FinishedJob, source: str, output: str) -> PartialResult:
    generated = read_generated(work.context.namenode, source)
    if generated:
        write_generated(work.context.namenode, output, generated)
    return PartialResult(counters=job.reported.counters, replicas=work.replicas(output))
