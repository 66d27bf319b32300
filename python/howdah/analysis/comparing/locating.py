"""Where a difference lies that could be told: in which phase, and in what its resources and tasks show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from howdah.model.comparison import Contrast, Judged, Location

CLEARLY = 0.05
"""A resource that differs by less than this share explains nothing."""

MOST_SIGNS = 4
"""More signs than this are a table, and there is one."""

WORTH_SHARE = 0.02
"""A resource below this share of the greatest one of its unit is beside the point."""


def locations(times: Sequence[Judged], others: Sequence[Contrast]) -> tuple[Location, ...]:
    """One place for every workload whose difference could be told."""
    return tuple(_location(one, times, others) for one in times if one.measure.phase is None and one.is_told)


def _location(whole: Judged, times: Sequence[Judged], others: Sequence[Contrast]) -> Location:
    workload, difference_s = whole.measure.workload, _difference(whole)
    phases = [one for one in times if one.measure.workload == workload and one.measure.phase is not None]
    # Phases that changed the other way are no place for the difference.
    main = max(phases, key=lambda one: _difference(one) * math.copysign(1, difference_s), default=None)
    if main is not None and _difference(main) * difference_s <= 0:
        main = None
    phase = main.measure.phase if main else None
    return Location(
        workload=workload,
        difference_s=difference_s,
        phase=phase,
        phase_difference_s=_difference(main) if main else None,
        signs=_signs([one for one in others if one.measure.workload == workload], phase),
    )


def _difference(one: Contrast) -> float:
    return one.other_mean - one.base_mean


def _signs(others: Sequence[Contrast], phase: str | None) -> tuple[Contrast, ...]:
    """What differs clearly in the phase; of what is not told by phases, in the workload."""
    by_phase = {one.measure.name for one in others if one.measure.phase == phase}
    there = [
        one
        for one in others
        if one.measure.phase == phase or (one.measure.phase is None and one.measure.name not in by_phase)
    ]
    greatest: dict[tuple[str, str], float] = {}
    for one in there:
        key = one.measure.kind, one.measure.unit
        greatest[key] = max(greatest.get(key, 0.0), one.base_mean, one.other_mean)
    clear = [one for one in there if _clear(one, greatest[one.measure.kind, one.measure.unit])]
    return tuple(sorted(clear, key=_size, reverse=True)[:MOST_SIGNS])


def _clear(one: Contrast, greatest: float) -> bool:
    """Whether it differs by more than its noise, by enough, and is enough of it to matter."""
    if max(one.base_mean, one.other_mean) < WORTH_SHARE * greatest or _size(one) < math.log1p(CLEARLY):
        return False
    return one.low is None or one.high is None or not one.low <= 1 <= one.high


def _size(one: Contrast) -> float:
    """How far the ratio is from 1, the same for twice as much as for half; infinite from or to nothing."""
    return abs(math.log(one.ratio)) if one.ratio else math.inf if one.base_mean != one.other_mean else 0.0
