"""What rows cost this host's processors, and how fast its memory is copied."""

from __future__ import annotations

import math
from functools import partial

from howdah import _native
from howdah.model.host import Host
from howdah.model.measured import CodecCost, Figure, RowCosts, SortCost
from howdah.model.workload import Codec
from howdah.probe.measuring.pace import Pace
from howdah.units import MIB

_LITTLE_OF_THREAD_BYTES = 128 * MIB
_MUCH_BYTES = 4096 * MIB
_LEAST_BYTES = 64 * MIB
_LITTLE_REPEATS = 5
_MUCH_REPEATS = 3
_COPIES = 3


def pool_bytes(host: Host) -> int:
    """Memory that measuring takes: as much as a small run does, at most a quarter of what is free."""
    return max(_LEAST_BYTES, min(_MUCH_BYTES, host.usable_memory_bytes // 4))


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
        generate_s_per_byte=Figure.of([one.generate_s_per_byte for one in each]),
        validate_s_per_byte=Figure.of([one.validate_s_per_byte for one in each]),
        sorts=tuple(
            _sort([one.sorts[at] for one in costs], size)
            for costs, (size, _) in zip(measured, sizes, strict=True)
            for at in range(len(costs[0].sorts))
        ),
        codecs=tuple(_codec([one.codecs[at] for one in each]) for at in range(len(each[0].codecs))),
    )


def measure_memory(pool: _native.Pool, host: Host, pace: Pace, within_s: float) -> Figure:
    """Bytes a second that all CPUs copy together."""
    threads = math.ceil(host.usable_cpus)

    def once() -> float:
        return _native.memory_copy_bytes_per_s(pool, threads)

    return Figure.of(pace.repeated(once, most=_COPIES, within_s=within_s))


def _sort(each: list[_native.SortCost], memory_bytes: int) -> SortCost:
    return SortCost(
        memory_bytes=memory_bytes,
        windows=each[0].windows,
        window_rows=each[0].window_rows,
        sort_s_per_byte=Figure.of([one.sort_s_per_byte for one in each]),
        merge_s_per_byte=Figure.of([one.merge_s_per_byte for one in each]),
    )


def _codec(each: list[_native.CodecCost]) -> CodecCost:
    return CodecCost(
        codec=Codec(each[0].name),
        pack_s_per_byte=Figure.of([one.pack_s_per_byte for one in each]),
        unpack_s_per_byte=Figure.of([one.unpack_s_per_byte for one in each]),
        ratio=each[0].ratio,
    )
