"""When every workload, phase and task attempt ran, how fast, and which bytes each had to move by theory.

A row is TeraSort's 100 bytes and the local file is its only replica. A sort that does not fit its
memory writes every row once more, compressed as its own counters say, and reads it back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.analysis.evidence.times import PhaseTime, Rate, WorkloadTime
from howdah.analysis.machines import Timeline
from howdah.model.cluster import CounterValue, HadoopJob
from howdah.model.run import Outcome, RunRecord, TaskAttempt, WorkloadResult
from howdah.model.storage_policy import POLICIES, ErasurePolicy
from howdah.model.tables import RunData
from howdah.model.workloads.base import Moved
from howdah.model.workloads.option import ERASURE_CODING, REPLICATION

_Item = TypeVar("_Item")
_Key = TypeVar("_Key", bound=Hashable)

_NONE = CounterValue(map=0, reduce=0, total=0)


def work_of(result: WorkloadResult) -> Moved | None:
    """What a finished workload had to move; None where it did not finish or nothing tells."""
    if result.outcome is not Outcome.SUCCEEDED:
        return None
    moved = result.workload.moved(result.counters)
    if moved is None:
        return None
    spill = spill_of(result, moved.read) if result.workload.is_shuffled else 0
    return Moved(moved.read + spill, moved.write + spill)


def phase_work(result: WorkloadResult, work: Moved | None, phase: str) -> Moved | None:
    """The part of a workload's work that falls into one phase; None where theory does not say."""
    if work is None:
        return None
    names = [phase_run.name for phase_run in result.phases]
    if len(names) == 1:
        return work
    nothing = Moved(0, 0)
    workload = result.workload
    before, after = workload.map_phases
    if workload.is_shuffled:
        moved = result.workload.moved(result.counters)
        size = moved.read if moved else 0
        spill = work.read - size
        parts = {before: Moved(size, spill), after: Moved(spill, size)}
    elif workload.timed_by_file:
        # It writes and reads one data directory after another, each the same number of bytes.
        parts = {
            "write": Moved(0, work.write // max(1, names.count("write"))),
            "read": Moved(work.read // max(1, names.count("read")), 0),
        }
    else:
        # Everything else does its work in map tasks; reduces only put together what they found.
        parts = {before: work, after: nothing}
    return parts.get(phase)


def spill_of(result: WorkloadResult, size: int) -> int:
    """Bytes of intermediate data if every row is spilled once; 0 for a sort in memory."""
    counters = result.counters
    if counters.spilled_bytes == 0 or counters.spilled_raw_bytes == 0:
        return 0
    return round(size * counters.spilled_bytes / counters.spilled_raw_bytes)


class JobBytes(NamedTuple):
    """What a job's counters say, in bytes; ``*_spills`` is how often each record was written on that side."""

    hdfs_read: int
    hdfs_written: int
    map_file_read: int
    map_file_written: int
    reduce_file_read: int
    reduce_file_written: int
    output_raw: int
    output_stored: int
    shuffled: int
    map_spills: float
    reduce_spills: float

    @property
    def codec_ratio(self) -> float:
        """Map output before compression over after; a little below 1 where nothing is compressed."""
        return self.output_raw / self.output_stored if self.output_stored > 0 else 1.0

    def on_devices(self, replication: float) -> Moved:
        """What the devices must have moved for all that, if no cache took part."""
        read = self.hdfs_read + self.map_file_read + self.reduce_file_read + self.shuffled
        written = round(replication * self.hdfs_written + self.map_file_written + self.reduce_file_written)
        return Moved(read, written)


class ClusterWork(NamedTuple):
    """What a job should move: input, output (once), and map output as it is stored."""

    input: int
    output: int
    replication: float
    stored: float
    map_spills: float
    reduce_spills: float
    sent: float  # Bytes over the network for each byte of output; one copy stays on its writer.

    @property
    def files_read(self) -> float:
        """Intermediate bytes that tasks read back for merging, on the map side and on the reduce side."""
        return self.stored * (max(0.0, self.map_spills - 1) + self.reduce_spills)

    @property
    def files_written(self) -> float:
        """Intermediate bytes that tasks write on both sides."""
        return self.stored * (self.map_spills + self.reduce_spills)

    @property
    def devices(self) -> Moved:
        """Bytes the disks move: with all replicas, and with the map output read once for the shuffle."""
        return Moved(
            round(self.input + self.files_read + self.stored),
            round(self.replication * self.output + self.files_written),
        )


def job_bytes(job: HadoopJob) -> JobBytes:
    """The counters of a job that are about bytes; 0 where it has none of the name."""

    def counter(name: str) -> CounterValue:
        return job.counters.get(name, _NONE)

    spilled = counter("TaskCounter.SPILLED_RECORDS")
    file_read = counter("FileSystemCounter.FILE_BYTES_READ")
    file_written = counter("FileSystemCounter.FILE_BYTES_WRITTEN")
    return JobBytes(
        hdfs_read=counter("FileSystemCounter.HDFS_BYTES_READ").total,
        hdfs_written=counter("FileSystemCounter.HDFS_BYTES_WRITTEN").total,
        map_file_read=file_read.map,
        map_file_written=file_written.map,
        reduce_file_read=file_read.reduce,
        reduce_file_written=file_written.reduce,
        output_raw=counter("TaskCounter.MAP_OUTPUT_BYTES").map,
        output_stored=counter("TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES").map,
        shuffled=counter("TaskCounter.REDUCE_SHUFFLE_BYTES").reduce,
        map_spills=_times(spilled.map, counter("TaskCounter.MAP_OUTPUT_RECORDS").map),
        reduce_spills=_times(spilled.reduce, counter("TaskCounter.REDUCE_INPUT_RECORDS").reduce),
    )


def replication_of(result: WorkloadResult) -> float | None:
    """Replicas of the files a workload writes, of coded ones bytes on disks for each; None if unknown."""
    if (policy := policy_of(result)) is not None:
        return policy.overhead
    requested = REPLICATION.of(result.workload)
    if requested is not None:
        return requested
    # TeraSort's job has its own number here, whatever the file system's is.
    value = result.job.conf.get("dfs.replication", "") if result.job else ""
    if value.isdigit():
        return int(value)
    if result.replicas is not None and result.replicas.blocks:
        return round(result.replicas.replicas / result.replicas.blocks)
    return None


def policy_of(result: WorkloadResult) -> ErasurePolicy | None:
    """The erasure coding policy of the files a workload writes; None for replicas."""
    name = ERASURE_CODING.of(result.workload)
    return POLICIES.get(name) if name is not None else None


def input_policy(record: RunRecord, result: WorkloadResult) -> ErasurePolicy | None:
    """The erasure coding policy of the files that a workload reads, if the same run wrote them."""
    before = record.workloads[: record.workloads.index(result)]
    writers = [writer for writer in before if writer.workload.kind == result.workload.reads]
    return policy_of(writers[-1]) if writers else None


def cluster_work(result: WorkloadResult) -> ClusterWork | None:
    """What a finished job should move; None where it did not finish or nothing tells."""
    if result.outcome is not Outcome.SUCCEEDED or result.job is None:
        return None
    moved = result.workload.moved(result.counters)
    if moved is None or not any(moved):
        return None
    replication = replication_of(result) if moved.write else 1
    if replication is None:
        return None
    counted = job_bytes(result.job)
    stored, map_spills, reduce_spills = 0.0, 0.0, 0.0
    if result.spark is not None:
        # Spark writes shuffle data once; what it spilled of it is written in addition.
        stored = float(sum(stage.shuffle_write_bytes for stage in result.spark.stages))
        spilled = sum(stage.disk_spilled_bytes for stage in result.spark.stages)
        map_spills, reduce_spills = 1.0, spilled / stored if stored else 0.0
    elif result.workload.is_shuffled:
        stored = moved.read / counted.codec_ratio
        map_spills, reduce_spills = counted.map_spills, counted.reduce_spills
    policy = policy_of(result)
    sent = replication - 1 if policy is None else policy.overhead * (1 - 1 / policy.units)
    return ClusterWork(moved.read, moved.write, replication, stored, map_spills, reduce_spills, sent)


def _times(spilled: int, records: int) -> float:
    return spilled / records if records else 0.0


def workload_times(run: RunData) -> tuple[WorkloadTime, ...]:
    names = numbered(result.workload.kind for result in run.record.workloads)
    times = []
    for index, (result, name) in enumerate(zip(run.record.workloads, names, strict=True)):
        end_s = _end(run, result, last=index == len(run.record.workloads) - 1)
        work = work_of(result)
        times.append(
            WorkloadTime(
                workload=name,
                index=index,
                result=result,
                outcome=result.outcome,
                start_s=result.start_s,
                end_s=end_s,
                rate=_rate(result, work, end_s - result.start_s),
                phases=tuple(_phases(result, work)),
            )
        )
    return tuple(times)


def _phases(result: WorkloadResult, work: Moved | None) -> Iterator[PhaseTime]:
    names = numbered(phase.name for phase in result.phases)
    for phase, name in zip(result.phases, names, strict=True):
        part = phase_work(result, work, phase.name)
        elapsed_s = phase.end_s - phase.start_s
        read = Rate(part.read, elapsed_s, "read") if part and part.read else None
        write = Rate(part.write, elapsed_s, "written") if part and part.write else None
        yield PhaseTime(name, phase.start_s, phase.end_s, read, write)


def numbered(names: Iterable[str]) -> Iterator[str]:
    """Every name as it is the first time it is met, then with its number."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} #{seen[name]}"


def _rate(result: WorkloadResult, work: Moved | None, elapsed_s: float) -> Rate | None:
    over = result.workload.rated_over
    if work is None or over is None:
        return None
    if result.workload.timed_by_file:
        # fio measures within the same workload, so the clock on the wall would count it as slow files.
        io_s = sum(file.io_s for file in result.files)
        return Rate(sum(file.bytes for file in result.files), io_s, over) if io_s > 0 else None
    # Spilled bytes are the program's own affair: its rate counts the data it was given.
    moved = result.workload.moved(result.counters)
    return None if moved is None else Rate(max(moved), elapsed_s, over)


def _end(run: RunData, result: WorkloadResult, last: bool) -> float:
    """The recorded end, or for a workload that was cut off the last moment the record knows of."""
    if not last or result.outcome is Outcome.SUCCEEDED or result.end_s > result.start_s:
        return result.end_s
    moments = [result.start_s, result.end_s, run.record.elapsed_s]
    moments += [phase.end_s for phase in result.phases]
    for table, column in ((run.tasks, "end_s"), (run.samples, "time_s")):
        latest = pc.max(table.column(column)).as_py() if table.num_rows else None
        moments += [latest] if latest is not None else []
    return max(moments)


def window_of(record: RunRecord, timeline: Timeline, time: WorkloadTime) -> tuple[float, float] | None:
    """The stretch to count device bytes in: the workload's own, widened to the nearest samples.

    The samples around a workload count its bytes exactly, where interpolating would spread the first
    and the last of them over idle time. Where such a sample lies within something else that ran, the
    workload's own end is the better cut. None: samples do not cover the workload.
    """
    if not timeline.covers(time.start_s, time.end_s):
        return None
    before = timeline.times_s[timeline.times_s <= time.start_s]
    after = timeline.times_s[timeline.times_s >= time.end_s]
    start_s = float(before[-1]) if len(before) else time.start_s
    end_s = float(after[0]) if len(after) else time.end_s
    others = [(result.start_s, result.end_s) for result in record.workloads]
    others = others[: time.index] + others[time.index + 1 :]
    others += [(phase.start_s, phase.end_s) for phase in record.preparation]
    if any(begin < time.start_s and end > start_s for begin, end in others):
        start_s = time.start_s
    if any(end > time.end_s and begin < end_s for begin, end in others):
        end_s = time.end_s
    return start_s, end_s


def attempts_of(run: RunData, time: WorkloadTime) -> tuple[TaskAttempt, ...]:
    return rows(tasks_of(run.tasks, time.result.workload.kind, time))


def by_job(attempts: Iterable[TaskAttempt]) -> tuple[tuple[TaskAttempt, ...], ...]:
    """The attempts of each MapReduce job of a workload, in the order they began; all where no job is told."""
    return tuple(map(tuple, grouped(attempts, lambda attempt: attempt.job).values()))


def grouped(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    """The items by something about them, in the order of the first of each."""
    groups: dict[_Key, list[_Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def names_machine(error: str | None, machine: str) -> bool:
    """Whether an attempt's error names a machine, and not one whose name only begins or ends like it."""
    return re.search(rf"(?<![\w.-]){re.escape(machine)}(?![\w-])", error or "") is not None


def master_of(attempt: int) -> int:
    """The application master, from 1, that began an attempt: each has a thousand numbers of its own."""
    return attempt // 1000 + 1


def rows(tasks: pa.Table) -> tuple[TaskAttempt, ...]:
    columns = [tasks.column(name).to_pylist() for name in TaskAttempt._fields]
    return tuple(TaskAttempt(*row) for row in zip(*columns, strict=True))


def done(attempts: tuple[TaskAttempt, ...], kind: str) -> tuple[TaskAttempt, ...]:
    """The attempts of one kind whose work counted."""
    return tuple(attempt for attempt in attempts if attempt.kind == kind and attempt.succeeded)


def tasks_of(tasks: pa.Table, kind: str, time: WorkloadTime) -> pa.Table:
    """The task attempts of one workload: those of its kind whose middle lies within it."""
    middle = (tasks.column("start_s").to_numpy() + tasks.column("end_s").to_numpy()) / 2
    names = np.array(tasks.column("workload").to_pylist(), dtype=object)
    return tasks.filter(pa.array((names == kind) & (middle >= time.start_s) & (middle <= time.end_s)))
