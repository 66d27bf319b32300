"""The engine that simulates: a planned cluster's run, computed in seconds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import howdah
from howdah import _native
from howdah.engines.base import RunUnderWay, begun_record, job_digests
from howdah.engines.local.engine import in_words
from howdah.engines.sim.results import (
    NS_PER_S,
    bands_of,
    detail_of,
    histograms,
    request_result,
    workload_result,
)
from howdah.model.cluster import ClusterState
from howdah.model.plan import ClusterPlan, cluster_plan, planned_text
from howdah.model.reported import Counters, FileRate, Simulated
from howdah.model.run import Origin, Outcome, RunRecord, RunWarning
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA, Job, Progress, SampleSink
from howdah.model.workloads.base import Moved, Workload
from howdah.model.workloads.dfsio import DfsioFiles
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, TeraRows
from howdah.simulation.calibrations import saturation_warnings, within_range
from howdah.simulation.hosts import SimulatedHosts
from howdah.simulation.outcome import Summary
from howdah.simulation.replications import Done, Simulations
from howdah.simulation.translate import Translated, capacity_bytes, translate

Columns = Mapping[str, NDArray[Any]]  # Equally long, described in `crates/howdah-sim/src/outcome.rs`.
_TYPES = {
    **dict.fromkeys(("workload", "kind", "attempt", "locality", "state", "metric"), "<u1"),
    **dict.fromkeys(("task", "host", "worker", "slot"), "<u4"),
    **dict.fromkeys(("input_bytes", "output_bytes", "spilled_bytes", "shuffled_bytes"), "<u8"),
    **dict.fromkeys(("start_ns", "end_ns", "io_ns", "shuffle_end_ns", "merge_end_ns", "time_ns"), "<i8"),
    **dict.fromkeys(("cpu_s", "value"), "<f8"),
}
"""The type of every column that the simulator may hand over."""
_KINDS = ("map", "reduce")
_LOCALITIES = ("local", "host", "rack", "remote")
_STATES = ("succeeded", "failed", "killed")


def columns_of(handed: Mapping[str, bytes]) -> Columns:
    """The simulator's columns as arrays; nothing is copied."""
    return {name: np.frombuffer(content, _TYPES[name]) for name, content in handed.items()}


def words(numbers: NDArray[Any], names: Sequence[str]) -> pa.Array[Any]:
    """The name for each number."""
    dictionary = pa.array(names, pa.string())
    return pa.DictionaryArray.from_arrays(numbers.astype(np.int32), dictionary).dictionary_decode()


def some_seconds(nanoseconds: NDArray[np.int64]) -> pa.Array[Any]:
    """Times in seconds; a negative one is none."""
    return pa.array(nanoseconds / NS_PER_S, mask=nanoseconds < 0)


