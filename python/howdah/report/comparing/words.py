"""What a comparison says: measures and numbers in words, the answer, then group by group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, geometric_mean
from typing import NamedTuple

from howdah.analysis.comparing.statistics import ALIKE
from howdah.analysis.wording import named, percent, seconds, times
from howdah.model.comparison import (
    Against,
    Comparison,
    Contrast,
    Judged,
    Location,
    Measure,
    RunGroup,
    Verdict,
)
from howdah.model.reported import format_value
from howdah.report.words import NONE, UNKNOWN, signed_bytes
from howdah.units import listed

_MANY_TIMES = 1.5  # From here on a ratio says more than per cent.
_NOTHING = 10.0  # The interval of a ratio is useless if its ends are this factor apart.
_NARROW = 0.02  # An interval narrower than this needs three decimals to be one.


def measured(measure: Measure, value: float) -> str:
    """A value with its unit."""
    match measure.unit:
        case "s":
            # Programs report times of single operations, of which hundredths of a second say little.
            return format_value(value, "s") if measure.kind == "metric" else seconds(value)
        case "B":
            return signed_bytes(value)
        case "share":
            return percent(value)
        case "1":
            return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
        case _:
            return format_value(value, measure.unit)


def mean(values: Sequence[float]) -> float:
    """The mean of what is judged, geometric as its noise is a share of it."""
    return geometric_mean(values) if min(values) > 0 else fmean(values)


def place(measure: Measure) -> str:
    """The workload, the phase of it, or the metric of it that a measure is of."""
    if measure.kind == "metric":
        return f"{measure.workload}: {measure.name}"
    return named(measure.workload, measure.phase)


def subject(measure: Measure) -> str:
    """What is judged, in a sentence: ``terasort``, whose time is meant, or ``nnbench's create_write``."""
    return f"{measure.workload}'s {measure.name}" if measure.kind == "metric" else measure.workload


def ratio(contrast: Contrast) -> str:
    """The ratio, with as many decimals as its interval warrants."""
    return NONE if contrast.ratio is None else f"{contrast.ratio:.{_decimals(contrast)}f}"


def interval(contrast: Contrast) -> str:
    """The ratio's interval; one that rules nothing out is as good as unknown."""
    if contrast.low is None or contrast.high is None or contrast.high >= _NOTHING * contrast.low:
        return UNKNOWN
    decimals = _decimals(contrast)
    return f"{contrast.low:.{decimals}f} to {contrast.high:.{decimals}f}"


def more_time(value: float) -> str:
    """A ratio of times: ``12 % more time``, ``20 % less time``, ``2.8 × the time``."""
    if value >= _MANY_TIMES:
        return f"{times(value)} the time"
    return f"{percent(abs(value - 1))} {'more' if value > 1 else 'less'} time"


def more(contrast: Contrast) -> str:
    """How much more or less of a measure there is: ``12 % more time``, ``31 % lower``, ``2.8 × as high``."""
    value = ratio_or_one(contrast)
    if contrast.measure.kind == "time":
        return more_time(value)
    if value >= _MANY_TIMES:
        return f"{times(value)} as high"
    return f"{percent(abs(value - 1))} {'higher' if value > 1 else 'lower'}"


def than(contrast: Contrast, base: str) -> str:
    """The same beside the baseline's: ``12 % more time than with …``, ``2.8 × the time of …``."""
    if ratio_or_one(contrast) < _MANY_TIMES:
        return f"{more(contrast)} than with {base}"
    return f"{more(contrast)} {'of' if contrast.measure.kind == 'time' else 'as with'} {base}"


def ratio_or_one(contrast: Contrast) -> float:
    """The ratio; 1 where there is none, which is so where the baseline has nothing."""
    return contrast.ratio if contrast.ratio is not None else 1.0


def signed_seconds(value: float) -> str:
    """A difference of times with its sign."""
    return f"{'+' if value > 0 else chr(0x2212)}{seconds(abs(value))}"


def _decimals(contrast: Contrast) -> int:
    if contrast.low is None or contrast.high is None:
        return 2
    return 3 if contrast.high - contrast.low < _NARROW else 2


