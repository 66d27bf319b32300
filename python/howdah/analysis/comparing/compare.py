"""Groups of repeats, which of them can be compared with a baseline, and where a difference lies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from math import log
from statistics import stdev

from howdah.analysis.comparing.readings import PARTS, PROCESSES, SHORTEST, UNDISTURBED
from howdah.analysis.comparing.statistics import CONFIDENCE, LEVEL, contrasts, judged
from howdah.analysis.other_processes import DISTURBED
from howdah.analysis.phases import grouped
from howdah.analysis.wording import percent
from howdah.model.comparison import (
    Against,
    Aspect,
    Change,
    Comparison,
    Contrast,
    Judged,
    Location,
    Refused,
    RunFigures,
    RunGroup,
    WorkloadAmount,
)
from howdah.model.run import Origin, Outcome, WorkloadResult
from howdah.units import format_counted, format_memory

_ENDED = {
    Outcome.FAILED: "it failed",
    Outcome.ABORTED: "it was aborted",
    Outcome.RUNNING: "it is still running",
}


def finished(groups: Sequence[RunGroup]) -> tuple[tuple[RunGroup, ...], tuple[Refused, ...]]:
    """The groups without the runs that did not succeed, and these."""
    successful, refused = [], []
    for group in groups:
        runs = tuple(run for run in group.runs if run.outcome is Outcome.SUCCEEDED)
        refused += [
            Refused(what=run.run, why=why_unfinished(run))
            for run in group.runs
            if run.outcome is not Outcome.SUCCEEDED
        ]
        if runs:
            successful.append(group.model_copy(update={"runs": runs}))
    return tuple(successful), tuple(refused)


def why_unfinished(run: RunFigures) -> str:
    """How a run ended that did not succeed."""
    return _ENDED[run.outcome] + (f": {run.error}" if run.error else "")


def comparable(base: RunFigures, other: RunFigures) -> bool:
    """Whether two runs that succeeded did the same work."""
    return base.suite == other.suite and not _amounts(base, other)


def why_not(base: RunGroup, other: RunGroup) -> str | None:
    """Why a group cannot be compared with the baseline; None if it can."""
    mine, theirs = base.runs[0], other.runs[0]
    if mine.suite != theirs.suite:
        return f"it ran {theirs.suite}, the baseline {mine.suite}"
    different = _amounts(mine, theirs)
    return f"different dataset size: {'; '.join(different)}" if different else None


def _amounts(mine: RunFigures, theirs: RunFigures) -> list[str]:
    """Every size that differs; said once where it is the same in all workloads."""
    both = [{amount.workload: amount.size for amount in run.amounts} for run in (theirs, mine)]
    pairs = {
        workload: tuple(sizes.get(workload, "nothing") for sizes in both)
        for workload in dict.fromkeys([*both[1], *both[0]])
    }
    if len(set(pairs.values())) == 1:
        pairs = {"all": next(iter(pairs.values()))}
    return [
        f"{other} in {workload}, the baseline has {size}"
        for workload, (other, size) in pairs.items()
        if size != other
    ]


def amount_of(name: str, result: WorkloadResult) -> WorkloadAmount:
    """The amount of one workload, ``name`` being its name in the run."""
    size, amount = "an unknown amount", result.workload.amount(result.counters)
    if amount is not None:
        size = format_memory(amount.number) if amount.unit == "B" else format_counted(*amount)
    return WorkloadAmount(workload=name, size=size)


def differing_facts(base: RunGroup, other: RunGroup) -> tuple[Change, ...]:
    """Every fact that is not the same, aspect by aspect."""
    before, after = _facts(base), _facts(other)
    keys = [key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key)]
    order = list(Aspect)
    return tuple(
        Change(aspect=key[0], name=key[1], base=before.get(key), other=after.get(key))
        for key in sorted(keys, key=lambda key: order.index(key[0]))
    )


def _facts(group: RunGroup) -> dict[tuple[Aspect, str], str]:
    """A group's facts; one in which its runs differ, as those of a study's cell may, has all their values."""
    values: dict[tuple[Aspect, str], set[str]] = {}
    for run in group.runs:
        for fact in run.facts:
            values.setdefault((fact.aspect, fact.name), set()).add(fact.value)
    return {key: " or ".join(sorted(several)) for key, several in values.items()}


MOST_NAMED = 2  # More changes than this make no name.
LONGEST = 40  # A name longer than this fits no axis.
_TELLING = (Aspect.WORKLOAD, Aspect.PLAN)  # What users change on purpose; other changes follow from it.
PLATFORM = "platform"  # The fact that most others follow from.
NOISY = 0.1  # Repeats whose times deviate by more than this share were disturbed by something.


def group_repeats(runs: Sequence[RunFigures]) -> tuple[RunGroup, ...]:
    """Repeats put together, in the order in which the first of each group was given."""
    # A failed run may not have come to its last workloads: it stays by itself.
    alike = grouped(runs, lambda run: (run.suite, run.outcome, run.amounts, run.facts))
    groups = [
        RunGroup(name=several[0].run, runs=tuple(sorted(several, key=lambda run: (run.created, run.run))))
        for several in alike.values()
    ]
    # Groups are called after their differences, if these are few; otherwise after their first run.
    successful = [group for group in groups if group.runs[0].outcome is Outcome.SUCCEEDED]
    peers = [group for group in successful if why_not(groups[0], group) is None]
    proposed = (names for names in _proposed(peers) if len(set(names)) == len(names))
    names = next((names for names in proposed if max(map(len, names)) <= LONGEST), None)
    if names is None:
        return tuple(groups)
    called = {group.name: name for group, name in zip(peers, names, strict=True)}
    return tuple(group.model_copy(update={"name": called.get(group.name, group.name)}) for group in groups)


def _proposed(groups: Sequence[RunGroup]) -> Iterator[list[str]]:
    """Names for all groups: by all that changes, if that is little, else by one thing users change."""
    if len(groups) < 2:
        return
    base, *others = groups
    differences = [
        {(change.aspect, change.name): change for change in differing_facts(base, other)} for other in others
    ]
    keys = list(dict.fromkeys(key for difference in differences for key in difference))
    if len({_short(name) for _, name in keys}) <= MOST_NAMED:
        yield _names(keys, differences)
    telling = [key for key in keys if key[0] in _TELLING]
    yield from (_names([key], differences) for key in sorted(telling, key=lambda key: key[1] != PLATFORM))


def _names(keys: list[tuple[Aspect, str]], differences: list[dict[tuple[Aspect, str], Change]]) -> list[str]:
    base = {key: next(changes[key].base for changes in differences if key in changes) for key in keys}
    others = (
        {key: changes[key].other if key in changes else base[key] for key in keys} for changes in differences
    )
    return [_name(base), *map(_name, others)]


def _name(values: dict[tuple[Aspect, str], str | None]) -> str:
    """``4 per host`` says it all of a platform; everything else is told with its name, ``codec lz4``."""
    parts = [
        value or "none" if name == PLATFORM else f"{_short(name)} {value or 'none'}"
        for (_, name), value in values.items()
    ]
    return ", ".join(dict.fromkeys(parts))


def _short(name: str) -> str:
    """A fact's name without the workload or the kind of worker it is of."""
    return name.partition(" of ")[0]


