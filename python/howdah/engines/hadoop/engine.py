"""The engine of a real Hadoop: its released programs, on a user's cluster or in a lab."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pkgutil import resolve_name

from howdah.engines.base import (
    PartialResult,
    RunClock,
    RunUnderWay,
    begun_record,
    clock_was_set,
    clocks_apart,
    ended_by,
    fault_of,
    job_digests,
)
from howdah.engines.hadoop.lost_daemons import MachineWatch, MastersWatch, Watching
from howdah.engines.hadoop.ready import check_ready
from howdah.engines.hadoop.storage import (
    HdfsWorkspace,
    check_replicas,
    check_room,
    clear_leftovers,
    enable_coding,
)
from howdah.engines.hadoop.target import DeferredAction, HadoopContext, HadoopTarget, NodeFinder
from howdah.engines.hadoop.work import Conclusion, HadoopWork
from howdah.errors import HowdahError, UserError
from howdah.model.cluster import ClusterState
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.tables import Job, SampleSink
from howdah.model.workloads.base import Workload
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager
from howdah.telemetry.sampler import Sampler

NAME = "hadoop"

_WORKERS_EVERY_S = 5.0
_MASTERS_EVERY_S = 1.0
"""A standby takes over within seconds, and masters are few."""
_FAILOVER_S = 60.0
"""Time that HDFS may have no active NameNode without ending a run: Hadoop's own clients wait, too."""


