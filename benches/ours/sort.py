"""howdah's terasort with the tasks, slots and share of a budget that the local engine would give it."""

from __future__ import annotations

import json
import time

from benches.ours.kernel import timed
from benches.task import Task, task_of_command_line
from howdah import _native

PROCESS_BYTES = 192 * 2**20
"""What the local engine leaves of a budget to the process around its kernels."""


def slots_of(threads: int) -> int:
    """Tasks run at once, as the local planner chooses them."""
    return 2 * threads


def least_budget_bytes(rows: int, threads: int) -> int:
    """The smallest budget that so many rows can be sorted in."""
    slots = slots_of(threads)
    least, _ = _native.terasort_needs(rows, slots, slots)
    return least + PROCESS_BYTES


def sort(task: Task) -> None:
    """Sort the input file and print what the kernel says about it."""
    slots = slots_of(task.threads)
    _, in_memory_bytes = _native.terasort_needs(task.rows, slots, slots)
    pool = _native.Pool(min(in_memory_bytes, task.memory_bytes - PROCESS_BYTES), task.threads)
    outputs = [str(task.output / f"part-r-{number:05d}") for number in range(slots)]
    start_ns = time.monotonic_ns()
    operation = _native.terasort(
        pool, [str(task.input)], outputs, [str(task.scratch)], 4 * slots, slots, slots, "none"
    )
    done, own_s = timed(start_ns, operation)
    phases = {name: (end - start) / 1e9 for name, start, end in operation.phases()}
    print(
        json.dumps(
            {
                "own_s": own_s,
                "phases_s": phases,
                "in_memory": done.in_memory,
                "spilled_bytes": done.spilled_bytes,
                "direct": done.direct,
                "pool_bytes": pool.size_bytes,
            }
        )
    )


if __name__ == "__main__":
    sort(task_of_command_line())
