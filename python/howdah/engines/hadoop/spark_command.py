"""The command line of a program on Spark, and its result from the event log."""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from howdah.engines.hadoop.command import HADOOP_PREFIX, SPARK_PREFIX, EndedJob
from howdah.engines.hadoop.failure import advised, client_error, short_cause
from howdah.engines.hadoop.reporters import ReportedJob
from howdah.engines.hadoop.storage import STAGING, HdfsWorkspace
from howdah.engines.hadoop.target import HadoopContext, HadoopTarget
from howdah.errors import UserError
from howdah.files import scratch_folder
from howdah.installation.java_programs import spark_command
from howdah.model.application import SparkLog
from howdah.model.cluster import HadoopJob, SparkRun
from howdah.model.reported import Counters
from howdah.model.workloads.base import Workload
from howdah.model.workloads.spark import DeployMode, ExecutorAllocation, OnSpark
from howdah.services.errors import ServiceError
from howdah.services.event_log import read_event_log
from howdah.services.job_facts import JobFacts, State, state_of
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import AppFacts
from howdah.services.spark_run import ReadSpark, SparkPlaces
from howdah.units import MIB, format_seconds

_LOG = logging.getLogger(__name__)

_UNCAUGHT = 'Exception in thread "main"'  # Java prints this if a main program ends with an exception.


def report_spark(context: HadoopContext, workload: Workload, ended: EndedJob, folder: str) -> ReportedJob:
    """An application's result from its event log, or else YARN's report without tasks; raises nothing."""
    try:
        app = context.manager.app(ended.application)
    except ServiceError as error:
        _LOG.info("%s", error)
        app = None
    log = _log(context.namenode, folder, ended.application)
    if isinstance(log, str):
        return _bare(context, ended, app, log)
    if driver_failed(log, ended):
        log = replace(log, application=replace(log.application, outcome="failed"))
    clock, machines = context.clock, context.machines
    places = SparkPlaces(machines.worker, machines.host)
    read = ReadSpark(log, places, lambda epoch_s: clock.seconds(round(1000 * epoch_s)))
    spark = read.run()
    # YARN counts a driver's death in client mode as success: its application master ends in good order.
    state: State = "succeeded" if log.application.outcome == "succeeded" else "failed"
    job = HadoopJob(
        id=log.application.id,
        name=log.application.name,
        queue=log.application.queue or context.target.queue,
        told_by="event log",
        submitted_s=spark.start_s if app is None else clock.seconds(app.submitted_ms),
        started_s=spark.start_s,
        finished_s=spark.end_s,
        counters=read.hadoop_counters(),
        conf=spark.properties,
        diagnostics=None if state == "succeeded" else _why(log, spark, app, ended),
    )
    return ReportedJob(
        job=job,
        attempts=read.attempts(workload.kind),
        phases=read.phases(),
        counters=read.counters(),
        facts=JobFacts(ended.application, "", context.target.queue, state, clock.epoch_ms),
        spark=spark,
    )


def driver_failed(log: SparkLog, ended: EndedJob) -> bool:
    """Whether a driver in the client printed an exception, which YARN and Spark report as a success."""
    app = log.application
    if app.deploy_mode != "client" or app.outcome != "succeeded" or ended.exit_code is None:
        return False
    return ended.exit_code != 0 or any(line.startswith(_UNCAUGHT) for line in ended.lines)


def _log(namenode: NameNode, folder: str, application: str) -> SparkLog | str:
    """The event log of an application, copied from HDFS and read; or why there is none."""
    try:
        entries = [entry for entry in namenode.list(folder) if application in entry.name]
    except ServiceError as error:
        return str(error)
    if not entries:
        return f"HDFS {folder} has none"
    # A restarted driver writes a new log; the last one belongs to the attempt that ended.
    newest = max(entries, key=lambda entry: entry.name)
    source = posixpath.join(folder, newest.name)
    with scratch_folder("event-log") as scratch:
        path = scratch / newest.name
        try:
            copies = {source: path}
            if newest.is_directory:
                path.mkdir()
                copies = {f"{source}/{part.name}": path / part.name for part in namenode.list(source)}
            for file, copy in copies.items():
                with copy.open("wb") as sink:
                    namenode.read_to(file, sink)
            return read_event_log(path)
        except (ServiceError, OSError, UserError) as error:
            return str(error)


