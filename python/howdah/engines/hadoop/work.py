"""One running workload: its jobs are submitted, followed to their end, and reported."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, TypeVar

from howdah.engines.base import PartialResult
from howdah.engines.hadoop.command import Command, EndedJob
from howdah.engines.hadoop.failure import client_error
from howdah.engines.hadoop.following import Following, MasterOf
from howdah.engines.hadoop.ready import find_source
from howdah.engines.hadoop.reporters import ReportedJob
from howdah.engines.hadoop.spark_command import SparkCommand
from howdah.engines.hadoop.storage import replica_spread
from howdah.engines.hadoop.target import Client, HadoopContext, kill_applications, run_tag
from howdah.engines.processes import RunningProgram
from howdah.errors import RunFailed
from howdah.model.cluster import ReplicaSpread
from howdah.model.workloads.base import Workload
from howdah.services.errors import ServiceError
from howdah.services.history import MOST_BYTES
from howdah.services.resourcemanager import AppFacts
from howdah.units import format_bytes

if TYPE_CHECKING:
    from howdah.engines.hadoop.user_command import TaggedApplications

_LOG = logging.getLogger(__name__)
P = TypeVar("P", bound=Workload)
Launch = Command | SparkCommand  # A program's command: how it is started, followed and reported.


@dataclass
class FinishedJob:
    """A job whose client has ended."""

    lines: tuple[str, ...]
    report: Callable[[], ReportedJob]

    @cached_property
    def reported(self) -> ReportedJob:
        """Hadoop's report of the job, queried at the first use."""
        return self.report()


Conclusion = Callable[[], PartialResult]
"""The part of a program's result that is determined after its jobs have succeeded."""


