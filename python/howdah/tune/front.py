"""What a plan gives up that uses less: the fastest candidates on fewer hosts, or with less memory for tasks.

Each point of the front is a search of its own with a limit, started from the tuned plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from howdah.model.tuning import FrontPoint, Goal, KeptRules, Trial, TuneParameter
from howdah.tune.parameters import HOSTS, SLOTS
from howdah.tune.search import Attempt, Search, Values

Times = Callable[[Sequence[Values]], Sequence[float]]
"""Seconds that candidates take, in their order."""

_PARTS = (0.9, 0.75, 0.6, 0.5)
"""Of the hosts, or of the memory that the rules' plan gives to containers."""
_SHARE = 0.1
"""Trials of one point's search, as a part of those of the whole search."""
_LEAST_TRIALS = 30


class TunedSearch(NamedTuple):
    """A search that has ended, from which the points of a front are searched."""

    space: Sequence[TuneParameter]
    attempt: Attempt
    rules: Trial
    """The rules' plan."""
    tuned: Trial
    """The tuned plan."""
    kept: KeptRules
    trials: int
    seed: int


def expected_trials(goals: Sequence[Goal], trials: int) -> int:
    """Trials of all points."""
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
        if not any(other.amount <= point.amount and other.elapsed_s < point.elapsed_s for other in points)
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


def _fewer_hosts(whole: TunedSearch, hosts: int) -> Iterator[FrontPoint]:
    """The fastest plan of each number of hosts, next to the rules' plan of as many."""
    yield _point(Goal.HOSTS, hosts, whole.tuned, whole.rules)
    for count in dict.fromkeys(round(part * hosts) for part in _PARTS):
        on_fewer = {HOSTS: str(count)}
        (planned,) = whole.attempt([on_fewer])
        if count >= hosts or planned.elapsed_s is None:
            continue
        search = Search(
            whole.space,
            lambda several, fixed=on_fewer: whole.attempt([{**values, **fixed} for values in several]),
            kept=whole.kept,
            budget=_budget(whole.trials),
            seed=whole.seed,
        )
        best = search.climbed_from([whole.tuned.values, {}])
        if best.elapsed_s is not None and search.admits(best):
            yield _point(Goal.HOSTS, count, best, planned)


def _less_memory(whole: TunedSearch) -> Iterator[FrontPoint]:
    """The fastest plan whose containers have at most so much memory."""
    most = whole.rules.memory_bytes or 0.0
    yield _point(Goal.MEMORY, whole.tuned.memory_bytes or most, whole.tuned, None)
    starts = [whole.tuned.values, *_with_fewer_slots(whole)]
    for part in _PARTS:
        search = Search(
            whole.space,
            whole.attempt,
            kept=whole.kept,
            budget=_budget(whole.trials),
            seed=whole.seed,
            memory_bytes=part * most,
        )
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
