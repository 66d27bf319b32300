"""The result of a Spark application from its event log."""

from __future__ import annotations

import logging
import posixpath
from dataclasses import replace
from pathlib import Path

from howdah.engines.hadoop.history.failure import advised, client_error, short_cause
from howdah.engines.hadoop.history.reporters import ReportedJob
from howdah.engines.hadoop.programs.command import EndedJob
from howdah.engines.hadoop.target import HadoopContext, NodeFinder
from howdah.errors import UserError
from howdah.model.application import SparkLog
from howdah.model.cluster import HadoopJob, SparkRun
from howdah.model.reported import Counters
from howdah.model.workloads.base import Workload
from howdah.scratch import scratch_folder
from howdah.services.errors import ServiceError
from howdah.services.event_log import read_event_log
from howdah.services.job_facts import JobFacts, State, state_of
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import AppFacts
from howdah.services.spark_run import ReadSpark, SparkPlaces
from howdah.units import format_seconds

_LOG = logging.getLogger(__name__)

_UNCAUGHT = 'Exception in thread "main"'
"""Java prints this if a main program ends with an exception."""


def report_spark(context: HadoopContext, workload: Workload, ended: EndedJob, folder: str) -> ReportedJob:
    """Return the result of an application whose event log is below ``folder``; it raises nothing.

    Without an event log the result is the ResourceManager's report, which has no tasks.
    """
    app = _app(context, ended.application)
    log = _log(context.namenode, folder, ended.application)
    if isinstance(log, str):
        return _bare(context, ended, app, log)
    if driver_failed(log, ended):
        log = replace(log, application=replace(log.application, outcome="failed"))
    clock = context.clock
    machines = NodeFinder(context.target.machine_of, context.job.plan, context.target.joined)
    read = ReadSpark(
        log, SparkPlaces(machines.worker, machines.host), lambda epoch_s: clock.seconds(round(1000 * epoch_s))
    )
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
        facts=_facts(context, ended, state),
        spark=spark,
    )


def driver_failed(log: SparkLog, ended: EndedJob) -> bool:
    """Whether a driver in the client failed although its event log ends in good order.

    YARN and Spark report success of an application in client mode even if its driver threw an exception. The
    client that was the driver has printed it.
    """
    app = log.application
    if app.deploy_mode != "client" or app.outcome != "succeeded" or ended.exit_code is None:
        return False
    return ended.exit_code != 0 or any(line.startswith(_UNCAUGHT) for line in ended.lines)


def _app(context: HadoopContext, application: str) -> AppFacts | None:
    try:
        return context.manager.app(application)
    except ServiceError as error:
        _LOG.info("%s", error)
        return None


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
    with scratch_folder("event-log") as scratch:
        path = scratch / newest.name
        try:
            if newest.is_directory:
                path.mkdir()
                for part in namenode.list(posixpath.join(folder, newest.name)):
                    _copy(namenode, posixpath.join(folder, newest.name, part.name), path / part.name)
            else:
                _copy(namenode, posixpath.join(folder, newest.name), path)
            return read_event_log(path)
        except (ServiceError, OSError, UserError) as error:
            return str(error)


def _copy(namenode: NameNode, source: str, to: Path) -> None:
    with to.open("wb") as sink:
        namenode.read_to(source, sink)


def _why(log: SparkLog, spark: SparkRun, app: AppFacts | None, ended: EndedJob) -> str:
    """The cause of an application's failure in one sentence."""
    if log.application.outcome == "unfinished":
        return (
            "its driver was killed or lost: its event log ends in the middle of its work, "
            f"{format_seconds(spark.end_s - spark.start_s)} after its start"
        )
    failures = [job.failure for job in log.jobs if job.failure] or [
        stage.failure for stage in log.stages if stage.failure
    ]
    # YARN's diagnostics of a success are not a cause.
    reported = app.diagnostics if app is not None and app.final_status != "SUCCEEDED" else ""
    cause = short_cause(failures[-1] if failures else reported)
    return advised(cause) if cause else client_error(ended.lines)


def _by_manager(app: AppFacts | None) -> str | None:
    """The cause that YARN reports; None if it reports none."""
    cause = short_cause(app.diagnostics) if app is not None else None
    return None if cause is None else advised(cause)


def _facts(context: HadoopContext, ended: EndedJob, state: State) -> JobFacts:
    return JobFacts(ended.application, "", context.target.queue, state, context.clock.epoch_ms)


def _bare(context: HadoopContext, ended: EndedJob, app: AppFacts | None, missing: str) -> ReportedJob:
    state: State = state_of(app.final_status) if app is not None else "failed"
    job = HadoopJob(
        id=ended.application,
        name=app.name if app else "",
        queue=app.queue if app else context.target.queue,
        told_by="client",
        submitted_s=0.0 if app is None else context.clock.seconds(app.submitted_ms),
        diagnostics=None if state == "succeeded" else _by_manager(app) or client_error(ended.lines),
    )
    context.warn("no-event-log", f"{ended.application} left no event log that could be read: {missing}")
    return ReportedJob(job, [], (), Counters(), _facts(context, ended, state))
