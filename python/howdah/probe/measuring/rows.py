"""What rows cost this host's processors, and how fast its memory is copied."""

from __future__ import annotations

import math

from howdah import _native
from howdah.model.host import Host
from howdah.model.measured import CodecCost, Figure, RowCosts, SortCost
from howdah.model.workload import Codec
from howdah.probe.measuring.pace import Pace
from howdah.units import MIB

_OF_THREAD_BYTES = 256 * MIB
_LEAST_BYTES = 64 * MIB
_REPEATS = 5
_COPIES = 3


def pool_bytes(host: Host) -> int:
    """Memory that measuring takes: far more than caches hold, at most a quarter of what is free."""
    wanted = math.ceil(host.usable_cpus) * _OF_THREAD_BYTES
    return max(_LEAST_BYTES, min(wanted, host.usable_memory_bytes // 4))


def measure_rows(pool: _native.Pool, host: Host, pace: Pace, within_s: float) -> RowCosts:
    """Costs of every step of the local engine, with a thread for each CPU at work."""
    threads = math.ceil(host.usable_cpus)
    each = pace.repeated(lambda: _native.row_costs(pool, threads), most=_REPEATS, within_s=within_s)
    first = each[0]
    return RowCosts(
        threads=threads,
        generate_s_per_byte=Figure.of([one.generate_s_per_byte for one in each]),
        validate_s_per_byte=Figure.of([one.validate_s_per_byte for one in each]),
        sorts=tuple(_sort([one.sorts[at] for one in each]) for at in range(len(first.sorts))),
        codecs=tuple(_codec([one.codecs[at] for one in each]) for at in range(len(first.codecs))),
    )


def measure_memory(pool: _native.Pool, host: Host, pace: Pace, within_s: float) -> Figure:
    """Bytes a second that all CPUs copy together."""
    threads = math.ceil(host.usable_cpus)

    def once() -> float:
        return _native.memory_copy_bytes_per_s(pool, threads)

    return Figure.of(pace.repeated(once, most=_COPIES, within_s=within_s))


def _sort(each: list[_native.SortCost]) -> SortCost:
    return SortCost(
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
