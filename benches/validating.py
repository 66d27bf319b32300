"""TeraValidate against the raw read limit."""

from __future__ import annotations

from benches.contestant import OURS, Output, ours
from benches.race import Course, Start
from benches.result import Result
from benches.sizes import Request, dataset_bytes
from benches.sorting import times_limit

_ROWS = 20_000_000
_LEAST_SHARE_OF_LIMIT = 0.9


def teravalidate(course: Course, request: Request) -> Result:
    """Validate a file of sorted rows in turns with plainly reading it."""
    rows = request.rows or _ROWS
    course.workspace.require(dataset_bytes(rows))
    source = course.make_input("sorted", rows)
    hardest = course.hardest_limit("read", source, Output.NONE)
    (case,) = course.race([Start("from disk", source, 0, [hardest, ours("validate", Output.FOUND)])])
    to_limit = case.to_limit(OURS)
    return Result(
        bench="teravalidate",
        title=f"{rows:,} sorted rows; the limit reads the file",
        cases=(case,),
        goals=() if to_limit is None else (times_limit(to_limit, 1 / _LEAST_SHARE_OF_LIMIT),),
    )
