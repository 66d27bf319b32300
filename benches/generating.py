"""TeraGen against the raw write limit, and into memory."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from statistics import median

from benches.contestant import OURS, Output, ours
from benches.process import run_process
from benches.race import Course, Input, Start
from benches.result import Goal, Result
from benches.sizes import Request, dataset_bytes
from benches.sorting import times_limit

_ROWS = 20_000_000
_MOST_TIMES_LIMIT = 1.05
_ROWS_PER_S_AND_CORE = 100e6
_IN_MEMORY_PROGRAM = ("cargo", "run", "--quiet", "--release", "--package", "howdah-sort", "--example")


def teragen(course: Course, request: Request) -> Result:
    """Write TeraGen's rows in turns with plain blocks, then make them in memory only."""
    rows = request.rows or _ROWS
    course.workspace.require(2 * dataset_bytes(rows))
    nothing = Input(course.workspace.inputs / "none", "", rows, "")
    hardest = course.hardest_limit("write", nothing, Output.NONE)
    (case,) = course.race([Start("to disk", nothing, 0, [hardest, ours("generate", Output.GENERATED)])])
    to_limit = case.to_limit(OURS)
    figures, remarks = _rates_in_memory(course)
    goals = [] if to_limit is None else [times_limit(to_limit, _MOST_TIMES_LIMIT)]
    goals += [
        Goal(claim=name, measured=rate / 1e6, bound=_ROWS_PER_S_AND_CORE / 1e6, at_most=False, unit="M/s")
        for name, rate in figures.items()
    ]
    return Result(
        bench="teragen",
        title=f"{rows:,} rows to disk; the limit writes plain blocks",
        cases=(case,),
        figures=figures,
        goals=tuple(goals),
        remarks=remarks,
    )


def _rates_in_memory(course: Course) -> tuple[dict[str, float], tuple[str, ...]]:
    """Rows a second that one core makes in memory, the median of as many tries as there are turns."""
    if shutil.which("cargo") is None:
        return {}, ("rows into memory are left out: cargo is not installed",)
    command = [*_IN_MEMORY_PROGRAM, "rows_into_memory"]
    scratch: Path = course.workspace.scratch
    course.workspace.fresh()
    course.tell("building and timing rows into memory")
    run_process(command, scratch)
    tries = [json.loads(run_process(command, scratch).printed) for _ in range(course.repeats)]
    names = {
        "rows/s per core into memory, with checksum": "summed_rows_per_s",
        "rows/s per core into memory, without checksum": "plain_rows_per_s",
    }
    return {name: median(one[key] for one in tries) for name, key in names.items()}, ()
