"""The bytes a workload has to move, by theory, and in which phase.

A row is TeraSort's 100 bytes and the local file is its only replica. A sort that does not fit its
memory writes every row once more, compressed as its own counters say, and reads it back.
"""

from __future__ import annotations

from typing import NamedTuple

from howdah.model.cluster import CounterValue, HadoopJob
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.storage_policy import POLICIES, ErasurePolicy
from howdah.model.workloads.option import ERASURE_CODING, REPLICATION

_NONE = CounterValue(map=0, reduce=0, total=0)


class BytesToMove(NamedTuple):
    """Bytes to read and to write."""

    read: int
    write: int


def work_of(result: WorkloadResult) -> BytesToMove | None:
    """What a finished workload had to move; None where it did not finish or nothing tells."""
    if result.outcome is not Outcome.SUCCEEDED:
        return None
    moved = result.workload.moved(result.counters)
    if moved is None:
        return None
    spill = spill_of(result, moved.read) if result.workload.is_shuffled else 0
    return BytesToMove(moved.read + spill, moved.write + spill)


def phase_work(result: WorkloadResult, work: BytesToMove | None, phase: str) -> BytesToMove | None:
    """The part of a workload's work that falls into one phase; None where theory does not say."""
    if work is None:
        return None
    names = [each.name for each in result.phases]
    if len(names) == 1:
        return work
    nothing = BytesToMove(0, 0)
    workload = result.workload
    before, after = workload.map_phases
    if workload.is_shuffled:
        size = _read_bytes(result)
        spill = work.read - size
        parts = {before: BytesToMove(size, spill), after: BytesToMove(spill, size)}
    elif workload.timed_by_file:
        # It writes and reads one data directory after another, each the same number of bytes.
        parts = {
            "write": BytesToMove(0, work.write // max(1, names.count("write"))),
            "read": BytesToMove(work.read // max(1, names.count("read")), 0),
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


def _read_bytes(result: WorkloadResult) -> int:
    moved = result.workload.moved(result.counters)
    return moved.read if moved else 0


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

    def on_devices(self, replication: float) -> BytesToMove:
        """What the devices must have moved for all that, if no cache took part."""
        read = self.hdfs_read + self.map_file_read + self.reduce_file_read + self.shuffled
        written = round(replication * self.hdfs_written + self.map_file_written + self.reduce_file_written)
        return BytesToMove(read, written)


class ClusterWork(NamedTuple):
    """What a job should move: input, output (once), and map output as it is stored."""

    input: int
    output: int
    replication: float
    stored: float
    map_spills: float
    reduce_spills: float
    sent: float
    """Bytes that cross the network for each byte of output; a replica or unit stays on its writer."""

    @property
    def files_read(self) -> float:
        """Intermediate bytes that tasks read back for merging, on the map side and on the reduce side."""
        return self.stored * (max(0.0, self.map_spills - 1) + self.reduce_spills)

    @property
    def files_written(self) -> float:
        """Intermediate bytes that tasks write on both sides."""
        return self.stored * (self.map_spills + self.reduce_spills)

    @property
    def devices(self) -> BytesToMove:
        """Bytes the disks move: with all replicas, and with the map output read once for the shuffle."""
        return BytesToMove(
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
    """Replicas of the files a workload writes: as asked for, as its job ran, or as fsck found them.

    Of coded files it is the bytes on disks for each byte.
    """
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
    writers = [each for each in before if each.workload.kind == result.workload.reads]
    return policy_of(writers[-1]) if writers else None


def _sent(result: WorkloadResult, replication: float) -> float:
    policy = policy_of(result)
    return replication - 1 if policy is None else policy.overhead * (1 - 1 / policy.units)


def cluster_work(result: WorkloadResult) -> ClusterWork | None:
    """What a finished job should move; None where it did not finish or nothing tells."""
    if result.outcome is not Outcome.SUCCEEDED or result.job is None:
        return None
    workload = result.workload
    moved = workload.moved(result.counters)
    if moved is None or not any(moved):
        return None
    replication = replication_of(result) if moved.write else 1
    if replication is None:
        return None
    counted = job_bytes(result.job)
    if result.spark is not None:
        # Spark writes shuffle data once; what it spilled of it is written in addition.
        stored = sum(stage.shuffle_write_bytes for stage in result.spark.stages)
        spilled = sum(stage.disk_spilled_bytes for stage in result.spark.stages)
        return ClusterWork(
            input=moved.read,
            output=moved.write,
            replication=replication,
            stored=float(stored),
            map_spills=1.0,
            reduce_spills=spilled / stored if stored else 0.0,
            sent=_sent(result, replication),
        )
    return ClusterWork(
        input=moved.read,
        output=moved.write,
        replication=replication,
        stored=moved.read / counted.codec_ratio if workload.is_shuffled else 0.0,
        map_spills=counted.map_spills if workload.is_shuffled else 0.0,
        reduce_spills=counted.reduce_spills if workload.is_shuffled else 0.0,
        sent=_sent(result, replication),
    )


def _times(spilled: int, records: int) -> float:
    return spilled / records if records else 0.0
