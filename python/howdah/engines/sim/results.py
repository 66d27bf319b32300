"""A simulated workload as the record keeps it: Hadoop's counters, bands, and how much is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.model.cluster import CounterValue, HadoopJob, ReplicaSpread
from howdah.model.reported import (
    Band,
    Counters,
    LatencyHistogram,
    OperationCount,
    PhaseUse,
    WorkUse,
    encoded_counts,
)
from howdah.model.run import Outcome, Phase, RunWarning, WorkloadResult
from howdah.model.workloads.base import Workload
from howdah.model.workloads.terasort import ROW_BYTES
from howdah.model.workloads.ycsb import results
from howdah.simulation.local_engine import Ran
from howdah.simulation.outcome import AskedOutcome, Timed, WorkloadOutcome
from howdah.simulation.scenario import Scenario, Written
from howdah.simulation.translate import Translated, needed_bytes
from howdah.units import format_count_short

NS_PER_S = 1e9

_MOST_TASKS = 500_000  # Number of attempts that the analysis can keep in memory: some 500 MB.
_INTERVALS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
_MOST_VALUES = 600_000  # Samples that analysis reads in a second or two.
_VALUES_PER_HOST = 6
_START_S = 10.0  # A job's start and end, however small it is.
_OVER_DISKS = 3.0  # How much longer a suite takes than its disks would at their outer zones' rate.
_INTERVAL = (0.05, 0.5, 0.95)


def hadoop_counters(workload: Workload, outcome: WorkloadOutcome, tasks: pa.Table) -> dict[str, CounterValue]:
    """The counters about bytes, rows and CPU time, and where maps ran: what the program has of them."""
    counted, where, written = outcome.counters, outcome.locality, outcome.counters.written_bytes
    of_tasks = {
        "FileSystemCounter.HDFS_BYTES_READ": (counted.read_bytes, 0),
        "FileSystemCounter.HDFS_BYTES_WRITTEN": (0, written) if workload.shuffles else (written, 0),
    }
    if tasks.num_rows > 0:
        cpu_s = _sum(tasks, "map", "cpu_s"), _sum(tasks, "reduce", "cpu_s")
        of_tasks["TaskCounter.CPU_MILLISECONDS"] = (round(1000 * cpu_s[0]), round(1000 * cpu_s[1]))
    if workload.shuffles:
        of_tasks |= _sorting(outcome, tasks)
    of_job = {
        "JobCounter.TOTAL_LAUNCHED_MAPS": outcome.maps,
        "JobCounter.TOTAL_LAUNCHED_REDUCES": outcome.reduces,
        "JobCounter.DATA_LOCAL_MAPS": where.worker,
        # Hadoop counts another worker of the host as one of the rack.
        "JobCounter.RACK_LOCAL_MAPS": where.host + where.rack,
        "JobCounter.OTHER_LOCAL_MAPS": where.away,
    }
    rows = [(name, maps, reduces, maps + reduces) for name, (maps, reduces) in of_tasks.items()]
    rows += [(name, 0, 0, total) for name, total in of_job.items()]
    return {name: CounterValue(map=maps, reduce=reduces, total=total) for name, maps, reduces, total in rows}


def _sorting(outcome: WorkloadOutcome, tasks: pa.Table) -> dict[str, tuple[int, int]]:
    rows, stored = outcome.counters.input_rows, outcome.counters.shuffled_bytes
    # Without tasks, maps are assumed to write their output once, as if their buffers were large enough.
    by_maps = int(_sum(tasks, "map", "spilled_bytes")) if tasks.num_rows else stored
    by_reduces = max(0, outcome.counters.spilled_bytes - by_maps)
    # Rows were spilled as often as their bytes.
    spilled = (round(rows * by_maps / stored), round(rows * by_reduces / stored)) if stored else (0, 0)
    return {
        "TaskCounter.MAP_INPUT_RECORDS": (rows, 0),
        "TaskCounter.MAP_OUTPUT_RECORDS": (rows, 0),
        "TaskCounter.MAP_OUTPUT_BYTES": (outcome.counters.read_bytes, 0),
        "TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES": (stored, 0),
        "TaskCounter.REDUCE_SHUFFLE_BYTES": (0, stored),
        "TaskCounter.REDUCE_INPUT_RECORDS": (0, rows),
        "TaskCounter.REDUCE_OUTPUT_RECORDS": (0, outcome.counters.output_rows),
        "TaskCounter.SPILLED_RECORDS": spilled,
        "FileSystemCounter.FILE_BYTES_WRITTEN": (by_maps, by_reduces),
        # Maps read only their partial spills again, to merge them; reduces read all spills.
        "FileSystemCounter.FILE_BYTES_READ": (max(0, by_maps - stored), by_reduces),
    }


def _sum(tasks: pa.Table, kind: str, column: str) -> float:
    of_kind = tasks.filter(pc.equal(tasks.column("kind"), pa.scalar(kind)))
    return float(pc.sum(of_kind.column(column)).as_py() or 0)


def workload_result(
    number: int, workload: Workload, outcome: WorkloadOutcome, tasks: pa.Table, translated: Translated
) -> WorkloadResult:
    """One workload of the suite, the ``number``-th from 0, without the files of its own."""
    scenario = translated.scenario
    replication = scenario.workloads[number].replication or scenario.hdfs.replication
    conf = {"dfs.blocksize": str(scenario.hdfs.block_bytes), "dfs.replication": str(replication)}
    # The workload has its actual numbers of tasks, if its program has such options.
    tasks_run = {"maps": outcome.maps, "reduces": outcome.reduces or None}
    options = type(workload).model_fields
    actual = {name: number for name, number in tasks_run.items() if name in options}
    replicas = None
    if outcome.replicas:
        count = sum(outcome.replicas)
        replicas = ReplicaSpread(
            path=f"/{workload.folder}",
            blocks=count // replication,
            replicas=count,
            bytes=outcome.counters.written_bytes,
            per_worker=dict(zip(translated.machines.workers, outcome.replicas, strict=True)),
            sharing_host=outcome.sharing_host,
            under_replicated=0,
            missing=0,
        )
    return simulated_result(
        workload.model_copy(update=actual),
        outcome,
        counters=Counters.model_validate(outcome.counters.model_dump(exclude={"shuffled_bytes"})),
        job=HadoopJob(
            id=f"job_simulated_{number + 1:04d}",
            name=workload.kind,
            queue="default",
            told_by="simulator",
            submitted_s=outcome.start_ns / NS_PER_S,
            counters=hadoop_counters(workload, outcome, tasks),
            conf=conf,
        ),
        replicas=replicas,
        used=WorkUse(remote_read_bytes=outcome.remote_read_bytes, phases=tuple(_uses(outcome))),
    )


def _uses(outcome: WorkloadOutcome) -> Iterator[PhaseUse]:
    for phase in outcome.phases:
        used = phase.model_dump(exclude={"name", "start_ns", "end_ns"})
        yield PhaseUse.model_validate({"phase": phase.name, **used})


def detail_of(scenario: Scenario, sample_interval_s: float) -> tuple[Written, tuple[RunWarning, ...]]:
    """Write samples, and every task attempt unless there are too many, which causes a warning."""
    tasks = 0
    for program in scenario.workloads:
        # By default there is a map for each block.
        blocks = (program.rows or 0) * ROW_BYTES // scenario.hdfs.block_bytes + 1
        tasks += (program.maps or program.files or blocks) + (program.reduces or 0)
    if tasks <= _MOST_TASKS:
        return Written(tasks=True, sample_interval_s=sample_interval_s), ()
    text = (
        f"{format_count_short(tasks)} tasks are too many to list in a report "
        f"({format_count_short(_MOST_TASKS)}): the record has their phases, counters and samples"
    )
    warning = RunWarning(code="tasks-untold", text=text)
    return Written(tasks=False, sample_interval_s=sample_interval_s), (warning,)


def simulated_interval_s(scenario: Scenario) -> float:
    """Seconds between samples, so that a record holds about half a million values at most."""
    hosts = sum(group.count for group in scenario.hosts)
    groups = ((group.count, disks) for group in scenario.hosts for disks in group.disks)
    rate = sum(count * disks.count * disks.outer_bytes_per_s for count, disks in groups)
    expected_s = _START_S * len(scenario.workloads) + _OVER_DISKS * needed_bytes(scenario) / rate
    wanted_s = expected_s * hosts * _VALUES_PER_HOST / _MOST_VALUES
    return next((interval_s for interval_s in _INTERVALS_S if interval_s >= wanted_s), _INTERVALS_S[-1])


def bands_of(kinds: Iterable[str], runs: Sequence[Sequence[WorkloadOutcome | Ran]]) -> tuple[Band, ...]:
    """One band for every workload and one for each of its phases over several simulations; none of one."""
    bands = []
    for kind, *repeats in zip(kinds, *runs, strict=True) if len(runs) > 1 else ():
        bands.append(_band(kind, None, repeats))
        for phases in zip(*(outcome.phases for outcome in repeats), strict=True):
            bands.append(_band(kind, phases[0].name, phases))
    return tuple(bands)


def _band(workload: str, phase: str | None, repeats: Sequence[Any]) -> Band:
    elapsed_s = np.array([outcome.end_ns - outcome.start_ns for outcome in repeats]) / NS_PER_S
    low, median, high = np.quantile(elapsed_s, _INTERVAL)
    return Band(workload=workload, phase=phase, low_s=float(low), median_s=float(median), high_s=float(high))


def simulated_result(workload: Workload, outcome: WorkloadOutcome | Ran, **fields: Any) -> WorkloadResult:
    """A workload's result with the times of its simulation."""

    def times(part: Timed) -> dict[str, Any]:
        return {"start_s": part.start_ns / NS_PER_S, "end_s": part.end_ns / NS_PER_S}

    phases = tuple(Phase(name=phase.name, **times(phase)) for phase in outcome.phases)
    fields |= {"workload": workload, "outcome": Outcome.SUCCEEDED, "phases": phases}
    return WorkloadResult(**times(outcome), **fields)