def remarks(groups: Sequence[RunGroup]) -> Iterator[str]:
    """What befell single runs, and the repeats that lie farthest apart, if that is far."""
    for group in groups:
        for run in group.runs:
            yield from (f"{run.run}: {remark}" for remark in run.remarks)
    noise = [
        (deviation, measure.workload, group)
        for group in groups
        for measure, values in group.values.items()
        if measure.kind == "time" and measure.phase is None
        for logs in ([log(value) for value in values if value > 0],)
        if len(logs) > 1 and (deviation := stdev(logs)) > NOISY
    ]
    if noise:
        deviation, workload, group = max(noise, key=lambda remark: remark[0])
        advice = "a quieter machine would help more than more repeats"
        if all(run.origin is Origin.SIMULATED for run in group.runs):
            advice = "this is the effect of seeds alone, and more repeats would show more"
        yield f"repeats deviate by as much as {percent(deviation)} ({workload} of {group.name}): {advice}"


def compare(groups: Sequence[RunGroup], baseline: str | None = None) -> Comparison:
    """Hold every group against the one named ``baseline``, the first by default.

    Runs that did not succeed and groups that cannot be compared are told in ``refused``; what is left
    may be nothing. Raises ValueError if no run of the baseline succeeded.
    """
    name = groups[0].name if baseline is None else baseline
    successful, refused = finished(groups)
    base = next((group for group in successful if group.name == name), None)
    if base is None:
        raise ValueError(f"no run of the baseline {name} succeeded")
    reasons = [(group, why_not(base, group)) for group in successful if group.name != name]
    more = [
        Refused(
            what=f"{group.name} with {format_counted(repeats, 'repeat')}" if repeats else group.name, why=why
        )
        for group, why in reasons
        if why is not None
        for repeats in (len(group.runs) - 1,)
    ]
    others = [group for group, why in reasons if why is None]
    both = [list(contrasts(base, group)) for group in others]
    worth = [[contrast for contrast in pair if contrast.measure.is_judged] for pair in both]
    verdicts, tests = judged([contrast for pair in worth for contrast in pair])
    ordered = iter(verdicts)
    return Comparison(
        baseline=base.name,
        groups=(base, *others),
        against=tuple(
            _against(base, group, tuple(islice(ordered, len(some))), pair)
            for group, some, pair in zip(others, worth, both, strict=True)
        ),
        refused=(*refused, *more),
        remarks=tuple(remarks((base, *others))),
        confidence=CONFIDENCE,
        level=LEVEL,
        tests=tests,
    )


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
        remarks=(*_unequal(base, group), *_disturbed(base, group, others)),
    )


