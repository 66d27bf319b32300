"""What rows cost this host's processors, and how fast its memory is copied."""

from __future__ import annotations

import math
from functools import partial

from howdah import _native
from howdah.errors import UserError
from howdah.model.host import Host
from howdah.model.measured import CodecCost, MeasuredFigure, RowCosts, SortCost
from howdah.model.workloads.terasort import Codec
from howdah.probe.measuring.scratch import Pace
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
    pace.tell("memory, touched for the first time")
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
    each = measured[0]
    return RowCosts(
        threads=threads,
        cpu_share=MeasuredFigure.of([cost.cpu_share for costs in measured for cost in costs]),
        generate_s_per_byte=MeasuredFigure.of([cost.generate_s_per_byte for cost in each]),
        validate_s_per_byte=MeasuredFigure.of([cost.validate_s_per_byte for cost in each]),
        sorts=tuple(
            _sort([cost.sorts[at] for cost in costs], size)
            for costs, (size, _) in zip(measured, sizes, strict=True)
            for at in range(len(costs[0].sorts))
        ),
        codecs=tuple(_codec([cost.codecs[at] for cost in each]) for at in range(len(each[0].codecs))),
    )


def measure_memory(pool: _native.Pool, host: Host, pace: Pace, within_s: float) -> MeasuredFigure:
    """Bytes a second that all CPUs copy together."""
    threads = math.ceil(host.usable_cpus)

    def once() -> float:
        return _native.memory_copy_bytes_per_s(pool, threads)

    return MeasuredFigure.of(pace.repeated(once, most=_COPIES, within_s=within_s))


def _sort(each: list[_native.SortCost], memory_bytes: int) -> SortCost:
    return SortCost(
        memory_bytes=memory_bytes,
        windows=each[0].windows,
        window_rows=each[0].window_rows,
        sort_s_per_byte=MeasuredFigure.of([cost.sort_s_per_byte for cost in each]),
        merge_s_per_byte=MeasuredFigure.of([cost.merge_s_per_byte for cost in each]),
    )


def _codec(each: list[_native.CodecCost]) -> CodecCost:
    return CodecCost(
        codec=Codec(each[0].name),
        pack_s_per_byte=MeasuredFigure.of([cost.pack_s_per_byte for cost in each]),
        unpack_s_per_byte=MeasuredFigure.of([cost.unpack_s_per_byte for cost in each]),
        ratio=each[0].ratio,
    )
