"""Hadoop's small benchmarks: TestDFSIO, NNBench and QuasiMonteCarlo."""

from __future__ import annotations

import posixpath
import re
import time
from collections.abc import Iterable
from itertools import chain
from typing import Literal, NamedTuple, TypeVar

from howdah.engines.base import PartialResult
from howdah.engines.hadoop.command import Command, file_properties
from howdah.engines.hadoop.ready import DFSIO_DATA, dfsio_files
from howdah.engines.hadoop.work import Conclusion, FinishedJob, HadoopWork
from howdah.errors import RunFailed
from howdah.installation.java_programs import PROGRAMS
from howdah.model.reported import Counters, FileRate
from howdah.model.run import Phase
from howdah.model.workloads.dfsio import (
    DFSIO_FOLDER,
    DFSIO_LOG,
    DfsioFiles,
    DfsioRead,
    DfsioWrite,
    throughput,
)
from howdah.model.workloads.hadoop_programs import NNBench, Pi, estimate_of_pi, operations_per_s
from howdah.services.history import TaskLogs
from howdah.services.job_facts import JobFacts

W = TypeVar("W", bound=DfsioFiles)

_FILE = re.compile(r"Processing split: \S+/in_file_(test_io_\d+):")
_SIZE = re.compile(r"TestDFSIO: Number of bytes processed = (\d+)$", re.MULTILINE)
_TIME = re.compile(r"TestDFSIO: Exec time = (\d+)$", re.MULTILINE)


class DfsioSums(NamedTuple):
    """The sums over all files that TestDFSIO's reduce writes."""

    tasks: int
    size_bytes: int
    io_ms: int  # Milliseconds that tasks spent on I/O alone.


class TaskRate(NamedTuple):
    """One file, as its task's log has it."""

    name: str  # ``test_io_0``.
    size_bytes: int
    io_ms: int  # Milliseconds from when the file was open to when it was closed.


def read_sums(output: str) -> DfsioSums:
    """Read part-00000, lines like ``l:size<TAB>30000000``; the letter is Hadoop's for a number's type."""
    fields = dict(line.split("\t", 1) for line in output.splitlines() if "\t" in line)
    return DfsioSums(*(int(fields.get(f"l:{name}", "0")) for name in ("tasks", "size", "time")))


def read_task(log: str) -> TaskRate | None:
    """Read a map task's log; None for one that holds no result."""
    name, size, time = _FILE.search(log), _SIZE.search(log), _TIME.search(log)
    return TaskRate(name[1], int(size[1]), int(time[1])) if name and size and time else None


def file_rates(
    job: JobFacts, logs: TaskLogs, sums: DfsioSums, folder: str, operation: Literal["write", "read"]
) -> tuple[FileRate, ...] | None:
    """Every file's rate, from the logs of the tasks; None unless they add up to what the reduce wrote."""
    rates: list[TaskRate] = []
    maps = [task for task in job.tasks if task.kind == "map"]
    for winner in (attempt for task in maps for attempt in task.attempts if attempt.id == task.winner):
        rate = read_task(logs.tail(winner.container, winner.node_web, "syslog"))
        if rate is None:
            return None
        rates.append(rate)
    if sums != (len(rates), sum(rate.size_bytes for rate in rates), sum(rate.io_ms for rate in rates)):
        return None
    rates.sort(key=lambda rate: int(rate.name.rpartition("_")[2]))
    return tuple(
        FileRate(path=f"{folder}/io_data/{name}", bytes=size_bytes, io_s=io_ms / 1000, operation=operation)
        for name, size_bytes, io_ms in rates
    )


def dfsio_write(work: HadoopWork[DfsioWrite]) -> Conclusion:
    """Write the files, one map task each."""
    folder = work.context.workspace.folder(DFSIO_FOLDER)
    job = _run(work, "write", folder)
    work.context.workspace.complete(DFSIO_FOLDER)

    def conclude() -> PartialResult:
        files = _rates(work, job, "write", folder)
        counters = Counters(written_bytes=sum(file.bytes for file in files))
        replicas = work.replicas(posixpath.join(folder, DFSIO_DATA))
        return PartialResult(counters=counters, files=files, metrics=throughput(files), replicas=replicas)

    return conclude


def dfsio_read(work: HadoopWork[DfsioRead]) -> Conclusion:
    """Read back the files that dfsio-write left, as many and as large as they are."""
    folder = work.source()
    sizes = [status.size_bytes for status in dfsio_files(work.context.namenode, folder)]
    work.workload = work.workload.model_copy(update={"files": len(sizes), "file_bytes": max(sizes)})
    job = _run(work, "read", folder)

    def conclude() -> PartialResult:
        files = _rates(work, job, "read", folder)
        # Kept files stay as they were before the run.
        work.context.namenode.delete(posixpath.join(folder, "io_read"))
        counters = Counters(read_bytes=sum(file.bytes for file in files))
        return PartialResult(counters=counters, files=files, metrics=throughput(files))

    return conclude