def _disturbed(base: RunGroup, group: RunGroup, contrasts: Sequence[Contrast]) -> Iterator[str]:
    """Where others had clearly more of the machine on one side: a difference in time may be theirs."""
    shares = [
        contrast
        for contrast in contrasts
        if contrast.measure.name == UNDISTURBED and contrast.measure.phase is None
    ]
    most = max(shares, key=lambda contrast: abs(_difference(contrast)), default=None)
    if most is not None and abs(_difference(most)) >= DISTURBED:
        less, more = sorted(((1 - most.base_mean, base.name), (1 - most.other_mean, group.name)))
        yield (
            f"others used {percent(more[0])} of the machine's CPU time in {most.measure.workload} of "
            f"{more[1]}, {percent(less[0])} in that of {less[1]}: a difference in times may be due to them"
        )


def _unequal(base: RunGroup, group: RunGroup) -> Iterator[str]:
    origins = [{run.origin for run in side.runs} for side in (base, group)]
    if origins[0] != origins[1]:
        simulated = group.name if Origin.SIMULATED in origins[1] else base.name
        yield f"simulated numbers against measured ones: those of {simulated} were computed"
    if len(base.runs) != len(group.runs):
        yield f"{format_counted(len(group.runs), 'run')} against {len(base.runs)}: as many would show most"


CLEARLY = 0.05  # A resource that differs by less than this share explains nothing.
MOST_SIGNS = 4  # More signs than this are a table, and there is one.
MOST_CAUSES = 6  # The same for different programs, which have only resources in common.

CAUSES = (
    "CPU time", PROCESSES, "spilled", "shuffled", "written to disks", "read from disks", "received",
    "collecting garbage", SHORTEST,
)  # fmt: skip
"""What explains a difference between programs, the most telling first."""

PART_SHARE = 0.1  # Parts of a job's time that differ by less of the whole difference are left out.
WORTH_SHARE = 0.02  # A resource below this share of the largest one of its unit does not matter.


def locations(times: Sequence[Judged], others: Sequence[Contrast]) -> tuple[Location, ...]:
    """One place for every workload whose difference could be told."""
    return tuple(
        _location(time, times, others) for time in times if time.measure.phase is None and time.is_told
    )


def _location(whole: Judged, times: Sequence[Judged], others: Sequence[Contrast]) -> Location:
    workload, difference_s = whole.measure.workload, _difference(whole)
    phases = [time for time in times if time.measure.workload == workload and time.measure.phase is not None]
    # Phases that changed the other way are no place for the difference.
    same_way = [time for time in phases if _difference(time) * difference_s > 0]
    main = max(same_way, key=lambda time: abs(_difference(time)), default=None)
    phase = main.measure.phase if main else None
    own = [contrast for contrast in others if contrast.measure.workload == workload]
    # The parts of a job's time that differ by enough, in their order; empty if they are unknown.
    apart = {contrast.measure.name: contrast for contrast in own if contrast.measure.name in PARTS}
    least_s = PART_SHARE * abs(difference_s)
    enough = [apart[name] for name in PARTS if name in apart and abs(_difference(apart[name])) >= least_s]
    parts = () if phases else tuple(enough)
    # What differs clearly between two programs, by how much it explains.
    causes = [contrast for contrast in _clear_ones(own) if contrast.measure.name in CAUSES]
    return Location(
        workload=workload,
        difference_s=difference_s,
        phase=phase,
        phase_difference_s=_difference(main) if main else None,
        parts=parts,
        signs=tuple(sorted(causes, key=lambda contrast: CAUSES.index(contrast.measure.name))[:MOST_CAUSES])
        if parts
        else _signs(own, phase),
    )


def _difference(contrast: Contrast) -> float:
    return contrast.other_mean - contrast.base_mean


def _signs(others: Sequence[Contrast], phase: str | None) -> tuple[Contrast, ...]:
    """What differs clearly in the phase; of what is not told by phases, in the workload."""
    by_phase = {contrast.measure.name for contrast in others if contrast.measure.phase == phase}
    present = [
        contrast
        for contrast in others
        if contrast.measure.phase == phase
        or (contrast.measure.phase is None and contrast.measure.name not in by_phase)
    ]
    present = [contrast for contrast in present if contrast.measure.name not in PARTS]
    return tuple(sorted(_clear_ones(present), key=_size, reverse=True)[:MOST_SIGNS])


def _clear_ones(present: Sequence[Contrast]) -> list[Contrast]:
    """What differs by more than its noise, by enough, and is enough of its kind to matter."""
    greatest: dict[tuple[str, str], float] = {}
    for contrast in present:
        key = contrast.measure.kind, contrast.measure.unit
        greatest[key] = max(greatest.get(key, 0.0), contrast.base_mean, contrast.other_mean)
    return [
        contrast
        for contrast in present
        if max(contrast.base_mean, contrast.other_mean)
        >= WORTH_SHARE * greatest[contrast.measure.kind, contrast.measure.unit]
        and (contrast.low is None or contrast.high is None or not contrast.low <= 1 <= contrast.high)
        and _size(contrast) >= math.log1p(CLEARLY)
    ]


def _size(contrast: Contrast) -> float:
    """How far the ratio is from 1, the same for twice as much as for half; infinite from or to nothing."""
    if contrast.ratio:
        return abs(math.log(contrast.ratio))
    return math.inf if contrast.base_mean != contrast.other_mean else 0.0
