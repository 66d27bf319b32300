"""The end of a search: the fastest candidates compared with fresh draws, and the rules that cost time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from howdah.model.tuning import Finalist, KeptRules, LosingRule, Trial, TuningRequest
from howdah.planner.ranked import lag
from howdah.tune.candidates import Candidates, Values
from howdah.tune.search import Attempt, Search

_COMPARED, _COMPARED_OF_ONE_DRAW = 3, 10
"""So many of the fastest candidates of each search are compared with fresh draws.

If trials have one draw, the fastest is also the luckiest, so more are compared."""
_RUNNERS_UP = 2
_STEP = 0.003
"""The course of a search shows a candidate that saves at least this part of the time of the one before it."""


class ComparedFinalists(NamedTuple):
    """The time of the rules' plan, seconds, and the best candidate of each search, the one to use first."""

    planned_s: float
    finalists: tuple[Finalist, ...]
    runners_up: tuple[Finalist, ...]
    """The candidates next to the first one, of the same search and faster than the rules' plan."""


def finalists(
    pools: Mapping[KeptRules, Sequence[Trial]], request: TuningRequest, candidates: Candidates
) -> ComparedFinalists:
    """Simulate the candidates of each search next to the rules' plan, all with the same fresh draws.

    A candidate may have won with the draws of the search by chance. The second finalist is left out unless it
    is faster than the first.
    """
    trials = list({_key(trial.values): trial for pool in pools.values() for trial in pool}.values())
    planned, *times = candidates.predicted([{}, *(trial.values for trial in trials)], request.replications)
    predicted = {_key(trial.values): time for trial, time in zip(trials, times, strict=True)}
    predicted[_key({})] = planned

    def ranked(kept: KeptRules) -> list[Finalist]:
        once = {_key(trial.values): trial for trial in pools[kept]}.values()
        return sorted((finalist(kept, trial) for trial in once), key=lambda one: one.share)

    def finalist(kept: KeptRules, chosen: Trial) -> Finalist:
        difference = lag(predicted[_key(chosen.values)], planned)
        return Finalist(
            kept=kept,
            values=chosen.values,
            elapsed_s=median(predicted[_key(chosen.values)].elapsed_s),
            share=difference.share,
            interval=(difference.low, difference.high) if request.calibration else None,
            differs=difference.is_clear,
            breaks=chosen.breaks,
        )

    used, *next_best = ranked(request.keep)
    others = (ranked(kept)[0] for kept, pool in pools.items() if pool and kept is not request.keep)
    faster = (other for other in others if other.differs and other.share < used.share)
    runners_up = tuple(other for other in next_best if other.values and other.share < 0)[:_RUNNERS_UP]
    return ComparedFinalists(median(planned.elapsed_s), (used, *faster), runners_up)


def fastest(search: Search, best: Trial, trials: Sequence[Trial], draws: int) -> list[Trial]:
    """The best trial of a search, the fastest others that it admits, and the rules' plan if admitted.

    ``draws`` are those of a trial.
    """
    compared = _COMPARED if draws > 1 else _COMPARED_OF_ONE_DRAW
    admitted = [trial for trial in trials if trial.elapsed_s is not None and search.admits(trial)]
    admitted.sort(key=lambda trial: trial.elapsed_s or 0.0)
    planned = [trial for trial in admitted if not trial.values]
    return [best, *(search.simplified(trial.values) for trial in admitted[:compared]), *planned]


def losing_rules(compared: Sequence[Finalist], attempt: Attempt) -> tuple[LosingRule, ...]:
    """The rules that a finalist breaks and what keeping each would cost it, the costliest first."""
    broken = next((finalist for finalist in compared if finalist.breaks), None)
    return () if broken is None else tuple(sorted(_costs(broken, attempt), key=lambda rule: -rule.share))


def _costs(finalist: Finalist, attempt: Attempt) -> Iterator[LosingRule]:
    (whole,) = attempt([finalist.values])
    without = {
        name: {key: value for key, value in finalist.values.items() if key != name}
        for name in finalist.values
    }
    trials = dict(zip(without, attempt(list(without.values())), strict=True))
    for rule in finalist.breaks:
        keeping = {name: trial for name, trial in trials.items() if rule not in trial.breaks}
        times = [trial.elapsed_s for trial in keeping.values() if trial.elapsed_s is not None]
        if times and whole.elapsed_s is not None and min(times) > whole.elapsed_s:
            values = {name: finalist.values[name] for name in keeping}
            yield LosingRule(rule=rule, values=values, share=min(times) / whole.elapsed_s - 1)


def course(trials: Sequence[Trial], candidates: Candidates, draws: int) -> tuple[tuple[int, float], ...]:
    """After how many trials the best candidate within the rules took how much longer than the rules' plan.

    The first trial is the rules' plan. With the draws of its trial the best candidate is also the luckiest.
    So each is simulated again, with so many ``draws`` that no trial has used.
    """
    steps = list(_steps(trials))
    planned, *times = candidates.predicted([{}, *(trial.values for _, trial in steps)], draws)
    shares = [lag(time, planned).share for time in times]
    points = [(0, 0.0), *((number, share) for (number, _), share in zip(steps, shares, strict=True))]
    return (*points, (len(trials), points[-1][1]))


def _steps(trials: Sequence[Trial]) -> Iterator[tuple[int, Trial]]:
    """The trials that were clearly faster than the best trial before them, with their numbers from 1."""
    best_s = trials[0].elapsed_s or 0.0
    for number, trial in enumerate(trials, start=1):
        if trial.within_rules and trial.elapsed_s is not None and trial.elapsed_s < (1 - _STEP) * best_s:
            best_s = trial.elapsed_s
            yield number, trial


def _key(values: Values) -> frozenset[tuple[str, str]]:
    return frozenset(values.items())
