"""One workload under way: its jobs are submitted, followed to their end, and told of."""

from __future__ import annotations

import logging
from typing import NamedTuple, TypedDict

from howdah.engines.hadoop.bench import Bench
from howdah.engines.hadoop.client import Client
from howdah.engines.hadoop.command import Command, argument_vector
from howdah.engines.hadoop.failure import said_by_client
from howdah.engines.hadoop.following import Following
from howdah.engines.hadoop.machines import Machines
from howdah.engines.hadoop.sources import find_source
from howdah.engines.hadoop.spread import replica_spread
from howdah.engines.hadoop.stopping import kill_applications, run_tag
from howdah.engines.hadoop.tell import Told, tell_job
from howdah.errors import RunFailed
from howdah.model.cluster import ReplicaSpread
from howdah.model.run import Counters, FileRate, Outcome, Phase, ValidationError
from howdah.model.workload import Workload
from howdah.services.errors import ServiceError
from howdah.services.job import JobFacts

_LOG = logging.getLogger(__name__)


class Finished(NamedTuple):
    """A job that has succeeded."""

    told: Told
    """What Hadoop tells of it."""
    lines: tuple[str, ...]
    """What its client said."""


class Yield(TypedDict, total=False):
    """The fields of a WorkloadResult that a program itself knows, beside what Hadoop tells of its job."""

    outcome: Outcome
    counters: Counters
    checksum: str | None
    expected_checksum: str | None
    validation_errors: tuple[ValidationError, ...]
    files: tuple[FileRate, ...]
    answer: str | None
    phases: tuple[Phase, ...]
    replicas: ReplicaSpread


class Work:
    """A workload's jobs, one after the other."""

    def __init__(self, bench: Bench, workload: Workload) -> None:
        self.bench = bench
        self.workload = workload
        """What is run; a program that finds its data there notes here how much it is."""
        self._start_s = bench.clock.now_s()
        self._end_s: float | None = None
        self._told: list[Told] = []

    def source(self) -> str:
        """The path of what it reads; raises UserError if that is not there."""
        bench = self.bench
        found = find_source(bench.namenode, bench.target.work_dir, self.workload, bench.workspace)
        assert found is not None, "its program reads something"
        return found

    def run(self, command: Command) -> Finished:
        """Run a job to its end; raises RunFailed with its cause if it does not succeed."""
        bench = self.bench
        tag = run_tag(bench.workspace.path)
        _LOG.info("%s %s", command.main, " ".join(command.arguments))
        if not self._told:
            self._start_s = bench.clock.now_s()
        self._end_s = None
        client = Client(argument_vector(bench.target, bench.workspace, command, tag), bench.job.results_dir)
        try:
            following = Following(bench, self.workload, client)
            following.until_end()
        except BaseException:
            try:
                client.end()
            finally:
                # Whoever does not wait for the client, and interrupts again, leaves no job either.
                self._kill(tag)
            raise
        return self._tell(client, following.seen)

    def _kill(self, tag: str) -> None:
        try:
            kill_applications(self.bench.target, self.bench.manager, tag)
        except ServiceError as error:
            # By the run's directory the next run finds the job, ends it and removes what it wrote meanwhile.
            self.bench.workspace.leave()
            text = f"{self.workload.kind} may still run on the cluster; the next run will end it: {error}"
            self.bench.warn("job-left", text)

    def _tell(self, client: Client, seen: JobFacts | None) -> Finished:
        code = client.exit_code()
        self._end_s = (client.ended_ns - self.bench.clock.start_ns) / 1e9
        if client.application is None:
            raise RunFailed(self.workload.kind, said_by_client(client.lines))
        told = tell_job(
            self.bench.target,
            job_of(client.application),
            self.bench.clock,
            kind=self.workload.kind,
            plan=self.bench.job.plan,
            said=client.lines,
            seen=seen,
        )
        # Tasks of a workload have numbers of their own, whichever of its jobs they belong to.
        before = {kind: sum(_tasks(one, kind) for one in self._told) for kind in ("map", "reduce")}
        self.bench.sink.tasks([one._replace(task=one.task + before[one.kind]) for one in told.attempts])
        self._told.append(told)
        if code != 0:
            raise RunFailed(self.workload.kind, told.job.diagnostics or said_by_client(client.lines))
        return Finished(told, client.lines)

    def replicas(self, path: str) -> ReplicaSpread:
        """Where the blocks below a path lie."""
        bench = self.bench
        return replica_spread(bench.namenode, path, Machines(bench.target.machine_of, bench.job.plan))

    def fields(self) -> dict[str, object]:
        """The fields of a WorkloadResult that every workload has, whatever became of it."""
        fields: dict[str, object] = {
            "workload": self.workload,
            "start_s": self._start_s,
            "end_s": self._end_s or self.bench.clock.now_s(),
            "phases": tuple(phase for told in self._told for phase in told.phases),
        }
        if self._told:
            fields |= {"job": self._told[-1].job, "counters": self._told[-1].counters}
        return fields


def _tasks(told: Told, kind: str) -> int:
    return sum(task.kind == kind for task in told.facts.tasks)


def job_of(application: str) -> str:
    """The MapReduce job of an application."""
    return application.replace("application_", "job_", 1)
