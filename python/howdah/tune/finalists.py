"""What follows a search: its finalists, the fastest plans with less, and what each parameter costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, islice
from math import inf
from statistics import median
from typing import NamedTuple

from howdah.model.tuning import (
    Finalist,
    FrontPoint,
    Goal,
    Interaction,
    KeptRules,
    LevelCost,
    LosingRule,
    Sensitivity,
    Trial,
    TuneParameter,
    TuningRequest,
)
from howdah.planner.ranked import lag
from howdah.store.predictions import candidate_key
from howdah.tune.candidates import Candidates, Values
from howdah.tune.parameters import HOSTS, SLOTS
from howdah.tune.search import NEGLIGIBLE, Attempt, Search

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
    trials = list({candidate_key(trial.values): trial for pool in pools.values() for trial in pool}.values())
    planned, *times = candidates.predicted([{}, *(trial.values for trial in trials)], request.replications)
    predicted = {candidate_key(trial.values): time for trial, time in zip(trials, times, strict=True)}
    predicted[candidate_key({})] = planned

    def ranked(kept: KeptRules) -> list[Finalist]:
        once = {candidate_key(trial.values): trial for trial in pools[kept]}.values()
        return sorted((finalist(kept, trial) for trial in once), key=lambda ranked: ranked.share)

    def finalist(kept: KeptRules, chosen: Trial) -> Finalist:
        difference = lag(predicted[candidate_key(chosen.values)], planned)
        return Finalist(
            kept=kept,
            values=chosen.values,
            elapsed_s=median(predicted[candidate_key(chosen.values)].elapsed_s),
            share=difference.share,
            interval=(difference.low, difference.high) if request.calibration else None,
            differs=difference.is_clear,
            breaks=chosen.breaks,
        )

    used, *next_best = ranked(request.keep)
    best_of_pools = (ranked(kept)[0] for kept, pool in pools.items() if pool and kept is not request.keep)
    faster = (best for best in best_of_pools if best.differs and best.share < used.share)
    runners_up = tuple(tried for tried in next_best if tried.values and tried.share < 0)[:_RUNNERS_UP]
    return ComparedFinalists(median(planned.elapsed_s), (used, *faster), runners_up)


def fastest(search: Search, best: Trial, trials: Sequence[Trial], draws: int) -> list[Trial]:
    """The best trial of a search, the fastest others that it admits, and the rules' plan if admitted.

    ``draws`` are those of a trial.
    """
    compared = _COMPARED if draws > 1 else _COMPARED_OF_ONE_DRAW
    admitted = [trial for trial in trials if trial.elapsed_s is not None and search.admits(trial)]
    admitted.sort(key=lambda trial: trial.elapsed_s or 0.0)
    planned = [trial for trial in admitted if not trial.values]
    next_best = islice(_distinct([best, *admitted]), 1, 1 + compared)
    return [best, *(search.simplified(trial.values) for trial in next_best), *planned]


def _distinct(trials: Iterable[Trial]) -> Iterator[Trial]:
    """Trials that all take different times; ones with the same time in the same draws differ in trifles."""
    times_s: list[float] = []
    for trial in trials:
        time_s = trial.elapsed_s or 0.0
        if all(abs(time_s - other_s) > NEGLIGIBLE * other_s for other_s in times_s):
            times_s.append(time_s)
            yield trial


def losing_rules(compared: Sequence[Finalist], attempt: Attempt) -> tuple[LosingRule, ...]:
    """The rules that a finalist breaks and what keeping each would cost it, the costliest first."""
    broken = next((finalist for finalist in compared if finalist.breaks), None)
    return () if broken is None else tuple(sorted(_costs(broken, attempt), key=lambda rule: -rule.share))


def _costs(finalist: Finalist, attempt: Attempt) -> Iterator[LosingRule]:
    (whole,) = attempt([finalist.values])
    values = finalist.values
    without = [{key: value for key, value in values.items() if key != name} for name in values]
    trials = dict(zip(values, attempt(without), strict=True))
    for rule in finalist.breaks:
        keeping = {name: trial for name, trial in trials.items() if rule not in trial.breaks}
        times = [trial.elapsed_s for trial in keeping.values() if trial.elapsed_s is not None]
        if times and whole.elapsed_s is not None and min(times) > whole.elapsed_s:
            kept = {name: values[name] for name in keeping}
            yield LosingRule(rule=rule, values=kept, share=min(times) / whole.elapsed_s - 1)


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


Times = Callable[[Sequence[Values]], Sequence[float]]  # Seconds that candidates take, in their order.

_PARTS = (0.9, 0.75, 0.6, 0.5)  # Of the hosts, or of the memory that the rules' plan gives to containers.
_SHARE = 0.1  # Trials of one point's search, as a part of those of the whole search.
_LEAST_TRIALS = 30


class TunedSearch(NamedTuple):
    """A search that has ended, from which the points of a front are searched."""

    space: Sequence[TuneParameter]
    attempt: Attempt
    rules: Trial
    tuned: Trial
    kept: KeptRules
    trials: int
    seed: int


def expected_trials(goals: Sequence[Goal], trials: int) -> int:
    return len(goals) * len(_PARTS) * _budget(trials)


def front(goal: Goal, search: TunedSearch, hosts: int, fresh: Times) -> tuple[FrontPoint, ...]:
    """The points of one goal, the largest amount first; the first one is the tuned plan.

    A point that is slower than one with less is left out. ``hosts`` have the workers of the rules' plan.
    ``fresh`` simulates candidates with draws that no trial has used: with those of the search, the fastest
    candidate is also the luckiest.
    """
    searched = _fewer_hosts(search, hosts) if goal is Goal.HOSTS else _less_memory(search)
    # Two limits on memory may lead to the same candidate.
    points = _in_fresh_draws(list({point.amount: point for point in searched}.values()), fresh)
    return tuple(
        point
        for point in points
        if not any(better.amount <= point.amount and better.elapsed_s < point.elapsed_s for better in points)
    )


def _in_fresh_draws(points: Sequence[FrontPoint], fresh: Times) -> list[FrontPoint]:
    tuned = [_on_hosts(point, point.values) for point in points]
    planned = [_on_hosts(point, {}) for point in points if point.planned_s is not None]
    times = iter(fresh([*tuned, *planned]))
    compared = [point.model_copy(update={"elapsed_s": next(times)}) for point in points]
    return [
        point if point.planned_s is None else point.model_copy(update={"planned_s": next(times)})
        for point in compared
    ]


def _on_hosts(point: FrontPoint, values: Values) -> Values:
    return {**values, HOSTS: f"{point.amount:.0f}"} if point.goal is Goal.HOSTS else values


def _budget(trials: int) -> int:
    return max(_LEAST_TRIALS, int(_SHARE * trials))


def _search(whole: TunedSearch, attempt: Attempt, memory_bytes: float = inf) -> Search:
    budget, seed = _budget(whole.trials), whole.seed
    return Search(whole.space, attempt, kept=whole.kept, budget=budget, seed=seed, memory_bytes=memory_bytes)


def _fewer_hosts(whole: TunedSearch, hosts: int) -> Iterator[FrontPoint]:
    """The fastest plan of each number of hosts, next to the rules' plan of as many."""
    yield _point(Goal.HOSTS, hosts, whole.tuned, whole.rules)
    for count in dict.fromkeys(round(part * hosts) for part in _PARTS):
        on_fewer = {HOSTS: str(count)}
        (planned,) = whole.attempt([on_fewer])
        if count >= hosts or planned.elapsed_s is None:
            continue
        search = _search(whole, partial(_attempt_on, whole.attempt, on_fewer))
        best = search.climbed_from([whole.tuned.values, {}])
        if best.elapsed_s is not None and search.admits(best):
            yield _point(Goal.HOSTS, count, best, planned)