def _run(work: HadoopWork[W], operation: Literal["write", "read"], folder: str) -> FinishedJob:
    """Run one of the two; TestDFSIO itself appends to its log of results."""
    own = {"test.build.data": folder, "mapreduce.job.name": f"TestDFSIO {operation}"}
    properties = file_properties(work.workload) | own
    arguments = (
        f"-{operation}",
        *("-nrFiles", str(work.workload.files or 1)),
        *("-size", f"{work.workload.file_bytes or 0}B"),
        *("-resFile", str(work.context.job.results_dir / DFSIO_LOG)),
    )
    return work.run(Command(PROGRAMS["dfsio"], properties, arguments))


def _rates(
    work: HadoopWork[W], finished: FinishedJob, operation: Literal["write", "read"], folder: str
) -> tuple[FileRate, ...]:
    output = work.context.namenode.read(posixpath.join(folder, f"io_{operation}", "part-00000"))
    sums, target = read_sums(output.decode()), work.context.target
    rates = file_rates(finished.reported.facts, TaskLogs(target.web, target.conf), sums, folder, operation)
    if rates is not None:
        return rates
    text = "the tasks' logs lack the rates of some files, so one file represents all of them"
    work.context.warn("no-file-rates", f"dfsio-{operation}: {text}")
    return (FileRate(path=folder, bytes=sums.size_bytes, io_s=sums.io_ms / 1000, operation=operation),)


_OPERATIONS = ("create_write", "open_read", "rename", "create_write", "delete")
"""Each uses the files of the one before; delete needs new files, because it does not know renamed ones."""
_BARRIER_S = 20  # All maps begin at one moment, by which the last of them should have started.
_CHECKSUM_BYTES = 512
_BLOCK_BYTES = 1 << 20  # dfs.namenode.fs-limits.min-block-size; NameNodes refuse NNBench's default of 1 byte.
_RATE = re.compile(r"\bTPS: [\w/]+: ([\d.]+)$", re.MULTILINE)
_LATE = re.compile(r"# maps that missed the barrier: (\d+)$", re.MULTILINE)


class OperationRate(NamedTuple):
    """NNBench's measurement of one operation."""

    per_s: float  # Operations in a second, over all maps.
    late_maps: int  # Maps that started after the others had begun.


def nnbench(work: HadoopWork[NNBench]) -> Conclusion:
    """Create and write empty files, open, rename and delete them; each one's rate is a metric."""
    rates: dict[str, float] = {}
    jobs: list[tuple[str, FinishedJob]] = []
    for operation in _OPERATIONS:
        folder = work.context.workspace.folder("nnbench")
        finished = work.run(Command(PROGRAMS["nnbench"], {}, arguments(work.workload, operation, folder)))
        measured = read_measured(finished.lines)
        if measured is None:
            raise RunFailed(f"{work.workload.kind} {operation}", "NNBench printed no result")
        if measured.late_maps:
            text = f"{measured.late_maps} maps started late, so the rate is too low"
            work.context.warn("late-maps", f"nnbench {operation}: {text}")
        rates.setdefault(operation, measured.per_s)
        jobs.append((operation, finished))
    metrics = tuple(operations_per_s(operation, per_s) for operation, per_s in rates.items())

    def conclude() -> PartialResult:
        phases = tuple(
            Phase(name=operation, start_s=parts[0].start_s, end_s=parts[-1].end_s)
            for operation, job in jobs
            if (parts := job.reported.phases)
        )
        return PartialResult(counters=Counters(), phases=phases, metrics=metrics)

    return conclude


def arguments(workload: NNBench, operation: str, folder: str) -> tuple[str, ...]:
    """NNBench's own options."""
    options: dict[str, int | str | None] = {
        "operation": operation,
        "maps": workload.maps,
        "reduces": 1,
        "numberOfFiles": workload.operations,
        "blockSize": workload.block_bytes or _BLOCK_BYTES,
        "bytesPerChecksum": _CHECKSUM_BYTES,
        "bytesToWrite": 0,
        "replicationFactorPerFile": workload.replication,
        "startTime": int(time.time()) + _BARRIER_S,
        "baseDir": folder,
    }
    present = {f"-{name}": f"{value}" for name, value in options.items() if value is not None}
    return tuple(chain.from_iterable(present.items()))


def read_measured(lines: Iterable[str]) -> OperationRate | None:
    """The result that a client printed; None without a rate."""
    text = "\n".join(lines)
    rate, late = _RATE.search(text), _LATE.search(text)
    return OperationRate(float(rate[1]), int(late[1]) if late else 0) if rate else None


_MAIN = "org.apache.hadoop.examples.QuasiMonteCarlo"
_ANSWER = "Estimated value of Pi is "


def pi(work: HadoopWork[Pi]) -> Conclusion:
    """Count points, and take the estimate that the client prints."""
    maps, samples = work.workload.maps or 1, work.workload.samples or 1
    finished = work.run(Command(_MAIN, {}, (str(maps), str(samples))))
    printed = estimate(finished.lines)
    metrics = (estimate_of_pi(printed),) if printed is not None else ()
    return lambda: PartialResult(counters=Counters(input_rows=maps * samples), metrics=metrics)


def estimate(lines: Iterable[str]) -> str | None:
    """The value of pi that a client printed."""
    return next((line.removeprefix(_ANSWER) for line in lines if line.startswith(_ANSWER)), None)
