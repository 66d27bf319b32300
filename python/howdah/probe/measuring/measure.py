"""A host measured: rows and memory, data directories, whole disks, peers, each in its share of the time.

What a byte costs Hadoop's own tasks is measured in one JVM: its ``LocalJobRunner`` runs the maps, sorts,
merges and reduces of TeraSort on local files. The CPU time of its process is read whenever it logs the
beginning or the end of maps and of reduces. Two sizes of data give two numbers, the CPU time of a byte and
that of starting. Blocks in HDFS, sockets and codecs are not measured.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from howdah import _native
from howdah.errors import UserError
from howdah.installation.installation import Installation
from howdah.installation.java_programs import java_command
from howdah.model.host import Host
from howdah.model.measured import (
    CodecCost,
    DirectoryRates,
    Measured,
    MeasuredFigure,
    NotMeasured,
    RowCosts,
    SortCost,
    StepCost,
    StreamRates,
    TaskCosts,
)
from howdah.model.workloads.terasort import Codec
from howdah.probe.measuring import disks
from howdah.probe.measuring.peers import measure_peer
from howdah.units import MIB

_LITTLE_OF_THREAD_BYTES = 128 * MIB
_MUCH_BYTES = 4096 * MIB
_LEAST_BYTES = 64 * MIB
_BLOCK_BYTES = 4 * MIB
_LITTLE_REPEATS = 5
_MUCH_REPEATS = 3
_COPIES = 3


def make_pool(host: Host, blocks: int, pace: disks.Pace, within_s: float) -> _native.Pool:
    """Memory for measuring, less where touching it is slow; raises UserError if there is too little."""
    threads = math.ceil(host.usable_cpus)
    little = max(_LEAST_BYTES, blocks * _BLOCK_BYTES, threads * _LITTLE_OF_THREAD_BYTES)
    much = min(_MUCH_BYTES, host.usable_memory_bytes // 4)
    pace.report("memory, touched for the first time")
    try:
        before_s = pace.spent_s
        pool = _native.Pool(little, threads)
        touching_s = (pace.spent_s - before_s) * much / little
        if much >= 2 * little and touching_s <= within_s:
            del pool
            pool = _native.Pool(much, threads)
    except MemoryError as error:
        hint = "stop the processes that fill it, then measure again"
        raise UserError("memory", str(error), hint) from error
    return pool


def measure_rows(pool: _native.Pool, host: Host, pace: disks.Pace, within_s: float) -> RowCosts:
    """Costs of the local engine's steps, a thread for each CPU; sorting in little and in all memory."""
    threads = math.ceil(host.usable_cpus)
    little = min(pool.size_bytes, threads * _LITTLE_OF_THREAD_BYTES)
    sizes = [(little, _LITTLE_REPEATS)]
    if pool.size_bytes >= 2 * little:
        sizes.append((pool.size_bytes, _MUCH_REPEATS))
    measured = []
    for size, repeats in sizes:
        once = partial(_native.row_costs, pool, size, threads)
        measured.append(pace.repeated(once, most=repeats, within_s=within_s / len(sizes)))
    least = measured[0]
    return RowCosts(
        threads=threads,
        cpu_share=MeasuredFigure.of([cost.cpu_share for costs in measured for cost in costs]),
        **_figures(least, "generate_s_per_byte", "validate_s_per_byte"),
        sorts=tuple(
            SortCost(
                memory_bytes=size,
                windows=sorts[0].windows,
                window_rows=sorts[0].window_rows,
                **_figures(sorts, "sort_s_per_byte", "merge_s_per_byte"),
            )
            for costs, (size, _) in zip(measured, sizes, strict=True)
            for sorts in zip(*(cost.sorts for cost in costs), strict=True)
        ),
        codecs=tuple(
            CodecCost(
                codec=Codec(codecs[0].name),
                ratio=codecs[0].ratio,
                **_figures(codecs, "pack_s_per_byte", "unpack_s_per_byte"),
            )
            for codecs in zip(*(cost.codecs for cost in least), strict=True)
        ),
    )


def _figures(costs: Sequence[object], *names: str) -> dict[str, MeasuredFigure]:
    return {name: MeasuredFigure.of([getattr(cost, name) for cost in costs]) for name in names}