def _attempt_on(attempt: Attempt, hosts: Values, several: Sequence[Values]) -> Sequence[Trial]:
    return attempt([{**values, **hosts} for values in several])


def _less_memory(whole: TunedSearch) -> Iterator[FrontPoint]:
    """The fastest plans with at most so much memory of containers."""
    most = whole.rules.memory_bytes or 0.0
    yield _point(Goal.MEMORY, whole.tuned.memory_bytes or most, whole.tuned, None)
    starts = [whole.tuned.values, *_with_fewer_slots(whole)]
    for part in _PARTS:
        search = _search(whole, whole.attempt, part * most)
        best = search.climbed_from(starts)
        if best.elapsed_s is not None and best.memory_bytes is not None and search.admits(best):
            yield _point(Goal.MEMORY, best.memory_bytes, best, None)


def _with_fewer_slots(whole: TunedSearch) -> Iterator[dict[str, str]]:
    """The tuned candidate with each number of tasks at once, which decides most of their memory."""
    for parameter in whole.space:
        if parameter.name == SLOTS:
            yield from ({**whole.tuned.values, SLOTS: level} for level in parameter.levels)


def _point(goal: Goal, amount: float, trial: Trial, planned: Trial | None) -> FrontPoint:
    assert trial.elapsed_s is not None
    return FrontPoint(
        goal=goal,
        amount=amount,
        elapsed_s=trial.elapsed_s,
        planned_s=planned.elapsed_s if planned is not None else None,
        values={name: value for name, value in trial.values.items() if name != HOSTS},
    )