CLIENTS = "clients"  # The machine of all histograms: the simulator does not distinguish clients.
_INTENDED = ", intended"


def histograms(
    workload: Workload, outcome: WorkloadOutcome, requests: AskedOutcome
) -> list[LatencyHistogram]:
    """The operations that were simulated, second by second: a part of a long run's."""
    start_s = outcome.start_ns / NS_PER_S
    return [
        LatencyHistogram(
            workload=workload.kind,
            operation=times.operation,
            host=CLIENTS,
            peer=None,
            start_s=start_s + interval.start_s,
            end_s=start_s + interval.end_s,
            operations=sum(times.counts),
            histogram=encoded_counts(zip(times.microseconds, times.counts, strict=True)),
        )
        for interval in requests.intervals
        for times in interval.latencies
    ]


def request_result(
    workload: Workload, outcome: WorkloadOutcome, requests: AskedOutcome, timed: Sequence[LatencyHistogram]
) -> WorkloadResult:
    """A program of YCSB's as it ran; ``timed`` stand for all of its operations."""
    operations = workload.asked.number if workload.asked else 0
    share = operations / requests.simulated
    return simulated_result(
        workload,
        outcome,
        operations=tuple(
            OperationCount(operation=times.operation, done=round(share * sum(times.counts)))
            for times in requests.latencies
            if not times.operation.endswith(_INTENDED)
        ),
        metrics=results(operations, outcome.end_ns / NS_PER_S - outcome.start_ns / NS_PER_S, timed),
        used=WorkUse(
            remote_read_bytes=0.0,
            phases=tuple(_uses(outcome)),
            in_memory=requests.in_memory,
            stations=requests.stations,
        ),
    )
