"""The engine of a real Hadoop: its released programs, on a user's cluster or in a lab."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pkgutil import resolve_name

from howdah.engines.base import (
    PartialResult,
    RunClock,
    RunUnderWay,
    begun_run,
    clock_was_set,
    clocks_apart,
    ended_by,
    fault_of,
    judged,
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
from howdah.engines.hadoop.target import HadoopContext, HadoopTarget
from howdah.engines.hadoop.work import Conclusion, HadoopWork
from howdah.errors import HowdahError, UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.model.cluster import ClusterState
from howdah.model.engines import HADOOP
from howdah.model.plan import Role
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.tables import Job, SampleSink
from howdah.model.workloads.base import Workload
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager
from howdah.telemetry.sampler import Sampler

_WORKERS_EVERY_S = 5.0
_MASTERS_EVERY_S = 1.0  # A standby takes over within seconds, and masters are few.
_FAILOVER_S = 60.0  # How long HDFS may have no active NameNode: Hadoop's own clients wait, too.


class HadoopEngine:
    """Runs a job's suite on a cluster; see ``howdah.engines.base.Engine``."""

    name = HADOOP

    def __init__(self, target: HadoopTarget) -> None:
        self._target = target
        self.version = target.installation.version  # That of the client's jars; the record has the cluster's.

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job; raise UserError before anything is written if it cannot start."""
        target, clock = self._target, RunClock()
        namenode, manager = NameNode(target.web, target.conf), ResourceManager(target.web, target.conf)
        patient_namenode = NameNode(target.web, target.conf, patience_s=_FAILOVER_S)
        run = begun_run(job, sink, clock, HADOOP, self.version)
        try:
            cluster = check_ready(job, target, namenode, manager)
            leftovers = clear_leftovers(target, namenode, manager)
            check_replicas(namenode, job.suite)
            check_room(namenode, target, job.suite)
            policy = enable_coding(namenode, job.suite)
            workspace = HdfsWorkspace(
                patient_namenode, target.work_dir, job.run_id, keep=job.keep_data, policy=policy
            )
            workspace.claim()
        except ServiceError as error:
            raise UserError(error.where, error.what, error.hint) from error
        context = HadoopContext(
            job, target, patient_namenode, manager, workspace, clock, sink, run.warn, ExitStack()
        )
        try:
            run.change(cluster=cluster)
            _warn_before(run, target, cluster, leftovers)
            machines = target.machines(job.plan)
            workers, masters = MachineWatch(target, machines, clock), MastersWatch(target, machines, clock)
            watching = Watching({workers: _WORKERS_EVERY_S, masters: _MASTERS_EVERY_S})
            watching.start()
            try:
                interval_s, follow = job.sample_interval_s, target.follow
                with (
                    run.sampled(target.sources, clock, interval_s=interval_s, follow=follow) as sampler,
                    run.ending((HowdahError, OSError)),
                ):
                    _work(context, run, sampler, watching)
                for warning in clock_was_set(clock):
                    run.warn(warning.code, warning.text)
            finally:
                watching.stop()
                run.change(events=watching.events)
        finally:
            # The next run removes what remains.
            with run.removing(workspace.path):
                workspace.release()
        return run.record


def _work(context: HadoopContext, run: RunUnderWay, sampler: Sampler, watching: Watching) -> None:
    target = context.target
    faults: list[str] = []
    try:
        target.web.get_json(target.conf.history().url + DAEMONS[Role.JOB_HISTORY].page.path)
    except ServiceError as error:
        run.warn("no-history-server", f"the job history server cannot be queried: {error}")
        context.history = False

    def note(work: HadoopWork[Workload], fields: PartialResult) -> None:
        result = WorkloadResult.model_validate({**work.fields(), **fields})
        run.add(result)
        if result.outcome is not Outcome.SUCCEEDED:
            faults.append(fault_of(result))

    def conclude(work: HadoopWork[Workload], conclusion: Conclusion) -> None:
        """Record a workload's result; without a result it has failed."""
        try:
            fields = judged(conclusion())
        except (HowdahError, OSError) as error:
            faults.append(str(error))
            fields = PartialResult(outcome=Outcome.FAILED)
        except BaseException as error:
            note(work, PartialResult(outcome=ended_by(error)))
            raise
        # Outside of the try, so that an interrupt here does not record it twice.
        note(work, fields)

    for workload in context.job.suite.workloads:
        # Samples at both ends of a workload make its share of every counter exact.
        sampler.mark()
        work = HadoopWork(context, workload)
        try:
            conclusion: Conclusion = resolve_name(work.workload.programs[HADOOP])(work)
        except BaseException as error:
            context.afterwards.close()
            note(work, PartialResult(outcome=ended_by(error)))
            raise
        context.afterwards.close()
        context.afterwards.callback(conclude, work, conclusion)
        sampler.mark()
        run.change(events=watching.events)
        if faults:
            break
    run.sink.measured()
    context.afterwards.close()
    run.change(outcome=Outcome.FAILED if faults else Outcome.SUCCEEDED, error=faults[0] if faults else None)


def _warn_before(
    run: RunUnderWay, target: HadoopTarget, cluster: ClusterState, leftovers: Sequence[str]
) -> None:
    if cluster.client_version != cluster.hadoop_version:
        versions = f"Hadoop {cluster.client_version}, but HDFS runs {cluster.hadoop_version}"
        run.warn("client-version", f"the client's jars are {versions}")
    if target.lab is None:
        addresses = (*target.conf.namenodes(), *target.conf.resource_managers())
        for warning in clocks_apart(target.web, [(address.url, address.url) for address in addresses]):
            run.warn(warning.code, warning.text)
    for path in leftovers:
        run.warn("data-left", f"{path} belongs to another run, which may still be active")