_INTERACTING = 10  # So many of the parameters that cost most are tried in pairs.
_LEAST_SHARE = 0.03  # An effect of a pair below this part of the time is left out.


def sensitivities(
    space: Sequence[TuneParameter], best: Trial, decided: Mapping[str, str], attempt: Attempt
) -> tuple[tuple[Sensitivity, ...], tuple[Interaction, ...]]:
    """Every parameter at each of its levels with all others as in ``best``, and pairs of the costliest.

    ``decided`` are the values in the plan of ``best``: what the rules decide depends on the others.
    """
    assert best.elapsed_s is not None
    best_s = best.elapsed_s
    varied = [parameter for parameter in space if len(parameter.levels) > 1]
    moves = [(parameter, level) for parameter in varied for level in parameter.levels]
    trials = attempt([_moved(best.values, parameter, level) for parameter, level in moves])
    shares = {
        (parameter.name, level): None if trial.elapsed_s is None else trial.elapsed_s / best_s - 1
        for (parameter, level), trial in zip(moves, trials, strict=True)
    }
    result = []
    for parameter in varied:
        name, chosen = parameter.name, best.values.get(parameter.name, parameter.planned)
        levels = tuple(
            LevelCost(value=decided[name] if level == chosen else level, share=shares[name, level])
            for level in parameter.levels
        )
        result.append(Sensitivity(name=name, best=decided[name], levels=levels))
    result.sort(key=lambda parameter: -parameter.cost)
    return tuple(result), _interactions(varied, result, best, shares, attempt)


def _interactions(
    varied: Sequence[TuneParameter],
    result: Sequence[Sensitivity],
    best: Trial,
    shares: Mapping[tuple[str, str], float | None],
    attempt: Attempt,
) -> tuple[Interaction, ...]:
    """Pairs of the costliest parameters that together take longer or shorter than one by one."""
    assert best.elapsed_s is not None
    by_name = {parameter.name: parameter for parameter in varied}
    moved = {
        sensitivity.name: level
        for sensitivity in result[:_INTERACTING]
        if (level := _typical_move(sensitivity)) in by_name[sensitivity.name].levels and level is not None
    }
    pairs = list(combinations(moved, 2))

    def move(values: Values, name: str) -> Values:
        return _moved(values, by_name[name], moved[name])

    trials = attempt([move(move(best.values, name), second_name) for name, second_name in pairs])
    interactions = []
    for (name, second_name), trial in zip(pairs, trials, strict=True):
        first, second = shares[name, moved[name]], shares[second_name, moved[second_name]]
        if trial.elapsed_s is None or first is None or second is None:
            continue
        share = trial.elapsed_s / best.elapsed_s / ((1 + first) * (1 + second)) - 1
        if abs(share) >= _LEAST_SHARE:
            values = (moved[name], moved[second_name])
            interactions.append(Interaction(names=(name, second_name), values=values, share=share))
    return tuple(sorted(interactions, key=lambda interaction: -abs(interaction.share)))


def _moved(values: Mapping[str, str], parameter: TuneParameter, level: str) -> dict[str, str]:
    unmoved = {name: value for name, value in values.items() if name != parameter.name}
    return unmoved if level == parameter.planned else unmoved | {parameter.name: level}


def _typical_move(sensitivity: Sensitivity) -> str | None:
    """The level with the cost nearest to half of the worst: far enough to matter, not absurd."""
    cost, best = sensitivity.cost, sensitivity.best
    measured = [level for level in sensitivity.levels if level.share is not None and level.value != best]
    if not measured or cost <= 0:
        return None
    return min(measured, key=lambda level: abs((level.share or 0.0) - cost / 2)).value
