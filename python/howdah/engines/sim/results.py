"""A simulated workload as the record keeps it, with Hadoop's own counters."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from howdah.model.cluster import CounterValue, HadoopJob, ReplicaSpread
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


def hadoop_counters(workload: Workload, said: WorkloadOutcome, tasks: pa.Table) -> dict[str, CounterValue]:
    """The counters about bytes, rows and CPU time, and where maps ran: what the program has of them."""
    sorts = workload.kind is WorkloadKind.TERASORT
    read, written = said.counters.read_bytes, said.counters.written_bytes
    cpu = [round(1000 * _sum(tasks, kind, "cpu_s")) for kind in ("map", "reduce")]
    told = tasks.num_rows > 0
    where = said.locality
    return {
        "FileSystemCounter.HDFS_BYTES_READ": _value(read, 0),
        "FileSystemCounter.HDFS_BYTES_WRITTEN": _value(0, written) if sorts else _value(written, 0),
        **({"TaskCounter.CPU_MILLISECONDS": _value(*cpu)} if told else {}),
        **(_sorting(said, tasks) if sorts else {}),
        "JobCounter.TOTAL_LAUNCHED_MAPS": _of_job(said.maps),
        "JobCounter.TOTAL_LAUNCHED_REDUCES": _of_job(said.reduces),
        "JobCounter.DATA_LOCAL_MAPS": _of_job(where.worker),
        # To Hadoop another worker of the host is one of the rack.
        "JobCounter.RACK_LOCAL_MAPS": _of_job(where.host + where.rack),
        "JobCounter.OTHER_LOCAL_MAPS": _of_job(where.away),
    }


def _sorting(said: WorkloadOutcome, tasks: pa.Table) -> dict[str, CounterValue]:
    rows, stored = said.counters.input_rows, said.counters.shuffled_bytes
    # Where no tasks are told of, maps wrote their output once, as they do when their buffers hold it.
    by_maps = int(_sum(tasks, "map", "spilled_bytes")) if tasks.num_rows else stored
    by_reduces = max(0, said.counters.spilled_bytes - by_maps)
    return {
        "TaskCounter.MAP_INPUT_RECORDS": _value(rows, 0),
        "TaskCounter.MAP_OUTPUT_RECORDS": _value(rows, 0),
        "TaskCounter.MAP_OUTPUT_BYTES": _value(said.counters.read_bytes, 0),
        "TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES": _value(stored, 0),
        "TaskCounter.REDUCE_SHUFFLE_BYTES": _value(0, stored),
        "TaskCounter.REDUCE_INPUT_RECORDS": _value(0, rows),
        "TaskCounter.REDUCE_OUTPUT_RECORDS": _value(0, said.counters.output_rows),
        # Rows went through files as often as the bytes that they are in.
        "TaskCounter.SPILLED_RECORDS": _value(*(_share(rows, of, stored) for of in (by_maps, by_reduces))),
        "FileSystemCounter.FILE_BYTES_WRITTEN": _value(by_maps, by_reduces),
        # What maps spilled in parts they read back to merge it; reduces read all that they spilled.
        "FileSystemCounter.FILE_BYTES_READ": _value(max(0, by_maps - stored), by_reduces),
    }


def _share(rows: int, part: int, whole: int) -> int:
    return round(rows * part / whole) if whole else 0


def _value(maps: int, reduces: int) -> CounterValue:
    return CounterValue(map=maps, reduce=reduces, total=maps + reduces)


def _of_job(total: int) -> CounterValue:
    return CounterValue(map=0, reduce=0, total=total)


def _sum(tasks: pa.Table, kind: str, column: str) -> float:
    of_kind = tasks.filter(pc.equal(tasks.column("kind"), pa.scalar(kind)))
    return float(pc.sum(of_kind.column(column)).as_py() or 0)


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
