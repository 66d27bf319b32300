"""The result of a job from the first reporter that knows it: history, application master or client."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple, TypeVar

from howdah.engines.base import RunClock
from howdah.engines.hadoop.attempts import attempt_rows, phases, printed_counters, sum_counters
from howdah.engines.hadoop.failure import cause_of
from howdah.engines.hadoop.target import TABLES, HadoopTarget
from howdah.model.cluster import AppMasterStart, CounterValue, HadoopJob, SparkRun
from howdah.model.plan import Plan
from howdah.model.reported import Counters
from howdah.model.run import Phase, TaskAttempt
from howdah.model.workloads.base import Workload
from howdah.services.errors import ServiceError
from howdah.services.history import HistoryFiles, JobHistory, TaskLogs
from howdah.services.job_facts import JobFacts, State, state_of
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import AppFacts, ResourceManager

Reporter = Literal["history server", "history file", "application master", "client"]

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


def _report(
    target: HadoopTarget,
    job_id: str,
    clock: RunClock,
    *,
    printed: Sequence[str],
    seen: JobFacts | None,
    staging: str,
) -> tuple[JobFacts, Reporter, AppFacts | None]:
    """Return the facts of the first reporter that knows the job, that reporter, and YARN's report.

    The history file of a succeeded job is complete. For another job the history server is also queried,
    because it sums counters that the file lacks, and the ResourceManager may know why the job ended.
    """
    web, conf = target.web, target.conf
    history, manager = JobHistory(web, conf), ResourceManager(web, conf)
    files = HistoryFiles(NameNode(web, conf), conf, web.user or "", staging)
    file = _answered(partial(files.job, job_id))
    if file is not None and file.masters and file.masters[-1].number != len(file.masters):
        # A lost application master may be missing in the file.
        masters = _answered(partial(manager.masters, file.id.replace("job_", "application_", 1)))
        file = file if masters is None else replace(file, masters=masters)
    if file is not None and file.state == "succeeded":
        return file, "history file", None
    app = _answered(partial(manager.app, job_id.replace("job_", "application_", 1)))

    def of_server() -> JobFacts:
        if file is None:
            return history.whole(job_id)
        job, counters = history.job(job_id), history.counters(job_id)
        return replace(job, counters=counters, conf=file.conf, tasks=file.tasks, masters=file.masters)

    server = _answered(of_server)
    if facts := server or file:
        # A master that was killed may have written no tasks.
        begun = any(task.attempts for task in facts.tasks)
        facts = facts if begun or seen is None else replace(facts, tasks=seen.tasks)
        return facts, "history server" if server else "history file", app
    if seen is not None:
        return _ended(seen, app), "application master", app
    # The submission time is unknown, but within this run.
    bare = JobFacts(job_id, "", target.queue, "running", clock.epoch_ms, counters=printed_counters(printed))
    if app is None:
        succeeded = any(f"Job {job_id} completed successfully" in line for line in printed)
        state: State = "succeeded" if succeeded else "failed"
        return replace(bare, state=state), "client", None
    return _ended(replace(bare, name=app.name, queue=app.queue), app), "client", app


def _answered(query: Callable[[], T]) -> T | None:
    """Return the answer to a query; None, with a line in the log, if there is none."""
    try:
        return query()
    except ServiceError as error:
        _LOG.info("%s", error)
        return None


def _ended(facts: JobFacts, app: AppFacts | None) -> JobFacts:
    """Return a job at its last poll with the end that the ResourceManager reports."""
    if app is None:
        return facts
    return replace(
        facts,
        state=state_of(app.final_status),
        submit_ms=app.submitted_ms,
        start_ms=facts.start_ms or app.launched_ms or None,
        finish_ms=facts.finish_ms or app.finished_ms or None,
        diagnostics=facts.diagnostics or app.diagnostics,
    )


class ReportedJob(NamedTuple):
    """A job for the run record."""

    job: HadoopJob  # The job itself; its diagnostics are the cause in one sentence if it did not succeed.
    attempts: list[TaskAttempt]  # Every attempt that began, in order of their starts.
    phases: tuple[Phase, ...]  # Empty if its tasks are unknown.
    counters: Counters
    facts: JobFacts
    spark: SparkRun | None = None


def report_job(
    target: HadoopTarget,
    job_id: str,
    clock: RunClock,
    *,
    workload: Workload,
    plan: Plan,
    printed: Sequence[str] = (),
    seen: JobFacts | None = None,
    staging: str = "",
) -> ReportedJob:
    """An ended job by its history file, history server, ``seen`` or ``printed`` lines; raises nothing."""
    machines = target.machines(plan)
    facts, reporter, app = _report(target, job_id, clock, printed=printed, seen=seen, staging=staging)
    why = None
    if facts.state != "succeeded":
        why = cause_of(facts, app, TaskLogs(target.web, target.conf), machines, printed)
    job = HadoopJob(
        id=facts.id,
        name=facts.name,
        queue=facts.queue,
        told_by=reporter,
        submitted_s=clock.seconds(facts.submit_ms),
        started_s=None if facts.start_ms is None else clock.seconds(facts.start_ms),
        finished_s=None if facts.finish_ms is None else clock.seconds(facts.finish_ms),
        masters=tuple(
            AppMasterStart(number=number, worker=machines.worker(node), started_s=clock.seconds(start_ms))
            for number, start_ms, node in facts.masters
        ),
        counters={name: CounterValue(**sums._asdict()) for name, sums in sorted(facts.counters.items())},
        conf={key: facts.conf[key] for key in TABLES["kept"] if key in facts.conf},
        diagnostics=why,
    )
    return ReportedJob(
        job=job,
        attempts=attempt_rows(facts, workload.kind, machines, clock),
        phases=phases(facts, workload, clock),
        counters=sum_counters(facts),
        facts=facts,
    )
