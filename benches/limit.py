"""The raw limit: plain blocks moved by direct I/O, with no row looked at.

``python -m benches.limit WORK DEPTH INPUT OUTPUT SCRATCH ROWS MEMORY THREADS`` prints the seconds it
took as JSON. The limit is made as hard to reach as we know how: several blocks under way at once (DEPTH),
in huge pages, so that a block is few segments to the device; room preallocated; only the transfer and
the final fsync timed. Each block costs some twenty microseconds of Python, which no device notices.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from benches.task import Task, task_of_command_line

DEPTHS = (2, 4, 8, 16)
"""Blocks under way at once that are worth trying."""

_ALIGN = 4096
_HUGE_PAGE = 2 << 20
_BLOCK = 4 << 20

Transfer = Callable[[memoryview, int], None]


def read_then_write(task: Task, depth: int) -> float:
    """Seconds to read the whole input and then to write as much: the least an in-memory sort does."""
    return read(task, depth) + write(task, depth)


def two_copies(task: Task, depth: int) -> float:
    """Seconds to copy the input twice: the least a sort does that has to spill everything once.

    The first copy is removed before the second, so that both of them need room only once.
    """
    copies_s = _copy(task, depth)
    (task.output / "part-00000").unlink()
    return copies_s + _copy(task, depth)


def read(task: Task, depth: int) -> float:
    """Seconds to read the whole input."""
    with _open(task.input, os.O_RDONLY) as source:
        return _timed(task.bytes, depth, lambda block, offset: _read(source, block, offset, task.bytes))


def write(task: Task, depth: int) -> float:
    """Seconds to write as many bytes as the rows have, and to have them on disk."""
    with _new_output(task) as output:
        return _timed(
            task.bytes,
            depth,
            lambda block, offset: _write(output, block, offset, task.bytes),
            finish=lambda: os.fsync(output),
        )


def _copy(task: Task, depth: int) -> float:
    with _open(task.input, os.O_RDONLY) as source, _new_output(task) as output:

        def transfer(block: memoryview, offset: int) -> None:
            _read(source, block, offset, task.bytes)
            _write(output, block, offset, task.bytes)

        return _timed(task.bytes, depth, transfer, finish=lambda: os.fsync(output))


@contextmanager
def _open(path: Path, flags: int) -> Iterator[int]:
    file = os.open(path, flags | os.O_DIRECT)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def _new_output(task: Task) -> Iterator[int]:
    """A new file with room for the rows, which is cut to their length at its end."""
    with _open(task.output / "part-00000", os.O_CREAT | os.O_EXCL | os.O_WRONLY) as output:
        os.posix_fallocate(output, 0, _padded(task.bytes))
        yield output
        os.ftruncate(output, task.bytes)


def _padded(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _read(file: int, block: memoryview, offset: int, end: int) -> None:
    wanted = min(len(block), end - offset)
    if os.preadv(file, [block], offset) != wanted:
        raise OSError(f"a read of {wanted} bytes at {offset} came back short")


def _write(file: int, block: memoryview, offset: int, end: int) -> None:
    wanted = _padded(min(len(block), end - offset))
    if os.pwritev(file, [block[:wanted]], offset) != wanted:
        raise OSError(f"a write of {wanted} bytes at {offset} came back short")


def _timed(size: int, depth: int, transfer: Transfer, finish: Callable[[], None] = lambda: None) -> float:
    """Seconds to hand every block of ``size`` bytes to ``transfer`` once, ``depth`` of them at a time."""
    offsets = iter(range(0, size, _BLOCK))
    turn = Lock()

    def work(block: memoryview) -> None:
        while True:
            with turn:
                offset = next(offsets, None)
            if offset is None:
                return
            transfer(block, offset)

    blocks = _touched_blocks(depth)
    with ThreadPoolExecutor(depth) as threads:
        start_ns = time.monotonic_ns()
        for done in [threads.submit(work, block) for block in blocks]:
            done.result()
        finish()
        return (time.monotonic_ns() - start_ns) / 1e9


def _touched_blocks(count: int) -> list[memoryview]:
    # Python's anonymous maps are shared by default, and shared memory gets no huge pages.
    memory = mmap.mmap(-1, count * _BLOCK + _HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    whole = memoryview(memory)
    start = -ctypes.addressof(ctypes.c_char.from_buffer(memory)) % _HUGE_PAGE
    blocks = [whole[start + at * _BLOCK : start + (at + 1) * _BLOCK] for at in range(count)]
    for block in blocks:
        # Random bytes, so that no disk below can save itself the work of equal or compressible blocks.
        block[:] = os.urandom(_BLOCK)
    return blocks


WORKS = {"read-then-write": read_then_write, "two-copies": two_copies, "read": read, "write": write}
"""What can be asked for on the command line."""


if __name__ == "__main__":
    print(json.dumps({"own_s": WORKS[sys.argv[1]](task_of_command_line(), int(sys.argv[2]))}))
