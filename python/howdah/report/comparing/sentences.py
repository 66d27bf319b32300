"""What a comparison says: the answer first, then group by group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from howdah.analysis.comparing.judging import ALIKE
from howdah.analysis.wording import listed, percent
from howdah.model.comparison import Against, Comparison, Judged, Location, Measure, RunGroup, Verdict
from howdah.report.comparing.words import (
    interval,
    measured,
    more,
    ratio,
    signed_seconds,
    subject,
    than,
)


def answer(comparison: Comparison) -> str:
    """The comparison in one sentence."""
    match comparison.against:
        case ():
            return _repeats(comparison.groups[0])
        case (only,):
            return _pair(only, comparison.baseline)
        case several:
            return _best(several, comparison.baseline)


def said(against: Against, baseline: str) -> Iterator[str]:
    """Everything to be said of one group, sentence by sentence."""
    wholes = against.wholes
    for verdict in (Verdict.FASTER, Verdict.SLOWER, Verdict.BETTER, Verdict.WORSE):
        told = [one for one in wholes if one.verdict is verdict]
        if told:
            yield f"{verdict.capitalize()} than {baseline}: {'; '.join(_told(one) for one in told)}."
    alike = [subject(one.measure) for one in wholes if one.verdict is Verdict.ALIKE]
    if alike:
        yield f"Alike within {percent(ALIKE)}: {listed(alike)}."
    unclear = [one for one in wholes if one.verdict is Verdict.CANNOT_TELL]
    untested = [one for one in unclear if one.evidence is None]
    if untested:
        yield f"{_listed_ratios(untested)}: cannot tell, since {untested[0].why}{_repeats_to(untested[0])}."
    untold = [one for one in unclear if one.evidence is not None]
    if untold:
        yield f"Not distinguishable from noise: {listed([_untold(one) for one in untold])}."
    yield from (_located(one) for one in against.locations)


def _pair(against: Against, baseline: str) -> str:
    main = against.main
    if not main.is_told:
        times_s = {one.measure.workload: one.base_mean for one in against.times if one.measure.phase is None}
        told = [one for one in against.wholes if one.is_told]
        main = max(told, key=lambda one: times_s[one.measure.workload], default=main)
    if main.is_told:
        return f"With {against.group}, {_takes(main, baseline)}."
    if all(one.verdict is Verdict.ALIKE for one in against.wholes):
        return f"{against.group} and {baseline} are alike: no workload differs by more than {percent(ALIKE)}."
    seen = _seen(main)
    why = f"{main.why}{_repeats_to(main)}"
    return f"{against.group} cannot be distinguished from {baseline}: {seen}, but {why}."


def _takes(one: Judged, baseline: str) -> str:
    if one.measure.kind == "time":
        return f"{one.measure.workload} takes {than(one, baseline)} ({_interval(one)})"
    return f"{subject(one.measure)} is {one.verdict.value}: {than(one, baseline)} ({_interval(one)})"


def _best(several: Sequence[Against], baseline: str) -> str:
    measure = several[0].main.measure
    main, timed = subject(measure), measure.kind == "time"
    judged = [(each.group, one) for each in several if (one := each.of(measure)) is not None]
    gains = [(group, one) for group, one in judged if one.is_gain]
    if gains:
        most = max if measure.better == "higher" else min
        group, one = most(gains, key=lambda pair: pair[1].other_mean)
        best = "fastest" if timed else "best"
        return f"{main} is {best} with {group}: {than(one, baseline)} ({_interval(one)})."
    better, worse = (Verdict.FASTER, Verdict.SLOWER) if timed else (Verdict.BETTER, Verdict.WORSE)
    losses = [f"{group} ({more(one)})" for group, one in judged if one.verdict is worse]
    if losses:
        rest = [group for group, one in judged if not one.is_told]
        unclear = f"; of {listed(rest)} no difference is certain" if rest else ""
        lost = f"{worse.value}: {listed(losses)}{unclear}"
        return f"No group is {better.value} in {main} than {baseline}; {lost}."
    untold = [(group, one) for group, one in judged if one.verdict is Verdict.CANNOT_TELL]
    if not untold:
        return f"All are alike in {main}: no group differs from {baseline} by more than {percent(ALIKE)}."
    # What fewest repeats would tell is what a reader might go on with.
    group, nearest = min(untold, key=lambda pair: pair[1].repeats_needed or math.inf)
    seen = f"nearest to it is {group}, {more(nearest)}, but {nearest.why}{_repeats_to(nearest)}"
    return f"No group can be distinguished from {baseline} in {main}: {seen}."


def _repeats(group: RunGroup) -> str:
    """One group alone: how far its repeats lie apart."""
    values: dict[Measure, list[float]] = {}
    for run in group.runs:
        for reading in run.readings:
            measure = reading.measure
            if measure.primary or (measure.kind == "time" and measure.phase is None):
                values.setdefault(measure, []).append(reading.value)
    spans = [
        f"{subject(measure)} {measured(measure, min(some))} to {measured(measure, max(some))}"
        for measure, some in values.items()
    ]
    return f"{len(group.runs)} repeats of one thing, between which nothing changed: {listed(spans)}."


def _told(one: Judged) -> str:
    return f"{subject(one.measure)}, {more(one)} ({interval(one)})"


def _interval(one: Judged) -> str:
    return f"ratio {ratio(one)}, 95 % interval {interval(one)}"


def _seen(one: Judged) -> str:
    return f"{subject(one.measure)} {'took' if one.measure.kind == 'time' else 'was'} {more(one)}"


def _listed_ratios(several: Sequence[Judged]) -> str:
    """What was seen, though nothing follows from it."""
    return listed([_seen(one) for one in several])


def _untold(one: Judged) -> str:
    """What was seen, and how many repeats would tell."""
    many = f"about {one.repeats_needed}" if one.repeats_needed else "over 100"
    return f"{subject(one.measure)} ({more(one)}; {many} repeats of each would show)"


def _repeats_to(one: Judged) -> str:
    if one.evidence is None:
        return "; repeat both" if len(one.base) == len(one.other) == 1 else ""
    many = f"about {one.repeats_needed}" if one.repeats_needed else "over 100"
    return f"; {many} repeats of each would show a difference like this one"


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
