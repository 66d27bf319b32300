"""Platforms ranked by their predicted times; if these do not distinguish them, the rules decide."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist, mean, median, stdev
from typing import NamedTuple, Protocol

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import Advice, Candidate, ClusterPlan, Judgement
from howdah.model.request import PlanRequest
from howdah.planner.changes import Variant, plan_variants
from howdah.planner.choice import Choice, choose, passed_over
from howdah.planner.cluster import plan_choice
from howdah.planner.platforms.judging import NOT_ASKED_FOR, platform_score
from howdah.planner.rule import Severity
from howdah.planner.rules.platform import SIMULATED
from howdah.units import format_percent, format_seconds

_NINETY = NormalDist().inv_cdf(0.95)


class Predicted(NamedTuple):
    """How long the work takes on one plan."""

    elapsed_s: tuple[float, ...]
    """A time for each draw of uncertain parameters; the draws are the same for every plan."""
    unexplained: float  # Standard deviation of a time's logarithm that the draws do not explain.
    own: float  # The part of it that counts in a comparison with another plan of the same hosts and data.

    @property
    def apart(self) -> Predicted:
        """The same for a comparison with a plan of other hosts, where all of it counts."""
        return self._replace(own=self.unexplained)


class Predictor(Protocol):
    """Predicts plans."""

    about: str  # What is predicted, and from what, in words.

    def __call__(self, plans: Sequence[ClusterPlan]) -> Sequence[Predicted]:
        """What the same work takes on each of the plans."""


class Lag(NamedTuple):
    """How much longer one plan takes than another: 0.1 for 10 %, with the ends of a 90 % interval."""

    share: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the two can be distinguished."""
        return self.low > 0 or self.high < 0


def lag(prediction: Predicted, base: Predicted) -> Lag:
    """How much longer ``prediction``'s plan takes than ``base``'s, over the same draws.

    The effect of a draw on both cancels out. What the draws do not explain counts for each plan as far as it
    is not common to both.
    """
    pairs = zip(prediction.elapsed_s, base.elapsed_s, strict=True)
    ratios = [math.log(mine / theirs) for mine, theirs in pairs]
    drawn = stdev(ratios) if len(ratios) > 1 else 0.0
    middle = mean(ratios)
    reach = _NINETY * math.hypot(drawn, prediction.own, base.own)
    return Lag(*(math.expm1(end) for end in (middle, middle - reach, middle + reach)))


class Ranked(NamedTuple):
    """A candidate that can be planned, its plan and what is predicted of it."""

    candidate: Candidate
    plan: ClusterPlan
    predicted: Predicted


def why_not_ranked(inventory: Inventory, request: PlanRequest) -> str | None:
    """Why these platforms cannot be ranked by simulation; None where they can."""
    if request.hbase_used:
        return "HBase is not simulated"
    if not request.mapreduce:
        return "there are no jobs to simulate"
    if len(inventory.worker_groups) > 1:
        return "hosts of several kinds are divided separately, and simulation ranks one kind only"
    return None


def plan_by_prediction(inventory: Inventory, request: PlanRequest, predictor: Predictor) -> ClusterPlan:
    """Plan a cluster, its platform being the one that is predicted to be the fastest.

    Of platforms that cannot be distinguished from the fastest, the rules choose. Other numbers of tasks and
    other block sizes on that platform are tried as well, and become advice. Raises UserError where the hosts
    or the request do not allow a cluster, or no prediction.
    """
    if why := why_not_ranked(inventory, request):
        raise UserError("--rank simulate", why, "give --rank rules")
    choice = choose(inventory, request)
    (group,) = choice.groups
    weighed = choice.weighed[group.name]
    tried = list(_tried(inventory, request, choice))
    if not tried:
        return plan_choice(inventory, request, choice)
    predicted = predictor([plan for _, plan in tried])
    ranked = [Ranked(*candidate, rows) for candidate, rows in zip(tried, predicted, strict=True)]
    fastest = min(ranked, key=lambda platform: _middle(platform.predicted))
    indistinguishable = [
        platform for platform in ranked if not lag(platform.predicted, fastest.predicted).is_clear
    ]
    chosen = max(indistinguishable, key=lambda platform: platform.candidate.score)
    rows = [_judged(platform, fastest, chosen, predictor.about) for platform in ranked]
    rows.sort(key=lambda candidate: (candidate.platform != chosen.candidate.platform, -candidate.score))
    # Candidates that were not simulated stay as the rules have them, after those that were.
    simulated = {id(platform.candidate) for platform in ranked}
    rivals = [passed_over(candidate) for candidate in weighed if id(candidate) not in simulated]
    plan = plan_choice(inventory, request, Choice(choice.groups, {group.name: (*rows, *rivals)}))
    advice = _advice(chosen, list(plan_variants(inventory, request, chosen.plan)), predictor)
    cluster = plan.cluster.model_copy(update={"advice": (*advice, *plan.cluster.advice)})
    return plan.model_copy(update={"cluster": cluster})