def measure_memory(pool: _native.Pool, host: Host, pace: disks.Pace, within_s: float) -> MeasuredFigure:
    """Bytes a second that all CPUs copy together."""
    once = partial(_native.memory_copy_bytes_per_s, pool, math.ceil(host.usable_cpus))
    return MeasuredFigure.of(pace.repeated(once, most=_COPIES, within_s=within_s))


_TOUCHING_SHARE = 0.15
_STREAMS_SHARE = 0.5
_ROWS_SHARE = 0.25
_MEMORY_SHARE = 0.05
_BUSY = 0.5


def measure(
    host: Host,
    data_dirs: Sequence[Path],
    *,
    limit_s: float,
    peers: Sequence[str] = (),
    report: Callable[[str], None] = lambda _: None,
) -> Host:
    """The host with what it was measured to do in about a minute, at most ``limit_s`` seconds.

    Files are written below the data directories and removed however it ends; disks are opened for reading
    only. ``peers`` are hosts that listen, to which the network is measured. ``report`` is called with the
    current step. Raises UserError for a directory that cannot be used, too little room, a peer that does not
    answer, or disks too slow for any figure within the time.
    """
    if not data_dirs:
        raise UserError("--data-dir", "is empty", "give a directory on each disk to measure")
    disks.check_room(data_dirs)
    load_average = os.getloadavg()[0]
    pace = disks.Pace(limit_s, report)
    # First, so that a peer that does not answer is told of at once.
    network = tuple(measure_peer(peer, pace) for peer in peers)
    pool = make_pool(host, len(data_dirs) * disks.depth_of(host), pace, limit_s * _TOUCHING_SHARE)
    with contextlib.ExitStack() as stack:
        folders = [stack.enter_context(disks.scratch(data_dir)) for data_dir in data_dirs]
        try:
            directories, together = _streams(pool, host, folders, pace)
        except disks.OutOfTime as error:
            problem = f"{limit_s:g} s are too few: the disks are slow or busy"
            hint = f"give {2 * limit_s:g}, or measure fewer directories at a time"
            raise UserError("--seconds", problem, hint) from error
    below = {name for directory in directories for name in directory.disks}
    zones, missing = disks.measure_zones(tuple(disk for disk in host.disks if disk.name in below), pace)
    report("memory and rows")
    memory = measure_memory(pool, host, pace, limit_s * _MEMORY_SHARE)
    rows = measure_rows(pool, host, pace, limit_s * _ROWS_SHARE)
    doubts = []
    if load_average > _BUSY * host.usable_cpus:
        why = f"other programs were running (load average {load_average:.1f}); measure when they have ended"
        doubts.append(NotMeasured(what="an idle machine", why=why))
    if not together.direct:
        why = "a data directory does not support direct I/O, so its rates include the page cache"
        doubts.append(NotMeasured(what="disks without the page cache", why=why))
    measured = Measured(
        seconds=round(pace.spent_s, 3),
        load_average=round(load_average, 2),
        memory_copy_bytes_per_s=memory,
        rows=rows,
        directories=directories,
        together=together,
        zones=zones,
        peers=network,
        not_measured=(*missing, *doubts),
    )
    return host.model_copy(update={"measured": measured})


def _streams(
    pool: _native.Pool, host: Host, folders: Sequence[Path], pace: disks.Pace
) -> tuple[tuple[DirectoryRates, ...], StreamRates]:
    """Each directory alone, then all at once where there are several."""
    directories: list[DirectoryRates] = []
    turns = len(folders) + (len(folders) > 1)
    within_s = _STREAMS_SHARE * pace.limit_s / turns
    for folder in folders:
        pace.report(f"{disks.data_dir_of(folder)} written, read and copied")
        directories.append(disks.measure_directory(pool, folder, host, pace, within_s))
    if len(folders) == 1:
        return tuple(directories), directories[0].rates
    pace.report("all directories at once")
    return tuple(directories), disks.measure_streams(pool, folders, disks.depth_of(host), pace, within_s)


_PACKAGE = "org.apache.hadoop.examples.terasort"
_MARKS = {
    "Waiting for map tasks": "maps begin",
    "map task executor complete": "maps end",
    "Waiting for reduce tasks": "reduces begin",
    "reduce task executor complete": "reduces end",
}
"""What LocalJobRunner logs, and which of a job's moments it is."""
_ROW_BYTES = 100
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_LITTLE, _MUCH = 500_000, 4_000_000  # Rows of the two sizes: 50 and 400 MB.
Marks = Mapping[str, float]  # CPU seconds of a process until each moment of its job.


