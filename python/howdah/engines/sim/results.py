"""A simulated workload as the record keeps it."""

from __future__ import annotations

import pyarrow as pa

from howdah.engines.sim.counters import hadoop_counters
from howdah.model.cluster import HadoopJob, ReplicaSpread
from howdah.model.run import Counters, Outcome, Phase, WorkloadResult
from howdah.model.simulated import PhaseUse, WorkUse
from howdah.model.workload import Workload, WorkloadKind
from howdah.simulation.outcome import PhaseOutcome, WorkloadOutcome
from howdah.simulation.translate import Translated

_NS_PER_S = 1e9
_DIRECTORIES = {
    WorkloadKind.TERAGEN: "/terasort-input",
    WorkloadKind.TERASORT: "/terasort-output",
    WorkloadKind.DFSIO_WRITE: "/dfsio",
}
"""Where a program's blocks would lie in HDFS."""


def workload_result(
    number: int, workload: Workload, said: WorkloadOutcome, tasks: pa.Table, translated: Translated
) -> WorkloadResult:
    """One workload of the suite, the ``number``-th from 0, without the files of its own."""
    scenario = translated.scenario
    replication = scenario.workloads[number].replication or scenario.hdfs.replication
    conf = {"dfs.blocksize": str(scenario.hdfs.block_bytes), "dfs.replication": str(replication)}
    return WorkloadResult(
        workload=workload.model_copy(update={"maps": said.maps, "reduces": said.reduces or None}),
        start_s=said.start_ns / _NS_PER_S,
        end_s=said.end_ns / _NS_PER_S,
        outcome=Outcome.SUCCEEDED,
        phases=tuple(
            Phase(name=one.name, start_s=one.start_ns / _NS_PER_S, end_s=one.end_ns / _NS_PER_S)
            for one in said.phases
        ),
        counters=Counters.model_validate(said.counters.model_dump(exclude={"shuffled_bytes"})),
        job=HadoopJob(
            id=f"job_simulated_{number + 1:04d}",
            name=workload.kind.value,
            queue="default",
            told_by="simulator",
            submitted_s=said.start_ns / _NS_PER_S,
            counters=hadoop_counters(workload, said, tasks),
            conf=conf,
        ),
        replicas=_replicas(workload, said, translated.machines.workers, replication),
        used=WorkUse(
            remote_read_bytes=said.remote_read_bytes, phases=tuple(_use(phase) for phase in said.phases)
        ),
    )


def _use(phase: PhaseOutcome) -> PhaseUse:
    used = phase.model_dump(exclude={"name", "start_ns", "end_ns"})
    return PhaseUse.model_validate({"phase": phase.name, **used})


def _replicas(
    workload: Workload, said: WorkloadOutcome, workers: tuple[str, ...], replication: int
) -> ReplicaSpread | None:
    if not said.replicas:
        return None
    replicas = sum(said.replicas)
    return ReplicaSpread(
        path=_DIRECTORIES[workload.kind],
        blocks=replicas // replication,
        replicas=replicas,
        bytes=said.counters.written_bytes,
        per_worker=dict(zip(workers, said.replicas, strict=True)),
        sharing_host=said.sharing_host,
        under_replicated=0,
        missing=0,
    )
