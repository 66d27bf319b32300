"""Where a difference lies that could be told: in which phase, and in what its resources and tasks show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from howdah.analysis.comparing.job_parts import PARTS, PROCESSES, SHORTEST
from howdah.model.comparison import Contrast, Judged, Location

CLEARLY = 0.05
"""A resource that differs by less than this share explains nothing."""

MOST_SIGNS = 4
"""More signs than this are a table, and there is one."""

MOST_CAUSES = 6
"""The same where programs differ, whose resources are all that they have in common."""

CAUSES = (
    "CPU time", PROCESSES, "spilled", "shuffled", "written to disks", "read from disks", "received",
    "collecting garbage", SHORTEST,
)  # fmt: skip
"""What explains a difference between programs, the most telling first."""

PART_SHARE = 0.1
"""A part of a job's time that differs by less than this share of the whole difference is left out."""

WORTH_SHARE = 0.02
"""A resource below this share of the greatest one of its unit is beside the point."""


def locations(times: Sequence[Judged], others: Sequence[Contrast]) -> tuple[Location, ...]:
    """One place for every workload whose difference could be told."""
    return tuple(
        _location(time, times, others) for time in times if time.measure.phase is None and time.is_told
    )


def _location(whole: Judged, times: Sequence[Judged], others: Sequence[Contrast]) -> Location:
    workload, difference_s = whole.measure.workload, _difference(whole)
    phases = [time for time in times if time.measure.workload == workload and time.measure.phase is not None]
    # Phases that changed the other way are no place for the difference.
    main = max(
        phases, key=lambda difference: _difference(difference) * math.copysign(1, difference_s), default=None
    )
    if main is not None and _difference(main) * difference_s <= 0:
        main = None
    phase = main.measure.phase if main else None
    own = [contrast for contrast in others if contrast.measure.workload == workload]
    parts = () if phases else _parts(own, difference_s)
    return Location(
        workload=workload,
        difference_s=difference_s,
        phase=phase,
        phase_difference_s=_difference(main) if main else None,
        parts=parts,
        signs=_causes(own) if parts else _signs(own, phase),
    )


def _parts(others: Sequence[Contrast], difference_s: float) -> tuple[Contrast, ...]:
    """The parts of a job's time that differ by enough, in their order; empty if they are unknown."""
    parts = {contrast.measure.name: contrast for contrast in others if contrast.measure.name in PARTS}
    least_s = PART_SHARE * abs(difference_s)
    return tuple(parts[name] for name in PARTS if name in parts and abs(_difference(parts[name])) >= least_s)


def _causes(others: Sequence[Contrast]) -> tuple[Contrast, ...]:
    """What differs clearly between two programs, by how much it explains."""
    clear = [contrast for contrast in _clear_ones(others) if contrast.measure.name in CAUSES]
    return tuple(sorted(clear, key=lambda contrast: CAUSES.index(contrast.measure.name))[:MOST_CAUSES])


def _difference(contrast: Contrast) -> float:
    return contrast.other_mean - contrast.base_mean


def _signs(others: Sequence[Contrast], phase: str | None) -> tuple[Contrast, ...]:
    """What differs clearly in the phase; of what is not told by phases, in the workload."""
    by_phase = {contrast.measure.name for contrast in others if contrast.measure.phase == phase}
    there = [
        contrast
        for contrast in others
        if contrast.measure.phase == phase
        or (contrast.measure.phase is None and contrast.measure.name not in by_phase)
    ]
    there = [contrast for contrast in there if contrast.measure.name not in PARTS]
    return tuple(sorted(_clear_ones(there), key=_size, reverse=True)[:MOST_SIGNS])


def _clear_ones(there: Sequence[Contrast]) -> list[Contrast]:
    """What differs clearly, and is enough of its kind to matter."""
    greatest: dict[tuple[str, str], float] = {}
    for contrast in there:
        key = contrast.measure.kind, contrast.measure.unit
        greatest[key] = max(greatest.get(key, 0.0), contrast.base_mean, contrast.other_mean)
    return [
        contrast
        for contrast in there
        if _clear(contrast, greatest[contrast.measure.kind, contrast.measure.unit])
    ]


def _clear(contrast: Contrast, greatest: float) -> bool:
    """Whether it differs by more than its noise, by enough, and is enough of it to matter."""
    if max(contrast.base_mean, contrast.other_mean) < WORTH_SHARE * greatest or _size(contrast) < math.log1p(
        CLEARLY
    ):
        return False
    return contrast.low is None or contrast.high is None or not contrast.low <= 1 <= contrast.high


def _size(contrast: Contrast) -> float:
    """How far the ratio is from 1, the same for twice as much as for half; infinite from or to nothing."""
    return (
        abs(math.log(contrast.ratio))
        if contrast.ratio
        else math.inf
        if contrast.base_mean != contrast.other_mean
        else 0.0
    )
