"""What a run took, measure by measure: times, resources, tasks, and the parts of a job.

Phases of different programs have nothing in common. Every job starts, runs tasks and ends, and the processes
that it starts and the containers that it uses can be counted, for MapReduce and Spark in the same way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import pyarrow.compute as pc

from howdah.analysis.comparing.statistics import LoadLine, load_line
from howdah.analysis.evidence.times import TaskSpread, WorkloadTime
from howdah.analysis.evidence.use import OthersUse, StretchUse
from howdah.analysis.machines import Timeline, counted, data_disks, machines_of
from howdah.analysis.masters import journal_loads, master_loads
from howdah.analysis.operation_steps import fault_stalls
from howdah.analysis.other_processes import others_uses
from howdah.analysis.phases import attempts_of, by_job, master_of, tasks_of
from howdah.analysis.uneven_tasks import spreads
from howdah.analysis.use import uses
from howdah.model.comparison import Measure, Reading
from howdah.model.placement import stretches
from howdah.model.reported import Unit, WorkUse
from howdah.model.run import RunRecord
from howdah.model.tables import RunData

NO_ANSWER = "no answer to "  # Begins the measure of a probed operation: its longest time unanswered.
JOURNAL_RATE = "to each JournalNode, per second"
JOURNAL_PER_BLOCK = "to each JournalNode, per block"


def unanswered_readings(record: RunRecord, times: tuple[WorkloadTime, ...]) -> Iterator[Reading]:
    """The longest time without an answer to each kind of operation, of the workload that was hit first.

    None of a run that nothing was probed in, or not before its first fault; 0 where all was answered within a
    second. Where faults were done, what did not begin with one of them is none of theirs.
    """
    stalls = [fault.stall for fault in fault_stalls(record) if fault.stall is not None]
    begun = [fault.begun_s for fault in record.faults if fault.begun_s is not None]
    hit = [time for time in times if begun and time.start_s <= min(begun) <= time.end_s]
    longest: dict[str, float] = {}
    for probe in record.probes:
        if begun and probe.start_s > min(begun):
            continue
        mine = [
            outage.elapsed_s
            for outage in probe.outages
            if not begun or any(stall.start_s <= outage.start_s <= stall.end_s for stall in stalls)
        ]
        longest[probe.operation] = max([longest.get(probe.operation, 0.0), *mine])
    for time in (hit or list(times))[:1]:
        for operation, seconds in longest.items():
            yield resource(time.workload, None, f"{NO_ANSWER}{operation}", seconds, "s")


def journal_readings(timeline: Timeline, time: WorkloadTime) -> Iterator[Reading]:
    """What went to each JournalNode, of a run on two NameNodes whose daemons were sampled."""
    for load in journal_loads(timeline, (time,)):
        yield resource(time.workload, None, JOURNAL_RATE, load.bytes_per_s, "B/s")
        if load.bytes_per_block is not None:
            yield resource(time.workload, None, JOURNAL_PER_BLOCK, load.bytes_per_block)


_CALLS, _CPU = "namenode/calls", "jvm/namenode/cpu_s"
_WINDOW_S = 5.0  # Daemons are queried every second or two, and not all at the same moment.


class CallCost(NamedTuple):
    """The calls of one workload to the NameNode that answered most, and what each took."""

    calls: float
    line: LoadLine | None  # Share of a core over calls a second; None in a short workload.


def call_cost(timeline: Timeline, time: WorkloadTime) -> CallCost | None:
    """None where no NameNode was asked for its calls and its processor time."""
    answered = timeline.grown(_CALLS, time.start_s, time.end_s)
    if not answered:
        return None
    host = max(answered, key=answered.__getitem__)
    calls, cpu = timeline.track(host, _CALLS), timeline.track(host, _CPU)
    if calls is None or cpu is None:
        return None
    edges = np.arange(time.start_s, time.end_s + 1e-9, _WINDOW_S)
    rates, busy = (np.diff(track.at(edges)) / _WINDOW_S for track in (calls, cpu))
    return CallCost(calls=answered[host], line=load_line(rates.tolist(), busy.tolist()))


_NAMES = {"NameNode": "NameNode busy", "ResourceManager": "scheduler busy"}
_BYTES = (
    ("read from disks", "disk_read_bytes"),
    ("written to disks", "disk_written_bytes"),
    ("received", "received_bytes"),
    ("sent", "sent_bytes"),
)
_SHARES = (("CPU busy", "cpu_busy"), ("NameNode busy", "namenode_busy"), ("scheduler busy", "scheduler_busy"))
ELAPSED = "elapsed"  # The measure that is judged.
CALLS, CALL_CPU = "calls to the NameNode", "NameNode's CPU time for a call"
UNDISTURBED = "CPU left by others"  # Of a shared machine: little and hardly any use by others are the same.
TASK_CPU, THREAD_CPU = "tasks' CPU time", "CPU time of tasks' threads"
"""MapReduce counts the whole process of a task, Spark only the thread that runs it."""
_TASK_SUMS: tuple[tuple[str, str, Unit], ...] = (
    ("shuffled", "shuffled_bytes", "B"),
    (TASK_CPU, "cpu_s", "s"),
    ("collecting garbage", "gc_s", "s"),
)  # What tasks counted themselves, by the column that holds it.


Kind = Literal["resource", "task"]


def resource(
    workload: str, phase: str | None, name: str, value: float, unit: Unit = "B", *, kind: Kind = "resource"
) -> Reading:
    measure = Measure(workload=workload, phase=phase, kind=kind, name=name, unit=unit)
    return Reading(measure=measure, value=value)


class SampledUse(NamedTuple):
    """What was sampled: all tracks, the use of every workload and phase, and what others used meanwhile."""

    timeline: Timeline
    uses: tuple[StretchUse, ...]
    others: tuple[OthersUse, ...]


def seen_in(run: RunData, times: tuple[WorkloadTime, ...]) -> SampledUse:
    timeline = Timeline(run.samples)
    machines = machines_of(run, timeline)
    disks = data_disks(run.record, timeline, counted(machines, timeline, "disk"))
    use = uses(timeline, machines, times, disks)
    return SampledUse(timeline, use, others_uses(run.record, timeline, use))


def master_readings(timeline: Timeline, time: WorkloadTime) -> Iterator[Reading]:
    """The share of a core of each master; of a pair, that of the one that worked."""
    loads = master_loads(timeline, (time,))
    for daemon, name in _NAMES.items():
        busy = [load.busy for load in loads if load.daemon == daemon]
        if busy:
            yield resource(time.workload, None, name, max(busy), "share")
    cost = call_cost(timeline, time)
    if cost is not None:
        yield resource(time.workload, None, CALLS, cost.calls, "1")
        if cost.line is not None and cost.line.per_unit.certain:
            yield resource(time.workload, None, CALL_CPU, cost.line.per_unit.value, "s")


def simulated_readings(time: WorkloadTime, used: WorkUse) -> Iterator[Reading]:
    """The phases that are told apart, and all of them together."""
    lengths = {phase.name: phase.elapsed_s for phase in time.phases}
    own_phases = {phase.name for phase in time.told_apart}
    yield resource(time.workload, None, "read from other hosts", used.remote_read_bytes)
    for name, field in _BYTES:
        yield resource(time.workload, None, name, sum(getattr(phase, field) for phase in used.phases))
    timed = [phase for phase in used.phases if phase.phase in lengths]
    whole = sum(lengths[phase.phase] for phase in timed)
    for name, field in _SHARES:
        # Each phase counts as long as it took.
        weighed = sum(getattr(phase, field) * lengths[phase.phase] for phase in timed)
        yield resource(time.workload, None, name, weighed / whole if whole > 0 else 0.0, "share")
    for phase in used.phases:
        if phase.phase in own_phases:
            for name, field in _BYTES:
                yield resource(time.workload, phase.phase, name, getattr(phase, field))
            for name, field in _SHARES:
                yield resource(time.workload, phase.phase, name, getattr(phase, field), "share")


def readings_of(run: RunData, times: tuple[WorkloadTime, ...], seen: SampledUse) -> Iterator[Reading]:
    """Every measure that the run's record, samples and tasks tell of."""
    for time in times:
        result = time.result
        for metric in result.metrics:
            measure = Measure(
                workload=time.workload,
                kind="metric",
                name=metric.name,
                unit=metric.unit,
                better=metric.better,
                primary=metric == result.primary,
            )
            yield Reading(measure=measure, value=metric.value)
        own_phases = [None, *(phase.name for phase in time.told_apart)]
        lengths = (time.elapsed_s, *(phase.elapsed_s for phase in time.told_apart))
        for phase, elapsed_s in zip(own_phases, lengths, strict=True):
            measure = Measure(workload=time.workload, phase=phase, kind="time", name=ELAPSED, unit="s")
            yield Reading(measure=measure, value=elapsed_s)
        yield from _counted(run, time)
        if result.used is not None:
            yield from simulated_readings(time, result.used)
            continue
        for use in seen.uses:
            if use.workload == time.workload and use.phase in own_phases:
                yield from _used(use)
        for other in seen.others:
            if other.workload == time.workload and other.phase in own_phases:
                yield resource(other.workload, other.phase, UNDISTURBED, 1 - other.others, "share")
        yield from master_readings(seen.timeline, time)
        yield from journal_readings(seen.timeline, time)
        yield from job_readings(run, time)
    yield from unanswered_readings(run.record, times)
    readings = spreads(run, times)
    jobs = Counter((spread.workload, spread.kind) for spread in readings)
    for spread in readings:
        several = jobs[spread.workload, spread.kind] > 1
        yield from _tasks(spread, spread.phase if several else None)


