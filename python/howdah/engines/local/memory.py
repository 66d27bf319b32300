"""Divide a memory budget between the kernels' pool and the rest of the process."""

from __future__ import annotations

from howdah import _native
from howdah.errors import UserError
from howdah.model.tables import Job
from howdah.model.workloads.terasort import TeraSort
from howdah.telemetry.processes import rss_bytes
from howdah.units import MIB, format_memory

USUAL_PROCESS_BYTES = 192 * MIB
"""Memory of Python, its libraries and thread stacks, including their growth during a run."""

_GROWTH_BYTES = 48 * MIB
_BUFFERS_BYTES = 256 * MIB
_LEAST_POOL_BYTES = 64 * MIB
_STORE_BUFFERS_BYTES = 64 * MIB
"""Upper limit of the embedded store's write buffers for each directory."""
_LEAST_CACHE_BYTES = 16 * MIB
_CACHED_FOR_EACH = 1.25
"""Bytes of the store's cache for each byte of records, including names and indexes."""


def sort_needs(rows: int, reduces: int, slots: int, process_bytes: int | None = None) -> tuple[int, int]:
    """(least budget that can sort so many rows, least that sorts them without spilling), bytes.

    ``process_bytes`` is what the process around the kernels occupies; where left out, what this one does.
    """
    least, in_memory = _native.terasort_needs(rows, reduces, slots)
    # The process grows by a few libraries between the plan and the run.
    process = (process_bytes or _process_bytes()) + _GROWTH_BYTES
    return max(least, _LEAST_POOL_BYTES) + process, max(in_memory, _LEAST_POOL_BYTES) + process


def pool_bytes(job: Job, process_bytes: int | None = None) -> int:
    """The size of the kernels' pool under the job's budget; raise UserError if that is too small.

    A sort gets all that is left of the budget, up to what keeps the dataset in memory.
    ``process_bytes`` is as for `sort_needs`.
    """
    worker = job.plan.workers[0]
    process = process_bytes or _process_bytes()
    remaining = worker.memory_bytes - process
    if remaining < _LEAST_POOL_BYTES:
        raise UserError(
            "--memory",
            f"{format_memory(worker.memory_bytes)} is too small to run in",
            f"give at least {format_memory(process + _LEAST_POOL_BYTES)}",
        )
    sorts = [item for item in job.suite.workloads if isinstance(item, TeraSort)]
    moves = any(item.uses_disks for item in job.suite.workloads)
    useful = max(
        [_BUFFERS_BYTES if moves else _LEAST_POOL_BYTES, *(_in_memory_bytes(job, sort) for sort in sorts)]
    )
    return min(remaining, useful)


def store_needs(table_bytes: int, data_dirs: int) -> int:
    """The least budget in which the embedded store keeps a table of that size in its cache, bytes."""
    return _around_cache_bytes(data_dirs) + max(_LEAST_CACHE_BYTES, int(table_bytes * _CACHED_FOR_EACH))


def store_cache_bytes(job: Job) -> int:
    """The embedded store's cache within the budget; raises UserError if it is too small."""
    worker = job.plan.workers[0]
    around = _around_cache_bytes(len(worker.data_dirs))
    if worker.memory_bytes < around + _LEAST_CACHE_BYTES:
        raise UserError(
            "--memory",
            f"{format_memory(worker.memory_bytes)} is too small for the store of YCSB's table",
            f"give at least {format_memory(around + _LEAST_CACHE_BYTES)}",
        )
    return worker.memory_bytes - around


def _around_cache_bytes(data_dirs: int) -> int:
    process = USUAL_PROCESS_BYTES + _GROWTH_BYTES + _LEAST_POOL_BYTES
    return process + data_dirs * _STORE_BUFFERS_BYTES


def sorts_in_memory(job: Job, workload: TeraSort, size_bytes: int) -> bool:
    """Whether a pool of that size sorts the workload's rows without spilling."""
    return size_bytes >= _in_memory_bytes(job, workload)


def _in_memory_bytes(job: Job, sort: TeraSort) -> int:
    worker = job.plan.workers[0]
    slots = max(worker.map_slots, worker.reduce_slots)
    _, in_memory = _native.terasort_needs(sort.rows or 0, sort.reduces or 1, slots)
    return in_memory


def _process_bytes() -> int:
    return max(USUAL_PROCESS_BYTES, rss_bytes() + _GROWTH_BYTES)