class Headline(NamedTuple):
    """What follows, in one sentence, and the numbers behind it in further ones, where there are any."""

    text: str
    statistics: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.statistics}".rstrip()


def answer(comparison: Comparison) -> Headline:
    """What the comparison shows, how certain it is, and which simulations are not calibrated."""
    would = "would" if simulated(comparison.groups) else ""
    match comparison.against:
        case ():
            claim = _repeats(comparison.groups[0])
        case (only,):
            claim = _pair(only, comparison.baseline, would)
        case several:
            claim = _best(several, comparison.baseline, would)
    guessed = [group.name for group in comparison.groups if any(run.uncalibrated for run in group.runs)]
    if not guessed:
        return claim
    scope = "" if len(guessed) == len(comparison.groups) else f" of {listed(guessed)}"
    doubt = f"The simulations{scope} are not calibrated: their error is unknown."
    return claim._replace(statistics=f"{claim.statistics} {doubt}".lstrip())


def simulated(groups: Sequence[RunGroup]) -> bool:
    """Whether none of their numbers was measured."""
    return all(run.is_simulated for group in groups for run in group.runs)


def group_sentences(against: Against, baseline: str) -> Iterator[str]:
    """Everything to be said of one group, sentence by sentence."""
    wholes = against.wholes
    for verdict in (Verdict.FASTER, Verdict.SLOWER, Verdict.BETTER, Verdict.WORSE):
        measured = [result for result in wholes if result.verdict is verdict]
        if measured:
            differences = "; ".join(
                f"{subject(result.measure)}, {more(result)} ({interval(result)})" for result in measured
            )
            yield f"{verdict.capitalize()} than {baseline}: {differences}."
    alike = [subject(result.measure) for result in wholes if result.verdict is Verdict.ALIKE]
    if alike:
        yield f"The same within {percent(ALIKE)}: {listed(alike)}."
    unclear = [result for result in wholes if result.verdict is Verdict.CANNOT_TELL]
    untested = [result for result in unclear if result.evidence is None]
    if untested:
        unproven = listed([_seen(result) for result in untested])
        yield f"{unproven}: cannot tell, since {untested[0].why}{_repeats_to(untested[0])}."
    undecided = [result for result in unclear if result.evidence is not None]
    if undecided:
        differences = listed(
            [
                f"{subject(result.measure)} ({more(result)}; {_repeats_needed(result)} would show it)"
                for result in undecided
            ]
        )
        yield f"Not distinguishable from noise: {differences}."
    yield from (_located(location) for location in against.locations)


def _pair(against: Against, baseline: str, would: str) -> Headline:
    main = against.main
    if not main.is_told:
        times_s = {
            result.measure.workload: result.base_mean
            for result in against.times
            if result.measure.phase is None
        }
        measured = [result for result in against.wholes if result.is_told]

        def far(result: Judged) -> tuple[float, float]:
            """The workload that takes longest first, of it what differs most: twice as much as half."""
            value = ratio_or_one(result)
            return times_s[result.measure.workload], abs(math.log(value)) if value > 0 else math.inf

        main = max(measured, key=far, default=main)
    if main.is_told:
        claim = f"With {against.group}, {_takes(main, baseline, would)}."
        return Headline(claim, f"{_interval(main)}{_why(against, main.measure)}")
    if all(result.verdict is Verdict.ALIKE for result in against.wholes):
        between = f"between {against.group} and {baseline}"
        return Headline(f"No workload differs by more than {percent(ALIKE)} {between}.")
    why = f"{_seen(main, would)}, but {main.why}{_repeats_to(main)}."
    return Headline(f"{against.group} cannot be distinguished from {baseline}.", why)


def _why(against: Against, measure: Measure) -> str:
    """The causes of a difference between programs, of which no phase is the same; empty for others."""
    return "".join(
        f" {_located(location)}"
        for location in against.locations
        if location.workload == measure.workload and location.parts
    )


