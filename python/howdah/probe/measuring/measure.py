"""A host measured: rows and memory, data directories, whole disks, peers, each in its share of the time."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from howdah import _native
from howdah.errors import UserError
from howdah.model.host import Disk, Host
from howdah.model.measured import (
    CodecCost,
    DirectoryRates,
    Measured,
    MeasuredFigure,
    NotMeasured,
    RowCosts,
    SortCost,
    StreamRates,
)
from howdah.model.workloads.terasort import Codec
from howdah.probe.measuring.disks import (
    OutOfTime,
    Pace,
    check_room,
    data_dir_of,
    depth_of,
    measure_directory,
    measure_streams,
    measure_zones,
    scratch,
)
from howdah.probe.measuring.peers import measure_peer
from howdah.units import MIB

_LITTLE_OF_THREAD_BYTES = 128 * MIB
_MUCH_BYTES = 4096 * MIB
_LEAST_BYTES = 64 * MIB
_BLOCK_BYTES = 4 * MIB
_LITTLE_REPEATS = 5
_MUCH_REPEATS = 3
_COPIES = 3


def make_pool(host: Host, blocks: int, pace: Pace, within_s: float) -> _native.Pool:
    """Memory to measure with: as much as a small run takes, at most a quarter of what is free.

    Where its first touch would take longer than ``within_s``, as on a virtual machine that its host has yet
    to back with memory, it is less: enough for so many blocks under way, and more than caches hold. Raises
    UserError where the system has not that much.
    """
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
        raise UserError(
            "memory", str(error), "stop the processes that fill it, then measure again"
        ) from error
    return pool


def measure_rows(pool: _native.Pool, host: Host, pace: Pace, within_s: float) -> RowCosts:
    """Costs of every step of the local engine, with a thread for each CPU at work.

    Sorting is measured in little memory and in all of the pool; everything else goes through memory in
    order, so that it makes no difference.
    """
    threads = math.ceil(host.usable_cpus)
    little = min(pool.size_bytes, threads * _LITTLE_OF_THREAD_BYTES)
    sizes = [(little, _LITTLE_REPEATS)]
    if pool.size_bytes >= 2 * little:
        sizes.append((pool.size_bytes, _MUCH_REPEATS))
    measured = [
        pace.repeated(
            partial(_native.row_costs, pool, size, threads), most=repeats, within_s=within_s / len(sizes)
        )
        for size, repeats in sizes
    ]
    least = measured[0]
    return RowCosts(
        threads=threads,
        cpu_share=MeasuredFigure.of([cost.cpu_share for costs in measured for cost in costs]),
        generate_s_per_byte=MeasuredFigure.of([cost.generate_s_per_byte for cost in least]),
        validate_s_per_byte=MeasuredFigure.of([cost.validate_s_per_byte for cost in least]),
        sorts=tuple(
            _sort([cost.sorts[at] for cost in costs], size)
            for costs, (size, _) in zip(measured, sizes, strict=True)
            for at in range(len(costs[0].sorts))
        ),
        codecs=tuple(_codec([cost.codecs[at] for cost in least]) for at in range(len(least[0].codecs))),
    )


def measure_memory(pool: _native.Pool, host: Host, pace: Pace, within_s: float) -> MeasuredFigure:
    """Bytes a second that all CPUs copy together."""
    threads = math.ceil(host.usable_cpus)

    def once() -> float:
        return _native.memory_copy_bytes_per_s(pool, threads)

    return MeasuredFigure.of(pace.repeated(once, most=_COPIES, within_s=within_s))


def _sort(costs: list[_native.SortCost], memory_bytes: int) -> SortCost:
    return SortCost(
        memory_bytes=memory_bytes,
        windows=costs[0].windows,
        window_rows=costs[0].window_rows,
        sort_s_per_byte=MeasuredFigure.of([cost.sort_s_per_byte for cost in costs]),
        merge_s_per_byte=MeasuredFigure.of([cost.merge_s_per_byte for cost in costs]),
    )


def _codec(costs: list[_native.CodecCost]) -> CodecCost:
    return CodecCost(
        codec=Codec(costs[0].name),
        pack_s_per_byte=MeasuredFigure.of([cost.pack_s_per_byte for cost in costs]),
        unpack_s_per_byte=MeasuredFigure.of([cost.unpack_s_per_byte for cost in costs]),
        ratio=costs[0].ratio,
    )


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
    check_room(data_dirs)
    load_average = os.getloadavg()[0]
    pace = Pace(limit_s, report)
    # First, so that a peer that does not answer is told of at once.
    network = tuple(measure_peer(peer, pace) for peer in peers)
    pool = make_pool(host, len(data_dirs) * depth_of(host), pace, limit_s * _TOUCHING_SHARE)
    with contextlib.ExitStack() as stack:
        folders = [stack.enter_context(scratch(data_dir)) for data_dir in data_dirs]
        try:
            directories, together = _streams(pool, host, folders, pace)
        except OutOfTime as error:
            raise UserError(
                "--seconds",
                f"{limit_s:g} s are too few: the disks are slow or busy",
                f"give {2 * limit_s:g}, or measure fewer directories at a time",
            ) from error
    zones, missing = measure_zones(_disks(host, directories), pace)
    report("memory and rows")
    memory = measure_memory(pool, host, pace, limit_s * _MEMORY_SHARE)
    rows = measure_rows(pool, host, pace, limit_s * _ROWS_SHARE)
    measured = Measured(
        seconds=round(pace.spent_s, 3),
        load_average=round(load_average, 2),
        memory_copy_bytes_per_s=memory,
        rows=rows,
        directories=directories,
        together=together,
        zones=zones,
        peers=network,
        not_measured=(*missing, *_doubts(host, load_average, together)),
    )
    return host.model_copy(update={"measured": measured})


def _streams(
    pool: _native.Pool, host: Host, folders: Sequence[Path], pace: Pace
) -> tuple[tuple[DirectoryRates, ...], StreamRates]:
    """Each directory alone, then all at once where there are several."""
    directories: list[DirectoryRates] = []
    turns = len(folders) + (len(folders) > 1)
    within_s = _STREAMS_SHARE * pace.limit_s / turns
    for folder in folders:
        pace.report(f"{data_dir_of(folder)} written, read and copied")
        directories.append(measure_directory(pool, folder, host, pace, within_s))
    if len(folders) == 1:
        return tuple(directories), directories[0].rates
    pace.report("all directories at once")
    return tuple(directories), measure_streams(pool, folders, depth_of(host), pace, within_s)


def _disks(host: Host, directories: Sequence[DirectoryRates]) -> tuple[Disk, ...]:
    below = {name for directory in directories for name in directory.disks}
    return tuple(disk for disk in host.disks if disk.name in below)


def _doubts(host: Host, load_average: float, together: StreamRates) -> list[NotMeasured]:
    doubts = []
    if load_average > _BUSY * host.usable_cpus:
        why = f"other programs were running (load average {load_average:.1f}); measure when they have ended"
        doubts.append(NotMeasured(what="an idle machine", why=why))
    if not together.direct:
        why = "a data directory does not support direct I/O, so its rates include the page cache"
        doubts.append(NotMeasured(what="disks without the page cache", why=why))
    return doubts
