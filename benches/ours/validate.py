"""howdah's teravalidate over a file, or over all files of a directory.

It is a competitor here and the judge of all others in ``benches.check``.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from benches.ours.kernel import timed
from benches.ours.sort import slots_of
from benches.task import Task, task_of_command_line
from howdah import _native

_BUFFER_BYTES = 256 * 2**20


def validate(inputs: list[Path], report: Path, threads: int) -> tuple[_native.Teravalidate, float]:
    """Read the rows once; return what was found in them and the seconds it took."""
    pool = _native.Pool(_BUFFER_BYTES, threads)
    start_ns = time.monotonic_ns()
    operation = _native.teravalidate(
        pool, [str(path) for path in inputs], str(report), slots_of(threads), None
    )
    return timed(start_ns, operation)


def compete(task: Task) -> None:
    """Validate the input file and print what the kernel says about it."""
    found, own_s = validate([task.input], task.output / "part-r-00000", task.threads)
    print(
        json.dumps(
            {
                "own_s": own_s,
                "rows": found.rows,
                "checksum": found.checksum,
                "errors": found.errors,
                "direct": found.direct,
            }
        )
    )


if __name__ == "__main__":
    compete(task_of_command_line())
