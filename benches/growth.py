"""How the time for a row grows with the number of rows while the memory stays as it is."""

from __future__ import annotations

import math
from statistics import median

from benches.contestant import OURS, Contestant, Output, ours
from benches.race import Course, Start
from benches.result import Case, Goal, Result
from benches.sizes import Request, dataset_bytes, scarce_memory_bytes
from howdah.units import format_bytes

_MOST_ROWS = 160_000_000
_DOUBLINGS = 4


def growth(course: Course, request: Request) -> Result:
    """Sort five sizes, each twice the one before, in a budget as large as the smallest."""
    most = request.rows or _MOST_ROWS
    sizes = [most >> doublings for doublings in range(_DOUBLINGS, -1, -1)]
    budget = scarce_memory_bytes(most, dataset_bytes(sizes[0]), course.threads)
    cases: list[Case] = []
    remarks: list[str] = []
    hardest: Contestant | None = None
    for rows in sizes:
        name = format_bytes(dataset_bytes(rows))
        needed = 3 * dataset_bytes(rows)
        if not course.workspace.room_for(needed):
            remarks.append(f"{name} is left out: {format_bytes(needed)} of disk are not free")
            continue
        source = course.make_input("uniform", rows)
        # The depth that is best for the smallest size is for all: finding it again would take longer
        # than everything else.
        hardest = hardest or course.hardest_limit("two-copies", source, Output.COPIED)
        cases += course.race([Start(name, source, budget, [hardest, ours("sort", Output.SORTED)])])
        course.workspace.drop_inputs()
    figures = {f"ns_per_row_and_log2_rows at {case.name}": 1e9 * _cost(case) for case in cases}
    return Result(
        bench="growth",
        title=f"{format_bytes(budget)} of memory for every size; the limit copies the file twice",
        cases=tuple(cases),
        figures=figures,
        goals=tuple(
            Goal(
                claim=f"time per row and log n, {case.name} / {cases[0].name}",
                measured=_cost(case) / _cost(cases[0]),
                bound=1.0,
                at_most=True,
            )
            for case in cases[1:]
        ),
        remarks=tuple(remarks),
    )


def _cost(case: Case) -> float:
    """Seconds for each row and each doubling that the number of rows has in it."""
    return median(turn.best_s for turn in case.of(OURS)) / (case.rows * math.log2(case.rows))