def _counted(run: RunData, time: WorkloadTime) -> Iterator[Reading]:
    result = time.result
    if result.counters.spilled_bytes:
        yield resource(time.workload, None, "spilled", result.counters.spilled_bytes)
    tasks = tasks_of(run.tasks, result.workload.kind, time)
    for name, column, unit in _TASK_SUMS:
        total = pc.sum(tasks.column(column)).as_py()
        if total is not None:
            counted = THREAD_CPU if name == TASK_CPU and result.spark is not None else name
            yield resource(time.workload, None, counted, total, unit)


def _used(use: StretchUse) -> Iterator[Reading]:
    """What the machines that did the work were seen to do meanwhile, all of them together."""
    if use.coarse:
        return
    shares = [host.cpu for host in use.working if host.cpu is not None]
    disks = [disk for host in use.working for disk in host.disks if disk.data]
    nics = [nic for host in use.working for nic in host.nics if nic.nic != "lo"]
    if shares:
        busy_s = sum(share.busy * share.cpus for share in shares) * use.seconds
        waiting_s = sum(share.iowait * share.cpus for share in shares) * use.seconds
        yield resource(use.workload, use.phase, "CPU time", busy_s, "s")
        if use.cpu_busy is not None:
            yield resource(use.workload, use.phase, "CPU busy", use.cpu_busy, "share")
        yield resource(use.workload, use.phase, "CPU time waiting for I/O", waiting_s, "s")
    if disks:
        yield resource(use.workload, use.phase, "read from disks", sum(disk.read_bytes for disk in disks))
        yield resource(use.workload, use.phase, "written to disks", sum(disk.written_bytes for disk in disks))
    if nics:
        yield resource(use.workload, use.phase, "received", sum(nic.rx_bytes for nic in nics))
        yield resource(use.workload, use.phase, "sent", sum(nic.tx_bytes for nic in nics))