def task_tables(columns: Columns, suite: Suite, machines: SimulatedHosts) -> tuple[pa.Table, ...]:
    """The attempts of every workload, in the order they began."""
    order = np.lexsort((columns["attempt"], columns["task"], columns["kind"], columns["start_ns"]))
    columns = {name: column[order] for name, column in columns.items()}
    reduces = columns["kind"] == _KINDS.index("reduce")
    # Programs over rows derive their rows from bytes.
    moved = [
        (workload.moved(Counters()) if isinstance(workload, TeraRows) else None) or Moved(0, 0)
        for workload in suite.workloads
    ]
    reading = np.array([total.read > 0 for total in moved])[columns["workload"]]
    writing = np.array([total.write > 0 for total in moved])[columns["workload"]]
    rows_out = columns["output_bytes"] // ROW_BYTES
    # A reduce reads as many rows as it writes; its fetched bytes may be compressed.
    rows_in = np.where(reduces, rows_out, columns["input_bytes"] // ROW_BYTES)
    arrays = {name: pa.array(column) for name, column in columns.items()} | {
        "workload": words(columns["workload"], [workload.kind for workload in suite.workloads]),
        "kind": words(columns["kind"], _KINDS),
        "host": words(columns["host"], machines.hosts),
        "worker": words(columns["worker"], machines.workers),
        "start_s": pa.array(columns["start_ns"] / NS_PER_S),
        "end_s": pa.array(columns["end_ns"] / NS_PER_S),
        "input_rows": pa.array(np.where(reading, rows_in, 0)),
        "output_rows": pa.array(np.where(writing, rows_out, 0)),
        "locality": words(np.where(reduces, len(_LOCALITIES), columns["locality"]), (*_LOCALITIES, "")),
        "state": words(columns["state"], _STATES),
        "shuffle_end_s": some_seconds(columns["shuffle_end_ns"]),
        "merge_end_s": some_seconds(columns["merge_end_ns"]),
        "shuffled_bytes": pa.array(columns["shuffled_bytes"], mask=~reduces),
        **dict.fromkeys(("gc_s", "error", "job", "executor", "fetch_wait_s"), pa.nulls(len(reduces))),
    }
    ordered = [arrays[field.name].cast(field.type) for field in TASKS_SCHEMA]
    whole = pa.Table.from_arrays(ordered, schema=TASKS_SCHEMA)
    numbers = range(len(suite.workloads))
    return tuple(whole.filter(pa.array(columns["workload"] == number)) for number in numbers)


def sample_tables(columns: Columns, machines: SimulatedHosts, ends_ns: Sequence[int]) -> tuple[pa.Table, ...]:
    """Samples until each workload's end, the rest in the last; disks are ``data``, ports ``net``."""
    metrics = _native.Simulation.sample_metrics()
    times_ns = columns["time_ns"]
    order = np.argsort(times_ns, kind="stable")
    cuts = [int(np.searchsorted(times_ns[order], end_ns, side="right")) for end_ns in ends_ns[:-1]]
    times_s, values = pa.array(times_ns[order] / NS_PER_S), pa.array(columns["value"][order])
    hosts, names = words(columns["host"][order], machines.hosts), words(columns["metric"][order], metrics)
    whole = pa.Table.from_arrays([times_s, hosts, names, values], schema=SAMPLES_SCHEMA)
    edges = [0, *cuts, len(times_ns)]
    return tuple(whole.slice(start, end - start) for start, end in pairwise(edges))


def file_rates(number: int, workload: Workload, tasks: Columns) -> tuple[FileRate, ...]:
    """A file for each map of a TestDFSIO program; its clock omits the JVM's start and the commit."""
    if not isinstance(workload, DfsioFiles):
        return ()
    operation: Literal["write", "read"] = "read" if workload.reads else "write"
    mine = np.flatnonzero((tasks["workload"] == number) & (tasks["kind"] == 0))
    mine = mine[np.argsort(tasks["task"][mine], kind="stable")]
    sizes = np.maximum(tasks["input_bytes"], tasks["output_bytes"])[mine]
    rows = zip(tasks["task"][mine].tolist(), sizes.tolist(), tasks["io_ns"][mine] / NS_PER_S, strict=True)
    return tuple(
        FileRate(path=f"/dfsio/test_io_{task}", bytes=size, io_s=float(io_s), operation=operation)
        for task, size, io_s in rows
    )


NAME = "sim"
OF_THE_OCCASION = frozenset({"id", "created", "pid", "command", "host"})
"""When, where and how a record was made; in all other fields the same input gives the same bytes."""
_SEEDS = 2**32
_PARTS = 1000  # What a simulation's progress is counted in.
_UNCALIBRATED = RunWarning(
    code="uncalibrated",
    text="the simulator uses default parameters, not fitted to measurements, so times may be far off;  "
    "`howdah calibrate` fits them to runs or to published tables",
)


def planned_state(plan: ClusterPlan, translated: Translated) -> ClusterState:
    """The cluster as it is before anything runs on it."""
    request, capacity = plan.cluster.request, capacity_bytes(translated.scenario.hosts)
    return ClusterState(
        hadoop_version=request.hadoop,
        client_version=request.hadoop,
        default_fs=planned_text(plan, "fs.defaultFS"),
        work_dir="/",
        secure=request.secure,
        free_bytes=capacity,
        capacity_bytes=capacity,
        datanodes=translated.machines.workers,
        nodemanagers=translated.machines.workers,
        queue="default",
    )


def simulated_record(job: Job, digests: Mapping[str, str] = {}) -> RunRecord:
    """Return the record of a simulation that begins now, with further digests."""
    return begun_record(
        job,
        engine=NAME,
        version=howdah.__version__,
        created=datetime.now(UTC),
        digests={**job_digests(job), **digests},
        origin=Origin.SIMULATED,
    )


class SimTarget(NamedTuple):
    """The simulator's parameters, their source, and the number of simulations."""

    parameters: Mapping[str, float]  # What is known of them; the others have their defaults.
    calibration: str | None = None
    calibration_digest: str | None = None
    replications: int = 1
    warnings: tuple[RunWarning, ...] = ()
    draws: tuple[Mapping[str, float], ...] = ()  # Each further simulation's parameters if they are uncertain.


class SimEngine:
    """Simulates a job's suite on its plan; see ``howdah.engines.base.Engine``."""

    name = NAME
    version = howdah.__version__

    def __init__(self, target: SimTarget) -> None:
        self.target = target

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Simulate the job; raise UserError before anything is written if the plan cannot run it."""
        plan = cluster_plan(job.plan, "plan")
        translated = translate(plan, job.suite, self.target.parameters, seed=job.seed)
        written, warnings = detail_of(translated.scenario, job.sample_interval_s)
        translated = translated._replace(
            scenario=translated.scenario.model_copy(update={"record": written}),
            warnings=(*translated.warnings, *warnings),
        )
        scenarios = [translated.scenario]
        # The same with other seeds and, where they are not sure, other parameters; for their summaries.
        for number in range(1, self.target.replications):
            drawn = self.target.draws[number - 1] if self.target.draws else self.target.parameters
            seed = (job.seed + number) % _SEEDS
            scenarios.append(translate(plan, job.suite, within_range(drawn), seed=seed).scenario)
        # The first simulation begins here, so that what the simulator refuses leaves no record.
        simulations = Simulations(scenarios)
        run = self._begun(job, sink, translated)
        # An interrupt before the record has begun leaves none.
        run.change()
        began_s = time.monotonic()

        def progress(done: Done) -> None:
            parts, elapsed_s = round(_PARTS * done.share), time.monotonic() - began_s
            sink.progress(Progress("simulation", done.workload, parts, _PARTS, "share", elapsed_s))

        with run.ending((_native.InputError, MemoryError, RuntimeError), in_words):
            done = simulations.follow(progress)
            sink.measured()
            _report(run, translated, done)
        return run.record

    def _begun(self, job: Job, sink: SampleSink, translated: Translated) -> RunUnderWay:
        target, digest = self.target, self.target.calibration_digest
        record = simulated_record(job, {} if digest is None else {"calibration": digest})
        fields = {
            "warnings": (
                *(target.warnings if target.calibration else (_UNCALIBRATED,)),
                *translated.warnings,
            ),
            "cluster": planned_state(cluster_plan(job.plan, "plan"), translated),
            "simulated": Simulated(
                calibration=target.calibration,
                parameters=dict(target.parameters),
                replications=target.replications,
            ),
        }
        return RunUnderWay(record.model_copy(update=fields), sink)


def _report(run: RunUnderWay, translated: Translated, done: Sequence[_native.Simulation]) -> None:
    """Report the outcome, workload by workload."""
    summaries = [Summary.model_validate_json(simulation.summary()) for simulation in done]
    summary, machines, suite = summaries[0], translated.machines, run.record.suite
    columns = columns_of(done[0].tasks())
    tasks = task_tables(columns, suite, machines)
    ends_ns = [workload.end_ns for workload in summary.workloads]
    samples = sample_tables(columns_of(done[0].samples()), machines, ends_ns)
    for warning in saturation_warnings(summary):
        run.warn(warning.code, warning.text)
    kinds = [outcome.kind for outcome in summary.workloads]
    bands = bands_of(kinds, [repeat.workloads for repeat in summaries])
    assert run.record.simulated is not None
    changes = {"bands": bands, "activities": summary.activities}
    simulated = run.record.simulated.model_copy(update=changes)
    for number, workload in enumerate(suite.workloads):
        run.sink.task_table(tasks[number])
        run.sink.sample_table(samples[number])
        outcome = summary.workloads[number]
        if outcome.asked is None:
            result = workload_result(number, workload, outcome, tasks[number], translated)
            result = result.model_copy(update={"files": file_rates(number, workload, columns)})
        else:
            timed = histograms(workload, outcome, outcome.asked)
            run.sink.latencies(timed)
            result = request_result(workload, outcome, outcome.asked, timed)
        workloads = (*run.record.workloads, result)
        run.change(workloads=workloads, elapsed_s=result.end_s, simulated=simulated)
    run.change(outcome=Outcome.SUCCEEDED)
