"""What a small read costs beside its bytes: reads here and there in a file, past the page cache.

A sort that spills much reads its runs in pieces of some hundred kilobytes, and waits for each.
"""

from __future__ import annotations

import mmap
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from howdah import _native
from howdah.model.measured import Figure
from howdah.probe.measuring.pace import Pace
from howdah.units import KIB, MIB

_FILE_BYTES = 64 * MIB
_PIECE_BYTES = 128 * KIB
_READS = 50
_REPEATS = 5
_LEAST_S = 1e-6


def measure_requests(
    pool: _native.Pool, folder: Path, under_way: int, read_bytes_per_s: float, pace: Pace
) -> Figure:
    """Seconds beyond the transfer that a read of 128 KiB takes, with so many under way.

    The transfer is that of all the reads under way, at the rate that reading in order has. A file system
    that refuses direct I/O answers from the page cache.
    """
    file = folder / "pieces"
    pace.finish(_native.storage_write(pool, [str(file)], _FILE_BYTES))
    transfer_s = under_way * _PIECE_BYTES / read_bytes_per_s

    def once() -> float:
        with ThreadPoolExecutor(under_way) as readers:
            times = [one for some in readers.map(_reads, [file] * under_way) for one in some]
        return max(_LEAST_S, median(times) - transfer_s)

    try:
        return Figure.of(pace.repeated(once, most=_REPEATS, within_s=1.0))
    finally:
        file.unlink()


def _reads(file: Path) -> list[float]:
    """Seconds that each of some reads took."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    except OSError:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    times = []
    try:
        with mmap.mmap(-1, _PIECE_BYTES) as piece:
            for _ in range(_READS):
                offset = random.randrange(_FILE_BYTES // _PIECE_BYTES) * _PIECE_BYTES
                started_s = time.monotonic()
                os.preadv(handle, [piece], offset)
                times.append(time.monotonic() - started_s)
    finally:
        os.close(handle)
    return times