def _tasks(spread: TaskSpread, phase: str | None) -> Iterator[Reading]:
    """A job's tasks; ``phase`` tells jobs of one workload apart."""
    kind = spread.kind
    named: tuple[tuple[str, float, Unit], ...] = (
        (f"{kind} tasks", spread.tasks, "1"),
        (f"{kind} attempts lost", spread.failed, "1"),
        (f"median {kind} task", spread.median_s, "s"),
        (f"spread of {kind} tasks", spread.spread_s, "s"),
        (f"longest {kind} task", spread.longest_s, "s"),
    )
    for name, value, unit in named:
        yield resource(spread.workload, phase, name, value, unit, kind="task")


BEFORE, DURING, BETWEEN, AFTER = (
    "before the first task",
    "while tasks ran",
    "between tasks",
    "after the last task",
)
PARTS = (BEFORE, DURING, BETWEEN, AFTER)  # The parts of a workload's time in order, together all of it.
PROCESSES = "processes of Java started"  # Application masters, and one for each attempt or executor.
SHORTEST = "shortest task"
HELD = "time of containers"  # Without those of application masters.


def job_readings(run: RunData, time: WorkloadTime) -> Iterator[Reading]:
    """What every job on YARN has, whatever its program; nothing of a workload without tasks."""
    result = time.result
    attempts = attempts_of(run, time)
    if result.job is None or not attempts:
        return
    busy = stretches((attempt.start_s, attempt.end_s) for attempt in attempts)
    between_s = sum(max(0.0, after[0] - before[1]) for before, after in pairwise(busy))
    before_s = max(0.0, busy[0][0] - time.start_s)
    after_s = max(0.0, time.end_s - busy[-1][1])
    spark = result.spark
    if spark is None:
        held_s = sum(attempt.elapsed_s for attempt in attempts)
        masters = sum(len({master_of(attempt.attempt) for attempt in job}) for job in by_job(attempts))
        processes = len(attempts) + masters
    else:
        ends = [spark.end_s if executor.end_s is None else executor.end_s for executor in spark.executors]
        lives = zip(spark.executors, ends, strict=True)
        held_s = sum(max(0.0, end_s - executor.start_s) for executor, end_s in lives)
        # The driver in cluster mode is the application master; in client mode both are processes.
        processes = len(spark.executors) + (1 if spark.deploy_mode == "cluster" else 2)
    named: tuple[tuple[str, float, Unit], ...] = (
        (BEFORE, before_s, "s"),
        (DURING, max(0.0, time.elapsed_s - before_s - between_s - after_s), "s"),
        (BETWEEN, between_s, "s"),
        (AFTER, after_s, "s"),
        (SHORTEST, min(attempt.elapsed_s for attempt in attempts), "s"),
        (HELD, held_s, "s"),
        (PROCESSES, processes, "1"),
    )
    for name, value, unit in named:
        yield resource(time.workload, None, name, value, unit, kind="task")