class HadoopWork(Generic[P]):
    """A workload's jobs, one after the other."""

    def __init__(self, context: HadoopContext, workload: P) -> None:
        self.context = context
        self.workload = workload
        """The workload; a program with existing data stores the size of that data here."""
        self._start_s = context.clock.now_s()
        self._end_s: float | None = None
        self._jobs: list[FinishedJob] = []

    def source(self) -> str:
        """The path of what it reads; raises UserError if that is not there."""
        context = self.context
        source = find_source(context.namenode, context.target.work_dir, self.workload, context.workspace)
        assert source is not None, "its program reads something"
        return source

    def begin(self) -> float:
        """Begin work that is no job; returns seconds since the start of the run."""
        self._start_s, self._end_s = self.context.clock.now_s(), None
        return self._start_s

    def finish(self, end_s: float) -> None:
        """End work that is no job, at a time in seconds since the start of the run."""
        self._end_s = end_s

    def run(self, command: Launch) -> FinishedJob:
        """Run a job to its end; raises RunFailed with its cause if it does not succeed."""
        context = self.context
        tag = run_tag(context.workspace.path)
        _LOG.info("%s %s", command.main, " ".join(command.arguments))
        if not self._jobs:
            self._start_s = context.clock.now_s()
        self._end_s = None
        client = Client(command.vector(context.target, context.workspace, tag), context.job.results_dir)
        manager, on_spark = context.manager, isinstance(command, SparkCommand)
        master_of: MasterOf = manager.spark_driver if on_spark else manager.app_master
        following = Following(context, self.workload, client, master_of)
        try:
            # A client takes seconds to submit its job.
            context.afterwards.close()
            following.until_end()
        except BaseException:
            # Whoever interrupts again leaves no job either.
            try:
                following.poll_last()
            finally:
                try:
                    client.end()
                finally:
                    ended = self._kill(tag)
            if ended and client.application is not None:
                self._jobs.append(self._finished(command, client, following))
            raise
        code = client.exit_code()
        self._end_s = (client.ended_ns - self.context.clock.start_ns) / 1e9
        if client.application is None:
            raise RunFailed(self.workload.kind, client_error(client.lines))
        finished = self._finished(command, client, following)
        self._jobs.append(finished)
        if code != 0:
            cause = finished.reported.job.diagnostics or client_error(client.lines)
            raise RunFailed(self.workload.kind, cause)
        return finished

    def run_tagged(
        self,
        start: Callable[[], RunningProgram],
        followed: Callable[[RunningProgram], TaggedApplications],
        report: Callable[[EndedJob, AppFacts, int | None], ReportedJob],
    ) -> tuple[ReportedJob, ...]:
        """Run a user's command until all applications with the run's tag have ended; return the results.

        ``report`` numbers applications if they are several. Raises RunFailed with the cause if the command
        fails.
        """
        context = self.context
        self._start_s, self._end_s = context.clock.now_s(), None
        program = start()
        following = followed(program)
        try:
            context.afterwards.close()
            following.until_end()
        except BaseException:
            try:
                program.end()
            finally:
                ended = self._kill(run_tag(context.workspace.path))
            if ended:
                self._add_tagged(following, program, report)
            raise
        self._end_s = max(
            (program.ended_ns - context.clock.start_ns) / 1e9,
            *(context.clock.seconds(app.finished_ms) for app in following.applications.values()),
        )
        reports = self._add_tagged(following, program, report)
        failed = [job_report for job_report in reports if job_report.job.diagnostics]
        if program.exit_code() != 0:
            cause = failed[-1].job.diagnostics if failed else client_error(program.lines)
            raise RunFailed(self.workload.kind, f"exit code {program.exit_code()}: {cause}")
        for job_report in failed:
            text = f"{job_report.job.id} failed although the command succeeded: {job_report.job.diagnostics}"
            context.warn("application-failed", f"{self.workload.kind}: {text}")
        return reports

    def _add_tagged(
        self,
        following: TaggedApplications,
        program: RunningProgram,
        report: Callable[[EndedJob, AppFacts, int | None], ReportedJob],
    ) -> tuple[ReportedJob, ...]:
        apps = list(following.applications.values())
        # A program's output and exit code belong to an application only if it is the only one.
        code = program.exit_code() if len(apps) == 1 else None
        for number, app in enumerate(apps, 1):
            ended = EndedJob(app.id, program.lines, None, code)
            finished = partial(report, ended, app, number if len(apps) > 1 else None)
            job = FinishedJob(program.lines, finished)
            self._write_tasks(job.reported, tuple(self._jobs))
            self._jobs.append(job)
        return tuple(job.reported for job in self._jobs)

    def _kill(self, tag: str) -> bool:
        """End the job, if there is one; whether none is left."""
        try:
            kill_applications(self.context.target, self.context.manager, tag)
        except ServiceError as error:
            # The next run finds the job by the run's directory, ends it and removes its data.
            self.context.workspace.leave()
            text = f"{self.workload.kind} may still run on the cluster; the next run will end it: {error}"
            self.context.warn("job-left", text)
            return False
        return True

    def _finished(self, command: Launch, client: Client, following: Following) -> FinishedJob:
        assert client.application is not None
        ended = EndedJob(client.application, client.lines, following.seen, client.exit_code())
        return FinishedJob(client.lines, partial(self._report, command, ended, tuple(self._jobs)))

    def _report(self, command: Launch, ended: EndedJob, before: Sequence[FinishedJob]) -> ReportedJob:
        context = self.context
        reported = command.report(context, self.workload, ended)
        facts = reported.facts
        planned, recorded = facts.maps + facts.reduces, len(facts.tasks)
        if facts.state == "succeeded" and 0 < recorded < planned:
            context.warn(
                "tasks-untold",
                f"{self.workload.kind}: the record has {recorded:,} of {planned:,} tasks, because howdah "
                f"reads at most {format_bytes(MOST_BYTES)} of a job's history",
            )
        self._write_tasks(reported, before)
        return reported

    def _write_tasks(self, reported: ReportedJob, before: Sequence[FinishedJob]) -> None:
        # Tasks are numbered across all jobs of a workload.
        first = {
            kind: sum(task.kind == kind for job in before for task in job.reported.facts.tasks)
            for kind in ("map", "reduce")
        }
        attempts = reported.attempts
        self.context.sink.tasks(
            [attempt._replace(task=attempt.task + first.get(attempt.kind, 0)) for attempt in attempts]
        )

    def replicas(self, path: str) -> ReplicaSpread:
        """The locations of the blocks below a path."""
        return replica_spread(self.context.namenode, path, self.context.machines)

    def fields(self) -> dict[str, object]:
        """The fields of a WorkloadResult that every workload has, whatever became of it."""
        fields: dict[str, object] = {
            "workload": self.workload,
            "start_s": self._start_s,
            "end_s": self._end_s or self.context.clock.now_s(),
            "phases": tuple(phase for job in self._jobs for phase in job.reported.phases),
        }
        if self._jobs:
            last = self._jobs[-1].reported
            fields |= {"job": last.job, "counters": last.counters, "spark": last.spark}
        return fields