def _why(log: SparkLog, spark: SparkRun, app: AppFacts | None, ended: EndedJob) -> str:
    if log.application.outcome == "unfinished":
        return (
            "its driver was killed or lost: its event log ends in the middle of its work, "
            f"{format_seconds(spark.end_s - spark.start_s)} after its start"
        )
    failures = [job.failure for job in log.jobs if job.failure]
    failures = failures or [stage.failure for stage in log.stages if stage.failure]
    # YARN's diagnostics of a success are not a cause.
    reported = app.diagnostics if app is not None and app.final_status != "SUCCEEDED" else ""
    cause = short_cause(failures[-1] if failures else reported)
    return advised(cause) if cause else client_error(ended.lines)


def _bare(context: HadoopContext, ended: EndedJob, app: AppFacts | None, missing: str) -> ReportedJob:
    clock, queue = context.clock, context.target.queue
    state: State = state_of(app.final_status) if app is not None else "failed"
    cause = short_cause(app.diagnostics) if app is not None else None
    why = client_error(ended.lines) if cause is None else advised(cause)
    job = HadoopJob(
        id=ended.application,
        name=app.name if app else "",
        queue=app.queue if app else queue,
        told_by="client",
        submitted_s=0.0 if app is None else clock.seconds(app.submitted_ms),
        diagnostics=None if state == "succeeded" else why,
    )
    context.warn("no-event-log", f"{ended.application} left no event log that could be read: {missing}")
    facts = JobFacts(ended.application, "", queue, state, clock.epoch_ms)
    return ReportedJob(job, [], (), Counters(), facts)


LOGS = "spark-logs"  # The folder of the run's directory that event logs are written to.
_DRIVER_MEMORY = "spark.driver.memory"
_DRIVER_MEMORY_DEFAULT = "1g"


class SparkCommand(NamedTuple):
    """A program on Spark and what it does."""

    main: str
    arguments: tuple[str, ...]
    name: str
    properties: Mapping[str, str]  # Spark's properties, and Hadoop's by their own names.
    jars: Mapping[str, str]  # The properties that name Spark's jars; empty if the user's settings do.

    def vector(self, target: HadoopTarget, workspace: HdfsWorkspace, tag: str) -> list[str]:
        """The client's command line: the user's properties win, except over its directory and tag."""
        assert target.spark is not None
        root = target.conf.default_fs
        requested = {**self.properties, **target.job_settings}
        properties = {
            key if key.startswith(SPARK_PREFIX) else f"{HADOOP_PREFIX}{key}": value
            for key, value in requested.items()
        } | {
            "spark.app.name": self.name,
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"{root}{workspace.folder(LOGS)}",
            "spark.yarn.queue": target.queue,
            "spark.yarn.stagingDir": f"{root}{workspace.folder(STAGING)}",
            "spark.yarn.tags": tag,
            # Each lab and each run at the same time has its own driver: any free port does.
            "spark.ui.port": "0",
            **self.jars,
        }
        words = (
            *("--master", "yarn"),
            *(word for key, value in properties.items() for word in ("--conf", f"{key}={value}")),
            *("--jars", str(target.spark.examples_jar), "--class", self.main, str(target.spark.jar)),
            *self.arguments,
        )
        memory = properties.get(_DRIVER_MEMORY, _DRIVER_MEMORY_DEFAULT)
        java = spark_command(target.spark.spark, target.conf_dir, memory, *words)
        return [*target.client_prefix, *java]

    def report(self, context: HadoopContext, workload: Workload, ended: EndedJob) -> ReportedJob:
        return report_spark(context, workload, ended, context.workspace.folder(LOGS))


def executor_properties(workload: OnSpark) -> dict[str, str]:
    """Executors and partitions as the workload has them."""
    dynamic = workload.allocation is ExecutorAllocation.DYNAMIC
    number = {
        "spark.executor.instances": None if dynamic else workload.executors,
        "spark.executor.cores": workload.executor_cores,
        "spark.default.parallelism": workload.partitions,
        "spark.sql.shuffle.partitions": workload.partitions,
    }
    properties = {key: f"{value}" for key, value in number.items() if value is not None}
    if workload.executor_bytes is not None:
        properties["spark.executor.memory"] = f"{workload.executor_bytes // MIB}m"
    properties["spark.submit.deployMode"] = workload.deploy_mode or DeployMode.CLIENT
    if dynamic:
        properties |= {
            "spark.dynamicAllocation.enabled": "true",
            "spark.dynamicAllocation.shuffleTracking.enabled": "true",
            "spark.dynamicAllocation.minExecutors": "1",
            "spark.dynamicAllocation.maxExecutors": f"{workload.executors or 1}",
        }
    else:
        # Spark would place tasks that start before most executors have registered on the first ones.
        properties |= {
            "spark.dynamicAllocation.enabled": "false",
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime": "30s",
        }
    return properties
