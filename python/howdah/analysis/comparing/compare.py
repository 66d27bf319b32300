"""Groups of runs compared with a baseline, and in which phases and resources a difference lies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from howdah.analysis.comparing.groups import differing_facts, finished, remarks, why_not
from howdah.analysis.comparing.readings import LEFT, PARTS, PROCESSES, SHORTEST
from howdah.analysis.comparing.statistics import CONFIDENCE, LEVEL, contrasts, judged
from howdah.analysis.other_processes import DISTURBED
from howdah.analysis.wording import percent
from howdah.model.comparison import Against, Comparison, Contrast, Judged, Location, Refused, RunGroup
from howdah.model.run import Origin
from howdah.units import format_counted


def compare(groups: Sequence[RunGroup], baseline: str | None = None) -> Comparison:
    """Hold every group against the one named ``baseline``, the first by default.

    Runs that did not succeed and groups that cannot be compared are told in ``refused``; what is left
    may be nothing. Raises ValueError if no run of the baseline succeeded.
    """
    name = groups[0].name if baseline is None else baseline
    left, refused = finished(groups)
    base = next((group for group in left if group.name == name), None)
    if base is None:
        raise ValueError(f"no run of the baseline {name} succeeded")
    others, more = _comparable(base, [group for group in left if group.name != name])
    both = [list(contrasts(base, group)) for group in others]
    worth = [[contrast for contrast in each if contrast.measure.is_judged] for each in both]
    verdicts, tests = judged([contrast for each in worth for contrast in each])
    ordered = iter(verdicts)
    return Comparison(
        baseline=base.name,
        groups=(base, *others),
        against=tuple(
            _against(base, group, tuple(islice(ordered, len(some))), each)
            for group, some, each in zip(others, worth, both, strict=True)
        ),
        refused=(*refused, *more),
        remarks=tuple(remarks((base, *others))),
        confidence=CONFIDENCE,
        level=LEVEL,
        tests=tests,
    )


def _comparable(base: RunGroup, groups: Sequence[RunGroup]) -> tuple[list[RunGroup], list[Refused]]:
    reasons = [(group, why_not(base, group)) for group in groups]
    refused = [Refused(what=_all_of(group), why=why) for group, why in reasons if why is not None]
    return [group for group, why in reasons if why is None], refused


def _all_of(group: RunGroup) -> str:
    more = len(group.runs) - 1
    return f"{group.name} with {format_counted(more, 'repeat')}" if more else group.name


def _against(base: RunGroup, group: RunGroup, both: tuple[Judged, ...], every: list[Contrast]) -> Against:
    times = tuple(difference for difference in both if difference.measure.kind == "time")
    others = tuple(contrast for contrast in every if not contrast.measure.is_judged)
    return Against(
        group=group.name,
        changes=differing_facts(base, group),
        times=times,
        metrics=tuple(difference for difference in both if difference.measure.kind == "metric"),
        others=others,
        locations=locations(times, others),
        remarks=(*_beside(base, group), *_disturbed(base, group, others)),
    )


def _disturbed(base: RunGroup, group: RunGroup, contrasts: Sequence[Contrast]) -> Iterator[str]:
    """Where others had clearly more of the machine on one side: a difference in time may be theirs."""
    apart = [
        contrast
        for contrast in contrasts
        if contrast.measure.name == LEFT
        and contrast.measure.phase is None
        and abs(contrast.base_mean - contrast.other_mean) >= DISTURBED
    ]
    if apart:
        most = max(apart, key=lambda contrast: abs(contrast.base_mean - contrast.other_mean))
        less, more = sorted(((1 - most.base_mean, base.name), (1 - most.other_mean, group.name)))
        yield (
            f"others used {percent(more[0])} of the machine's CPU time in {most.measure.workload} of "
            f"{more[1]}, {percent(less[0])} in that of {less[1]}: a difference in times may be due to them"
        )


def _beside(base: RunGroup, group: RunGroup) -> Iterator[str]:
    origins = [{run.origin for run in each.runs} for each in (base, group)]
    if origins[0] != origins[1]:
        simulated = group.name if Origin.SIMULATED in origins[1] else base.name
        yield f"simulated numbers against measured ones: those of {simulated} were computed"
    if len(base.runs) != len(group.runs):
        yield (f"{format_counted(len(group.runs), 'run')} against {len(base.runs)}: as many would show most")


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