class HadoopEngine:
    """Runs a job's suite on a cluster; see ``howdah.engines.base.Engine``."""

    name = NAME

    def __init__(self, target: HadoopTarget) -> None:
        self._target = target
        self.version = target.installation.version
        """The release of the client's jars; the cluster's is in the record's cluster."""

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job; raise UserError before anything is written if it cannot start."""
        return _HadoopRun(job, sink, self._target).execute()


class _HadoopRun:
    """One run on the cluster."""

    def __init__(self, job: Job, sink: SampleSink, target: HadoopTarget) -> None:
        self._job = job
        self._target = target
        self._clock = RunClock()
        self._fault: str | None = None
        self._namenode = NameNode(target.web, target.conf)
        self._patient_namenode = NameNode(target.web, target.conf, patience_s=_FAILOVER_S)
        self._manager = ResourceManager(target.web, target.conf)
        record = begun_record(
            job,
            engine=NAME,
            version=target.installation.version,
            created=datetime.fromtimestamp(self._clock.start_epoch_s, UTC),
            digests=job_digests(job),
        )
        self._run = RunUnderWay(record, sink)

    def execute(self) -> RunRecord:
        """Check the cluster, claim a directory, run the workloads, clean up."""
        try:
            cluster, leftovers = self._prepare()
            workspace = HdfsWorkspace(
                self._patient_namenode,
                self._target.work_dir,
                self._job.run_id,
                keep=self._job.keep_data,
                policy=enable_coding(self._namenode, self._job.suite),
            )
            workspace.claim()
        except ServiceError as error:
            raise UserError(error.where, error.what, error.hint) from error
        try:
            self._run.change(cluster=cluster)
            self._warn_before(cluster, leftovers)
            machines = NodeFinder(self._target.machine_of, self._job.plan, self._target.joined)
            workers = MachineWatch(self._target, machines, self._clock)
            masters = MastersWatch(self._target, machines, self._clock)
            watching = Watching({workers: _WORKERS_EVERY_S, masters: _MASTERS_EVERY_S})
            watching.start()
            try:
                clock, run = self._clock, self._run
                with (
                    run.sampled(
                        self._target.sources,
                        start_ns=clock.start_ns,
                        interval_s=self._job.sample_interval_s,
                        now_s=clock.now_s,
                        follow=self._target.follow,
                    ) as sampler,
                    run.ending((HowdahError, OSError)),
                ):
                    self._work(workspace, sampler, watching)
                for warning in clock_was_set(clock):
                    run.warn(warning.code, warning.text)
            finally:
                watching.stop()
                self._run.change(events=watching.events)
        finally:
            self._release(workspace)
        return self._run.record

    def _prepare(self) -> tuple[ClusterState, tuple[str, ...]]:
        """Return the cluster, and directories of other active runs; raise UserError if it cannot start."""
        cluster = check_ready(self._job, self._target, self._namenode, self._manager)
        leftovers = clear_leftovers(self._target, self._namenode, self._manager)
        check_replicas(self._namenode, self._job.suite)
        check_room(self._namenode, self._target, self._job.suite)
        return cluster, leftovers

    def _work(self, workspace: HdfsWorkspace, sampler: Sampler, watching: Watching) -> None:
        context = HadoopContext(
            self._job,
            self._target,
            self._patient_namenode,
            self._manager,
            workspace,
            self._clock,
            self._run.sink,
            self._history_answers(),
            self._run.warn,
            DeferredAction(),
        )
        for workload in self._job.suite.workloads:
            # Samples at both ends of a workload make its share of every counter exact.
            sampler.mark()
            work = HadoopWork(context, workload)
            try:
                conclude: Conclusion = resolve_name(work.workload.programs[NAME])(work)
            except BaseException as error:
                context.afterwards.do()
                self._note(work, PartialResult(outcome=ended_by(error)))
                raise
            context.afterwards.put(partial(self._conclude, work, conclude))
            sampler.mark()
            self._run.change(events=watching.events)
            if self._fault is not None:
                break
        self._run.sink.measured()
        context.afterwards.do()
        if self._fault is None:
            self._run.change(outcome=Outcome.SUCCEEDED)
        else:
            self._run.change(outcome=Outcome.FAILED, error=self._fault)

    def _history_answers(self) -> bool:
        try:
            self._target.web.get_json(f"{self._target.conf.history().url}/ws/v1/history/info")
        except ServiceError as error:
            self._run.warn("no-history-server", f"the job history server cannot be queried: {error}")
            return False
        return True

    def _conclude(self, work: HadoopWork[Workload], conclude: Conclusion) -> None:
        """Record a workload's result; without a result it has failed."""
        try:
            fields: PartialResult = {"outcome": Outcome.SUCCEEDED, **conclude()}
        except (HowdahError, OSError) as error:
            self._fault = str(error)
            fields = PartialResult(outcome=Outcome.FAILED)
        except BaseException as error:
            self._note(work, PartialResult(outcome=ended_by(error)))
            raise
        # Outside of the try, so that an interrupt here does not record it twice.
        self._note(work, fields)

    def _note(self, work: HadoopWork[Workload], fields: PartialResult) -> None:
        result = WorkloadResult.model_validate({**work.fields(), **fields})
        self._run.add(result)
        if result.outcome is not Outcome.SUCCEEDED and self._fault is None:
            self._fault = fault_of(result)

    def _release(self, workspace: HdfsWorkspace) -> None:
        """Clean up; the next run removes what remains."""
        try:
            workspace.release()
        except ServiceError as error:
            self._run.warn("data-left", f"{workspace.path} could not be removed: {error}")
        except KeyboardInterrupt:
            self._run.warn("data-left", f"the user stopped the run while {workspace.path} was being removed")

    def _warn_before(self, cluster: ClusterState, leftovers: Sequence[str]) -> None:
        if cluster.client_version != cluster.hadoop_version:
            self._run.warn(
                "client-version",
                f"the client's jars are Hadoop {cluster.client_version}, but HDFS runs "
                f"{cluster.hadoop_version}",
            )
        if self._target.lab is None:
            namenodes, managers = self._target.conf.namenodes(), self._target.conf.resource_managers()
            servers = [(address.url, address.url) for address in (*namenodes, *managers)]
            for warning in clocks_apart(self._target.web, servers):
                self._run.warn(warning.code, warning.text)
        for path in leftovers:
            self._run.warn("data-left", f"{path} belongs to another run, which may still be active")
