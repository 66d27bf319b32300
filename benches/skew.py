"""What keys that are not uniform cost."""

from __future__ import annotations

from benches.contestant import Output, ours
from benches.race import Course, Start
from benches.result import Case, Goal, Result, kernel_ratio
from benches.rows import KEYS
from benches.sizes import Request, ample_memory_bytes, dataset_bytes, scarce_memory_bytes

_IN_MEMORY_ROWS = 10_000_000
_OUT_OF_MEMORY_ROWS = 40_000_000
_MOST_TIMES_UNIFORM = 1.5


def skew(course: Course, request: Request) -> Result:
    """Sort every key distribution, in memory and out of it, in turns with uniform keys."""
    inside = request.rows or _IN_MEMORY_ROWS
    outside = request.rows or _OUT_OF_MEMORY_ROWS
    budget = scarce_memory_bytes(outside, dataset_bytes(outside) // 4, course.threads)
    cases = (
        *_race(course, "in memory", inside, ample_memory_bytes()),
        *_race(course, "out of memory", outside, budget),
    )
    return Result(
        bench="skew",
        title=f"{inside:,} rows in memory, {outside:,} rows in a budget of {budget / 1e9:.2f} GB",
        cases=cases,
        goals=tuple(_goals(cases[: len(KEYS)]) + _goals(cases[len(KEYS) :])),
    )


def _race(course: Course, where: str, rows: int, memory_bytes: int) -> tuple[Case, ...]:
    course.workspace.require((len(KEYS) + 2) * dataset_bytes(rows))
    contestants = [ours("sort", Output.SORTED)]
    starts = [
        Start(f"{where}, {keys}", course.make_input(keys, rows), memory_bytes, contestants) for keys in KEYS
    ]
    cases = course.race(starts)
    course.workspace.drop_inputs()
    return cases


def _goals(cases: tuple[Case, ...]) -> list[Goal]:
    uniform, *others = cases
    return [
        Goal(
            claim=f"{case.name} / {uniform.keys}",
            measured=kernel_ratio(case, uniform),
            bound=_MOST_TIMES_UNIFORM,
            at_most=True,
        )
        for case in others
    ]
