"""howdah's teragen onto the disk."""

from __future__ import annotations

import json
import time

from benches.ours.kernel import timed
from benches.ours.sort import slots_of
from benches.task import Task, task_of_command_line
from howdah import _native

_BUFFER_BYTES = 256 * 2**20


def generate(task: Task) -> None:
    """Write TeraGen's rows into the output directory and print what the kernel says about it."""
    slots = slots_of(task.threads)
    pool = _native.Pool(_BUFFER_BYTES, task.threads)
    files = [str(task.output / f"part-m-{number:05d}") for number in range(slots)]
    start_ns = time.monotonic_ns()
    done, own_s = timed(start_ns, _native.teragen(pool, files, task.rows, slots))
    print(json.dumps({"own_s": own_s, "rows": done.rows, "checksum": done.checksum, "direct": done.direct}))


if __name__ == "__main__":
    generate(task_of_command_line())
