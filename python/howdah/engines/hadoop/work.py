"""One running workload: its jobs are submitted, followed to their end, and reported."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Generic, TypeVar

from howdah.engines.base import PartialResult
from howdah.engines.hadoop.command import Command, EndedJob
from howdah.engines.hadoop.failure import client_error
from howdah.engines.hadoop.following import Following, MasterOf
from howdah.engines.hadoop.ready import find_source
from howdah.engines.hadoop.reporters import ReportedJob
from howdah.engines.hadoop.spark_command import SparkCommand
from howdah.engines.hadoop.storage import replica_spread
from howdah.engines.hadoop.target import Client, HadoopContext, kill_applications, run_tag
from howdah.errors import RunFailed
from howdah.model.cluster import ReplicaSpread
from howdah.model.workloads.base import Workload
from howdah.services.errors import ServiceError
from howdah.services.history import MOST_BYTES
from howdah.units import format_bytes

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


Conclusion = Callable[[], PartialResult]  # What is determined after a program's jobs have succeeded.


class HadoopWork(Generic[P]):
    """A workload's jobs, one after the other."""

    def __init__(self, context: HadoopContext, workload: P) -> None:
        self.context = context
        self.workload = workload  # A program with existing data stores the size of that data here.
        self._start_s = context.clock.now_s()
        self._end_s: float | None = None
        self.jobs: list[FinishedJob] = []

    def source(self) -> str:
        """The path of what it reads; raises UserError if that is not there."""
        context = self.context
        source = find_source(context.namenode, context.target.work_dir, self.workload, context.workspace)
        assert source is not None, "its program reads something"
        return source

    def begin(self) -> float:
        """Begin work that this class does not start; returns seconds since the start of the run."""
        self._start_s, self._end_s = self.context.clock.now_s(), None
        return self._start_s

    def finish(self, end_s: float) -> None:
        """End such work, at a time in seconds since the start of the run."""
        self._end_s = end_s

    def run(self, command: Launch) -> FinishedJob:
        """Run a job to its end; raises RunFailed with its cause if it does not succeed."""
        context = self.context
        _LOG.info("%s %s", command.main, " ".join(command.arguments))
        if not self.jobs:
            self._start_s = context.clock.now_s()
        self._end_s = None
        words = command.vector(context.target, context.workspace, run_tag(context.workspace.path))
        client = Client(words, context.job.results_dir)
        on_spark = isinstance(command, SparkCommand)
        master_of: MasterOf = context.manager.spark_driver if on_spark else context.manager.app_master
        following = Following(context, self.workload, client, master_of)
        with self.ending(following.end, partial(self._add_job, command, client, following)):
            following.until_end()
        code = client.exit_code()
        self._end_s = (client.ended_ns - context.clock.start_ns) / 1e9
        finished = self._add_job(command, client, following)
        if finished is None:
            raise RunFailed(self.workload.kind, client_error(client.lines))
        if code != 0:
            cause = finished.reported.job.diagnostics or client_error(client.lines)
            raise RunFailed(self.workload.kind, cause)
        return finished

    @contextmanager
    def ending(self, end: Callable[[], object], add: Callable[[], object]) -> Iterator[None]:
        """Follow a client; after an error or interrupt end it and its applications, and add what has ended.

        A user who interrupts again leaves no application either.
        """
        try:
            # A client takes seconds to submit its job.
            self.context.afterwards.close()
            yield
        except BaseException:
            try:
                end()
            finally:
                ended = self._kill()
            if ended:
                add()
            raise

    def _kill(self) -> bool:
        """End the job, if there is one; whether none is left."""
        context = self.context
        try:
            kill_applications(context.target, context.manager, run_tag(context.workspace.path))
        except ServiceError as error:
            # The next run finds the job by the run's directory, ends it and removes its data.
            context.workspace.leave()
            text = f"{self.workload.kind} may still run on the cluster; the next run will end it: {error}"
            context.warn("job-left", text)
            return False
        return True

    def _add_job(self, command: Launch, client: Client, following: Following) -> FinishedJob | None:
        """Add the job of a client that has ended; None if it submitted none."""
        if client.application is None:
            return None
        ended = EndedJob(client.application, client.lines, following.seen, client.exit_code())
        job = self.job(client.lines, partial(self._report, command, ended))
        self.jobs.append(job)
        return job

    def _report(self, command: Launch, ended: EndedJob) -> ReportedJob:
        reported = command.report(self.context, self.workload, ended)
        facts = reported.facts
        planned, recorded = facts.maps + facts.reduces, len(facts.tasks)
        if facts.state == "succeeded" and 0 < recorded < planned:
            self.context.warn(
                "tasks-untold",
                f"{self.workload.kind}: the record has {recorded:,} of {planned:,} tasks, because howdah "
                f"reads at most {format_bytes(MOST_BYTES)} of a job's history",
            )
        return reported

    def job(self, lines: tuple[str, ...], report: Callable[[], ReportedJob]) -> FinishedJob:
        """A job after those so far, whose tasks are recorded when it is reported."""
        before = tuple(self.jobs)

        def reported() -> ReportedJob:
            result = report()
            # Tasks are numbered across all jobs of a workload.
            first = {
                kind: sum(task.kind == kind for job in before for task in job.reported.facts.tasks)
                for kind in ("map", "reduce")
            }
            self.context.sink.tasks(
                [task._replace(task=task.task + first.get(task.kind, 0)) for task in result.attempts]
            )
            return result

        return FinishedJob(lines, reported)

    def replicas(self, path: str) -> ReplicaSpread:
        """The locations of the blocks below a path."""
        return replica_spread(self.context.namenode, path, self.context.machines)

    def fields(self) -> dict[str, object]:
        """The fields of a WorkloadResult that every workload has, whatever became of it."""
        fields: dict[str, object] = {
            "workload": self.workload,
            "start_s": self._start_s,
            "end_s": self._end_s or self.context.clock.now_s(),
            "phases": tuple(phase for job in self.jobs for phase in job.reported.phases),
        }
        if self.jobs:
            last = self.jobs[-1].reported
            fields |= {"job": last.job, "counters": last.counters, "spark": last.spark}
        return fields
