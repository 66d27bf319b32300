"""What a comparison says: the answer first, then group by group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from howdah.analysis.comparing.judging import ALIKE
from howdah.analysis.wording import listed, percent, seconds
from howdah.model.comparison import Against, Comparison, Contrast, Judged, Location, RunGroup, Verdict
from howdah.report.comparing.words import (
    interval,
    measured,
    more_time,
    ratio,
    signed_seconds,
    than,
)

TOLD = (Verdict.FASTER, Verdict.SLOWER)


def answer(comparison: Comparison) -> str:
    """The comparison in one sentence."""
    match comparison.against:
        case ():
            return _repeats(comparison.groups[0])
        case (only,):
            return _pair(only, comparison.baseline)
        case several:
            return _fastest(several, comparison.baseline)


def said(against: Against, baseline: str) -> Iterator[str]:
    """Everything to be said of one group, sentence by sentence."""
    wholes = _wholes(against)
    for verdict, word in ((Verdict.FASTER, "Faster"), (Verdict.SLOWER, "Slower")):
        told = [one for one in wholes if one.verdict is verdict]
        if told:
            yield f"{word} than {baseline}: {'; '.join(_told(one) for one in told)}."
    alike = [one.measure.workload for one in wholes if one.verdict is Verdict.ALIKE]
    if alike:
        yield f"Alike within {percent(ALIKE)}: {listed(alike)}."
    unclear = [one for one in wholes if one.verdict is Verdict.CANNOT_TELL]
    untested = [one for one in unclear if one.evidence is None]
    if untested:
        yield f"{_listed_ratios(untested)}: cannot tell, since {untested[0].why}{_repeats_to(untested[0])}."
    untold = [one for one in unclear if one.evidence is not None]
    if untold:
        yield f"Not to be told from noise: {listed([_untold(one) for one in untold])}."
    yield from (_located(one) for one in against.locations)


def _wholes(against: Against) -> list[Judged]:
    return [one for one in against.times if one.measure.phase is None]


def _main(against: Against) -> Judged:
    """The workload that takes longest, which is what a suite is about."""
    return max(_wholes(against), key=lambda one: one.base_mean)


def _pair(against: Against, baseline: str) -> str:
    wholes = _wholes(against)
    told = [one for one in wholes if one.verdict in TOLD]
    if told:
        one = max(told, key=lambda one: one.base_mean)
        takes = f"{one.measure.workload} takes {than(_ratio(one), baseline)}"
        return f"With {against.group}, {takes} ({_interval(one)})."
    if all(one.verdict is Verdict.ALIKE for one in wholes):
        return f"{against.group} and {baseline} are alike: no workload differs by more than {percent(ALIKE)}."
    main = _main(against)
    seen = f"{main.measure.workload} took {more_time(_ratio(main))}"
    return f"{against.group} cannot be told from {baseline}: {seen}, but {main.why}{_repeats_to(main)}."


def _fastest(several: Sequence[Against], baseline: str) -> str:
    main = _main(several[0]).measure.workload
    judged = [(each.group, one) for each in several if (one := each.time_of(main)) is not None]
    faster = [(group, one) for group, one in judged if one.verdict is Verdict.FASTER]
    if faster:
        group, one = min(faster, key=lambda pair: pair[1].other_mean)
        return f"{main} is fastest with {group}: {than(_ratio(one), baseline)} ({_interval(one)})."
    slower = [f"{group} ({more_time(_ratio(one))})" for group, one in judged if one.verdict is Verdict.SLOWER]
    if slower:
        rest = [group for group, one in judged if one.verdict not in TOLD]
        unclear = f"; of {listed(rest)} no difference can be told" if rest else ""
        return f"No group is faster in {main} than {baseline}; slower: {listed(slower)}{unclear}."
    untold = [(group, one) for group, one in judged if one.verdict is Verdict.CANNOT_TELL]
    if not untold:
        return f"All are alike in {main}: no group differs from {baseline} by more than {percent(ALIKE)}."
    # What fewest repeats would tell is what a reader might go on with.
    group, nearest = min(untold, key=lambda pair: pair[1].repeats_needed or math.inf)
    took = more_time(_ratio(nearest))
    seen = f"nearest to it is {group}, {took}, but {nearest.why}{_repeats_to(nearest)}"
    return f"No group can be told from {baseline} in {main}: {seen}."


def _repeats(group: RunGroup) -> str:
    """One group alone: how far its repeats lie apart."""
    by_workload: dict[str, list[float]] = {}
    for run in group.runs:
        for one in run.readings:
            if one.measure.kind == "time" and one.measure.phase is None:
                by_workload.setdefault(one.measure.workload, []).append(one.value)
    spans = [f"{name} {seconds(min(some))} to {seconds(max(some))}" for name, some in by_workload.items()]
    return f"{len(group.runs)} repeats of one thing, between which nothing changed: {listed(spans)}."


def _told(one: Judged) -> str:
    return f"{one.measure.workload}, {more_time(_ratio(one))} ({interval(one)})"


def _interval(one: Judged) -> str:
    return f"ratio {ratio(one)}, 95 % interval {interval(one)}"


def _ratio(one: Contrast) -> float:
    return one.ratio if one.ratio is not None else 1.0


def _listed_ratios(several: Sequence[Judged]) -> str:
    """What was seen, though nothing follows from it."""
    return listed([f"{one.measure.workload} took {more_time(_ratio(one))}" for one in several])


def _untold(one: Judged) -> str:
    """What was seen, and how many repeats would tell."""
    many = f"about {one.repeats_needed}" if one.repeats_needed else "over 100"
    return f"{one.measure.workload} ({more_time(_ratio(one))}; {many} repeats of each would tell)"


def _repeats_to(one: Judged) -> str:
    if one.evidence is None:
        return "; repeat both" if len(one.base) == len(one.other) == 1 else ""
    many = f"about {one.repeats_needed}" if one.repeats_needed else "over 100"
    return f"; {many} repeats of each would tell a difference like this one"


def _located(one: Location) -> str:
    text = f"{one.workload}: {signed_seconds(one.difference_s)}"
    if one.phase is not None and one.phase_difference_s is not None:
        text += f", of which {signed_seconds(one.phase_difference_s)} in {one.phase}"
    signs = [
        f"{sign.measure.name} {measured(sign.measure, sign.other_mean)} instead of "
        f"{measured(sign.measure, sign.base_mean)}"
        for sign in one.signs
    ]
    return f"{text}; {listed(signs)}." if signs else f"{text}; no resource and no task differs clearly."
