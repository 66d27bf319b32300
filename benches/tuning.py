"""Samplers for `howdah tune` on its own spaces: how good a plan so many simulations find."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request
from howdah.documents.files import read_inventory
from howdah.model.request import Demand, PlanRequest
from howdah.model.run_request import RunRequest
from howdah.model.tuning import KeptRules, Narrowing, Trial, TuneParameter
from howdah.planner.cluster import plan_cluster
from howdah.tune.candidates import Candidates
from howdah.tune.parameters import base_of
from howdah.tune.search import Attempt, Search, space_of

_EXAMPLES = Path(__file__).parent.parent / "examples"
_SPACES = (("hosts-7.yaml", 100), ("hosts-nvme.yaml", 100))
"""Inventories, and the gigabytes that their plans are for."""
_TRIALS, _FEW_TRIALS = 200, 30
_OURS = "alone, CatCMAwM, alone"


class Space(NamedTuple):
    """Everything that can be varied on one plan, and how candidates are tried."""

    parameters: Sequence[TuneParameter]
    attempt: Attempt


class _OnlyEvolving(Search):
    """CatCMAwM from the rules' plan, without trying parameters alone."""

    def best_from(self, start: Mapping[str, str]) -> Trial:
        self._try([self._point(start)])
        while self._remaining > 0 and self._evolve(self._best()):
            pass
        return self._trials[self._best()]


class _OnlyAlone(Search):
    """Parameters alone, again and again from the best candidate so far."""

    def best_from(self, start: Mapping[str, str]) -> Trial:
        first = self._point(start)
        self._try([first])
        self._try(self._nearby(first))
        self._try([self._best_of_each(first)])
        self._climb()
        return self._trials[self._best()]


class _Random(Search):
    """Candidates drawn evenly from the space."""

    def best_from(self, start: Mapping[str, str]) -> Trial:
        chance = random.Random(self._seed)
        self._try([self._point(start)])
        while self._remaining > 0:
            self._try([tuple(chance.randrange(len(one.levels)) for one in self._space)])
        return self._trials[self._best()]


_SAMPLERS: Mapping[str, Callable[..., Search]] = {
    _OURS: Search,
    "CatCMAwM": _OnlyEvolving,
    "alone": _OnlyAlone,
    "random": _Random,
}


def tuning(course: Course, request: Request) -> Result:
    """The best plan within the rules that each sampler finds, as a share of the time of the rules' plan."""
    # Who gives rows wants a quick look.
    trials = _TRIALS if request.rows is None else _FEW_TRIALS
    figures: dict[str, float] = {}
    for inventory, gigabytes in _SPACES:
        space = _space(inventory, gigabytes)
        (planned,) = space.attempt([{}])
        if planned.elapsed_s is None:
            raise ValueError(f"{inventory}: {planned.refused}")
        for name, sampler in _SAMPLERS.items():
            course.tell(f"{inventory}: {name}")
            best = [_best_s(sampler, space, trials, seed) for seed in range(1, course.repeats + 1)]
            figures[f"{inventory}: {name}"] = fmean(best) / planned.elapsed_s - 1
    ours = [figures[f"{inventory}: {_OURS}"] for inventory, _ in _SPACES]
    rest = [min(figures[f"{inventory}: {name}"] for name in _SAMPLERS) for inventory, _ in _SPACES]
    return Result(
        bench="tuning",
        title=f"samplers with {trials} simulations each, share of the rules' time saved is negative",
        figures=figures,
        goals=(
            Goal(
                claim="howdah tune's search compared with the best sampler, at worst",
                measured=max(mine - theirs for mine, theirs in zip(ours, rest, strict=True)),
                bound=0.01,
                at_most=True,
                unit="",
            ),
        ),
    )


def _space(inventory: str, gigabytes: int) -> Space:
    demand = Demand(kind="terasuite", dataset_bytes=gigabytes * 10**9)
    plan = plan_cluster(read_inventory(_EXAMPLES / inventory), PlanRequest(workloads=(demand,)))
    assert plan.cluster is not None
    base = base_of(plan)
    candidates = Candidates(base, RunRequest(suite="terasuite"), None, seed=1)
    known: dict[frozenset[tuple[str, str]], Trial] = {}

    def attempt(several: Sequence[Mapping[str, str]], /) -> Sequence[Trial]:
        missing = [values for values in several if frozenset(values.items()) not in known]
        for trial in candidates.tried(missing):
            known[frozenset(trial.values.items())] = trial
        return [known[frozenset(values.items())] for values in several]

    return Space(space_of(base, Narrowing(), "space")[0], attempt)


def _best_s(sampler: Callable[..., Search], space: Space, trials: int, seed: int) -> float:
    search = sampler(space.parameters, space.attempt, kept=KeptRules.RULES, budget=trials, seed=seed)
    best = search.best_from({}).elapsed_s
    assert best is not None, "the rules' plan can be simulated"
    return best
