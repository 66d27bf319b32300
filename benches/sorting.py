"""Sorting against the peers and the limit: in memory, and in a quarter of the data's size."""

from __future__ import annotations

from collections.abc import Sequence

from benches.contestant import OURS, Contestant, Output, ours, peer
from benches.race import Course, Start
from benches.result import Case, Goal, Result
from benches.sizes import Request, ample_memory_bytes, dataset_bytes, scarce_memory_bytes

_IN_MEMORY_ROWS = 10_000_000
_OUT_OF_MEMORY_ROWS = 40_000_000
_MOST_TIMES_LIMIT = 1.25
_IN_MEMORY_SPEED_UPS = {"duckdb": 4.0, "polars": 6.0, "gnu-sort": 8.0, "pyspark": 30.0}
_OUT_OF_MEMORY_SPEED_UPS = {"duckdb": 5.0, "gnu-sort": 8.0, "pyspark": 12.0}


def in_memory(course: Course, request: Request) -> Result:
    """Everything fits: read once, sorted, written once."""
    rows = request.rows or _IN_MEMORY_ROWS
    case, remarks = _race(
        course, rows, ample_memory_bytes(), "read-then-write", _wanted(request, _IN_MEMORY_SPEED_UPS)
    )
    return Result(
        bench="in-memory",
        title=f"{rows:,} rows in memory; the limit reads the file and then writes it",
        cases=(case,),
        goals=(*_sorting_goals(case, _IN_MEMORY_SPEED_UPS),),
        remarks=remarks,
    )


def out_of_memory(course: Course, request: Request) -> Result:
    """A quarter of the data fits, so everything is spilled once."""
    rows = request.rows or _OUT_OF_MEMORY_ROWS
    budget = scarce_memory_bytes(rows, dataset_bytes(rows) // 4, course.threads)
    case, remarks = _race(course, rows, budget, "two-copies", _wanted(request, _OUT_OF_MEMORY_SPEED_UPS))
    peak = max(turn.peak_rss_bytes for turn in case.of(OURS))
    if "polars" in request.peers:
        remarks += ("polars is left out: it cannot be given a memory budget",)
    return Result(
        bench="out-of-memory",
        title=f"{rows:,} rows in a budget of {budget / 1e9:.2f} GB; the limit copies the file twice",
        cases=(case,),
        goals=(
            *_sorting_goals(case, _OUT_OF_MEMORY_SPEED_UPS),
            Goal(claim="peak RSS / budget", measured=peak / budget, bound=1.0, at_most=True),
        ),
        remarks=remarks,
    )


def _wanted(request: Request, known: dict[str, float]) -> list[str]:
    return [name for name in known if name in request.peers]


def _race(
    course: Course, rows: int, memory_bytes: int, limit_work: str, peers: Sequence[str]
) -> tuple[Case, tuple[str, ...]]:
    """One case with howdah, the limit and those of the peers that are installed."""
    # Input, output and a peer's intermediate data, which may be a little larger than the rows are.
    course.workspace.require(dataset_bytes(rows) * 7 // 2)
    found: list[Contestant] = []
    remarks: list[str] = []
    for name in peers:
        try:
            found.append(peer(name))
        except LookupError as missing:
            remarks.append(f"{name} is left out: {missing}")
    source = course.make_input("uniform", rows)
    hardest = course.hardest_limit(limit_work, source, Output.COPIED if "cop" in limit_work else Output.NONE)
    contestants = [hardest, ours("sort", Output.SORTED), *found]
    (case,) = course.race([Start("uniform", source, memory_bytes, contestants)])
    return case, tuple(remarks)


def _sorting_goals(case: Case, speed_ups: dict[str, float]) -> list[Goal]:
    to_limit = case.to_limit(OURS)
    goals = [] if to_limit is None else [times_limit(to_limit, _MOST_TIMES_LIMIT)]
    goals += [
        Goal(
            claim=f"{name} / howdah, whole processes",
            measured=case.speed_up(name),
            bound=least,
            at_most=False,
        )
        for name, least in speed_ups.items()
        if name in case.contestants
    ]
    return goals


def times_limit(measured: float, bound: float) -> Goal:
    """How close howdah's kernel comes to the limit of the same turn."""
    return Goal(claim="howdah's kernel / limit", measured=measured, bound=bound, at_most=True)