def _takes(result: Judged, baseline: str, would: str) -> str:
    if result.measure.kind == "time":
        return f"{result.measure.workload} {'would take' if would else 'takes'} {than(result, baseline)}"
    verb = "would be" if would else "is"
    return f"{subject(result.measure)} {verb} {result.verdict.value}: {than(result, baseline)}"


def _best(several: Sequence[Against], baseline: str, would: str) -> Headline:
    measure = several[0].main.measure
    main, timed, verb = subject(measure), measure.kind == "time", "would be" if would else "is"
    judged = [(compared, result) for compared in several if (result := compared.of(measure)) is not None]
    gains = [(compared, result) for compared, result in judged if result.is_gain]
    if gains:
        most = max if measure.better == "higher" else min
        compared, result = most(gains, key=lambda pair: pair[1].other_mean)
        best = "fastest" if timed else "best"
        claim = f"{main} {verb} {best} with {compared.group}: {than(result, baseline)}."
        return Headline(claim, f"{_interval(result)}{_why(compared, measure)}")
    better, worse = (Verdict.FASTER, Verdict.SLOWER) if timed else (Verdict.BETTER, Verdict.WORSE)
    losses = [f"{compared.group} ({more(result)})" for compared, result in judged if result.verdict is worse]
    if losses:
        uncertain = [compared.group for compared, result in judged if not result.is_told]
        unclear = f"; for {listed(uncertain)} no difference is certain" if uncertain else ""
        return Headline(
            f"No group {verb} {better.value} in {main} than {baseline}.",
            f"{worse.value.capitalize()}: {listed(losses)}{unclear}.{_why(several[0], measure)}",
        )
    undecided = [pair for pair in judged if pair[1].verdict is Verdict.CANNOT_TELL]
    if not undecided:
        return Headline(f"No group differs from {baseline} in {main} by more than {percent(ALIKE)}.")
    # What fewest repeats would tell is what a reader might go on with.
    compared, nearest = min(undecided, key=lambda pair: pair[1].repeats_needed or math.inf)
    seen = f"The closest is {compared.group}, {more(nearest)}, but {nearest.why}{_repeats_to(nearest)}."
    return Headline(f"No group can be distinguished from {baseline} in {main}.", seen)


def _repeats(group: RunGroup) -> Headline:
    spans = [
        f"{subject(measure)} {measured(measure, min(some))} to {measured(measure, max(some))}"
        for measure, some in group.values.items()
        if measure.primary or (measure.kind == "time" and measure.phase is None)
    ]
    claim = f"{len(group.runs)} repeats of the same work, between which nothing changed."
    return Headline(claim, f"{listed(spans)}.")


def _interval(result: Judged) -> str:
    return f"Ratio {ratio(result)}, 95 % interval {interval(result)}."


def _seen(result: Judged, would: str = "") -> str:
    past, infinitive = ("took", "take") if result.measure.kind == "time" else ("was", "be")
    return f"{subject(result.measure)} {f'{would} {infinitive}' if would else past} {more(result)}"


def _repeats_to(result: Judged) -> str:
    if result.evidence is None:
        return "; repeat both" if len(result.base) == len(result.other) == 1 else ""
    return f"; {_repeats_needed(result)} would show a difference like this one"


def _repeats_needed(result: Judged) -> str:
    many = f"about {result.repeats_needed}" if result.repeats_needed else "over 100"
    return f"{many} repeats of each"


def _located(location: Location) -> str:
    text = f"{location.workload}: {signed_seconds(location.difference_s)}"
    if location.phase is not None and location.phase_difference_s is not None:
        text += f", of which {signed_seconds(location.phase_difference_s)} in {location.phase}"
    if location.parts:
        parts = [
            f"{signed_seconds(part.other_mean - part.base_mean)} {part.measure.name}"
            for part in location.parts
        ]
        text += f" ({listed(parts)})"
    signs = [
        f"{sign.measure.name} {measured(sign.measure, sign.other_mean)} instead of "
        f"{measured(sign.measure, sign.base_mean)}"
        for sign in location.signs
    ]
    return f"{text}; {listed(signs)}." if signs else f"{text}; no resource and no task differs clearly."