class _Round(NamedTuple):
    client: float  # From the process's start until TeraGen's maps begin.
    generate: float
    sort: float
    reduce: float
    validate: float


def measure_task_costs(
    installation: Installation, folder: Path, *, rounds: int, report: Callable[[str], None]
) -> TaskCosts:
    """Costs from TeraSort's programs on little and much data; raises UserError if one fails."""
    pairs = []
    for number in range(rounds):
        little, much = (
            _round(installation, folder / f"{number}-{rows}", rows, report) for rows in (_LITTLE, _MUCH)
        )
        pairs.append((little, much))
    bytes_more = (_MUCH - _LITTLE) * _ROW_BYTES

    def per_byte(seconds: Callable[[_Round], float]) -> StepCost:
        return StepCost(tuple((seconds(much) - seconds(little)) / bytes_more for little, much in pairs))

    starts, clients = [], []
    for pair in pairs:
        # Code that is still interpreted or being compiled costs a task as much, however many bytes follow.
        steps = [(costs.generate + costs.sort + costs.reduce + costs.validate) / 4 for costs in pair]
        clients.append((pair[0].client + pair[1].client) / 2)
        starts.append(clients[-1] + (steps[0] - (steps[1] - steps[0]) * _LITTLE / (_MUCH - _LITTLE)))
    return TaskCosts(
        generate=per_byte(lambda costs: costs.generate),
        sort=per_byte(lambda costs: costs.sort),
        reduce=per_byte(lambda costs: costs.reduce),
        validate=per_byte(lambda costs: costs.validate),
        start_s=StepCost(tuple(starts)),
        client_s=StepCost(tuple(clients)),
        sorted_rows=_MUCH,
    )


def _round(installation: Installation, folder: Path, rows: int, report: Callable[[str], None]) -> _Round:
    folder.mkdir(parents=True)

    def run(program: str, *arguments: str) -> Marks:
        report(f"{program} of {rows:,} rows")
        return _marks(installation, folder, program, arguments)

    source, target = str(folder / "rows"), str(folder / "sorted")
    generated = run("TeraGen", "-Dmapreduce.job.maps=1", str(rows), source)
    sorting = run("TeraSort", source, target)
    validated = run("TeraValidate", target, str(folder / "report"))
    shutil.rmtree(folder)
    return _Round(
        client=generated["maps begin"],
        generate=generated["maps end"] - generated["maps begin"],
        sort=sorting["maps end"] - sorting["maps begin"],
        reduce=sorting["reduces end"] - sorting["reduces begin"],
        validate=validated["maps end"] - validated["maps begin"],
    )


def _marks(installation: Installation, folder: Path, program: str, arguments: Sequence[str]) -> Marks:
    """Run a program to its end, and read its CPU time at its job's moments."""
    command = java_command(
        installation,
        folder,
        f"{_PACKAGE}.{program}",
        "-Dfs.defaultFS=file:///",
        "-Dmapreduce.framework.name=local",
        f"-Dhadoop.tmp.dir={folder / 'tmp'}",
        # One split, so that one map sorts all; its buffer is that of the rules for large blocks.
        f"-Dmapreduce.input.fileinputformat.split.minsize={_MUCH * _ROW_BYTES}",
        "-Dmapreduce.job.reduces=1",
        "-Dmapreduce.task.io.sort.mb=256",
        "-Dmapreduce.terasort.final.sync=false",
        *arguments,
        options=("-Xmx1g",),
    )
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder
    )
    assert process.stderr is not None
    with process, process.stderr as log:
        marks, tail = _read(process.pid, log)
    if process.returncode != 0:
        hint = "check the free space of the temporary directory; TMPDIR moves it"
        raise UserError(program, f"failed on this machine: {tail}", hint)
    return marks


def _read(pid: int, log: Iterator[str]) -> tuple[Marks, str]:
    """The marks of a log as it is written, and its last line."""
    marks: dict[str, float] = {}
    last = ""
    for line in log:
        last = line.strip() or last
        for text, moment in _MARKS.items():
            if text in line:
                # User and system time of a process and all of its threads.
                fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
                marks[moment] = (int(fields[11]) + int(fields[12])) / _TICKS_PER_S
    return marks, last