def _tried(
    inventory: Inventory, request: PlanRequest, choice: Choice
) -> Iterable[tuple[Candidate, ClusterPlan]]:
    """Every candidate that rules neither refuse nor rule out, planned."""
    (group,) = choice.groups
    weighed = choice.weighed[group.name]
    for candidate in weighed:
        requested = request.workers_per_host in (None, sum(kind.per_host for kind in candidate.kinds))
        if candidate.verdict == "refused" or candidate.score <= -NOT_ASKED_FOR or not requested:
            continue
        first = (candidate, *(another for another in weighed if another is not candidate))
        try:
            yield candidate, plan_choice(inventory, request, Choice(choice.groups, {group.name: first}))
        except UserError:
            # It has no room for the masters; the rules say so where it is listed.
            if candidate is weighed[0]:
                raise


def _judged(platform: Ranked, fastest: Ranked, chosen: Ranked, about: str) -> Candidate:
    """The candidate with the simulation's judgement; the rules' weights no longer count."""
    candidate = platform.candidate
    judgements = (
        _judgement(platform, fastest, chosen, about),
        *(judgement.model_copy(update={"weight": 0.0}) for judgement in candidate.judgements),
    )
    verdict, score = "recommended" if platform is chosen else "possible", platform_score(judgements)
    return candidate.model_copy(update={"verdict": verdict, "judgements": judgements, "score": score})


def _judgement(platform: Ranked, fastest: Ranked, chosen: Ranked, about: str) -> Judgement:
    if platform is fastest:
        text = f"simulated fastest, in {format_seconds(_middle(platform.predicted))}: {about}"
        if platform is chosen:
            return SIMULATED.pro(text)
        return SIMULATED.con(
            f"{text}; it cannot be distinguished from {chosen.candidate.platform}, which the rules prefer"
        )
    behind = lag(platform.predicted, fastest.predicted)
    than = f"than {fastest.candidate.platform} ({_speed(behind.low)} to {_speed(behind.high)})"
    if behind.is_clear:
        return SIMULATED.con(f"simulated {_speed(behind.share)} {than}", max(0.0, round(behind.share, 4)))
    text = f"simulated {_speed(behind.share)} {than}: they cannot be distinguished"
    return SIMULATED.pro(text) if platform is chosen else SIMULATED.con(text)


def _advice(chosen: Ranked, tried: Sequence[Variant], predictor: Predictor) -> Iterable[Advice]:
    if not tried:
        return
    no_faster = []
    times = predictor([variant.plan for variant in tried])
    for variant, predicted in zip(tried, times, strict=True):
        behind = lag(chosen.predicted, predicted)
        if behind.is_clear and behind.share > 0:
            broken = "".join(f" It breaks {breach.rule}: {breach.says}" for breach in variant.breaks)
            share, low, high = (100 * end for end in behind)
            longer = f"work takes {share:.1f} % ({low:.1f} to {high:.1f} %) longer."
            yield SIMULATED.advice(f"{variant.flag} is simulated faster: as planned, {longer}{broken}")
        else:
            no_faster.append(variant.flag)
    if no_faster:
        advice = SIMULATED.advice(f"Not measurably faster in the simulation: {', '.join(no_faster)}.")
        yield advice.model_copy(update={"severity": Severity.MAY.value})


def _speed(share: float) -> str:
    """``2.2 % slower``, ``0.7 % faster``."""
    return f"{format_percent(abs(share))} {'slower' if share >= 0 else 'faster'}"


def _middle(predicted: Predicted) -> float:
    return median(predicted.elapsed_s)
