"""The space of a search, narrowed by the user's file, and the search in it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf, prod

import numpy as np
from cmaes import CatCMAwM

from howdah.errors import UserError
from howdah.model.plan import value_text
from howdah.model.tuning import PLANNED, Fixed, KeptRules, Level, Narrowing, Trial, TuneParameter
from howdah.tune.parameters import Base, is_per_job, magnitude, parameters

_OF_DAEMONS = "a change takes a restart of daemons, and the race is on a cluster that runs"


def space_of(
    base: Base, narrowing: Narrowing, file: str, *, per_job: bool = False
) -> tuple[tuple[TuneParameter, ...], tuple[Fixed, ...]]:
    """What is varied on a plan, and what is not; ``per_job`` leaves out what only daemons read.

    Raises UserError, naming ``file``, for a parameter that is unknown or a value that it cannot have.
    """
    possible, fixed = parameters(base)
    if per_job:
        fixed += [
            Fixed(name=parameter.name, why=_OF_DAEMONS)
            for parameter in possible
            if not is_per_job(parameter.name)
        ]
        possible = [parameter for parameter in possible if is_per_job(parameter.name)]
    names = [parameter.name for parameter in possible]
    why = {parameter.name: parameter.why for parameter in fixed}
    for name in narrowing.parameters:
        if name in why:
            raise UserError(f"{file}: parameters.{name}", f"cannot be varied: {why[name]}", "leave it out")
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            listed = "`howdah tune PLAN --show-space` lists the parameters"
            hint = f"did you mean {near[0]}?" if near else listed
            raise UserError(f"{file}: parameters.{name}", "is not a parameter of the search", hint)
    varied: list[TuneParameter] = []
    for parameter in possible:
        chosen = narrowing.parameters.get(parameter.name)
        if chosen == PLANNED or (chosen is None and narrowing.others == PLANNED):
            fixed.append(Fixed(name=parameter.name, why=f"{file} keeps it as planned"))
        else:
            varied.append(parameter if chosen is None else _narrowed(parameter, chosen, file))
    if not any(len(parameter.levels) > 1 for parameter in varied):
        raise UserError(file, "leaves nothing to vary", "give at least one parameter several values")
    return tuple(varied), tuple(fixed)


def _narrowed(parameter: TuneParameter, chosen: Level | tuple[Level, ...], file: str) -> TuneParameter:
    several = chosen if isinstance(chosen, tuple) else (chosen,)
    where = f"{file}: parameters.{parameter.name}"
    if not several:
        raise UserError(where, "has no value", "list values, or leave it out")
    levels = dict.fromkeys(_texts(parameter, several, where))
    if parameter.ordered:
        levels = dict.fromkeys(sorted(levels, key=magnitude))
    return parameter.model_copy(update={"levels": tuple(levels)})


def _texts(parameter: TuneParameter, several: tuple[Level, ...], where: str) -> Iterator[str]:
    for value in several:
        text = parameter.planned if value == PLANNED else value_text(value)
        if parameter.ordered:
            try:
                magnitude(text)
                if all(level.isdigit() for level in parameter.levels) and not text.isdigit():
                    raise ValueError(text)
                if text.endswith("B") and not any(level.endswith("B") for level in parameter.levels):
                    raise ValueError(text)
            except (UserError, ValueError):
                hint = f"write for instance {', '.join(parameter.levels[:3])}"
                raise UserError(where, f"{text!r} is not a value of it", hint) from None
        elif text not in (values := (*parameter.levels, *parameter.others)):
            problem = f"{text!r} is not one of its values"
            raise UserError(where, problem, f"give some of {', '.join(values)}")
        yield text


Values = Mapping[str, str]
Point = tuple[int, ...]  # The number of a level of each parameter.

NEGLIGIBLE = 0.002  # A value that changes the time by less than this part is what the rules decide again.
_IDLE_GENERATIONS = 10  # So many generations without a new candidate end one start of the strategy.
_START_CATEGORY = 0.6  # Probability of the starting value of a word; the others share the rest.


Attempt = Callable[[Sequence[Values]], Sequence[Trial]]  # Tries candidates, in this order.


class Search:
    """A search over a space, among the candidates that keep so many rules.

    ``memory_bytes`` is the most that their containers may have.
    """

    def __init__(
        self,
        space: Sequence[TuneParameter],
        attempt: Attempt,
        *,
        kept: KeptRules,
        budget: int,
        seed: int,
        memory_bytes: float = inf,
    ) -> None:
        self._space = space
        self._attempt = attempt
        self._kept = kept
        self._remaining = budget
        self._seed = seed
        self._memory_bytes = memory_bytes
        self._trials: dict[Point, Trial] = {}

    @property
    def trials(self) -> Iterable[Trial]:
        """Every trial of this search, the oldest first."""
        return self._trials.values()

    def best_from(self, start: Values) -> Trial:
        """The best candidate that the budget finds; the start itself if no other is better."""
        first = self._point(start)
        self._try([first])
        if prod(len(parameter.levels) for parameter in self._space) <= self._remaining:
            self._try(np.ndindex(*(len(parameter.levels) for parameter in self._space)))
            return self._trials[self._simple(self._best())]
        kept = self._remaining // 4
        self._remaining -= kept
        self._try(self._nearby(first))
        while self._remaining > 0 and self._evolve(self._best_of_each(first)):
            first = self._best()
        self._remaining += kept
        self._climb()
        return self._trials[self._simple(self._best())]

    def climbed_from(self, starts: Sequence[Values]) -> Trial:
        """The best candidate near the best of ``starts``: each parameter varied alone, step by step."""
        self._try([self._point(values) for values in starts])
        self._climb()
        return self._trials[self._simple(self._best())]

    def simplified(self, values: Values) -> Trial:
        """The candidate without the values that bring nothing."""
        point = self._point(values)
        self._remaining = max(self._remaining, 1)
        self._try([point])
        return self._trials[self._simple(point)]

    def _best(self) -> Point:
        """The best point that is admitted; the first one tried if none could be simulated."""
        return min(self._trials, key=lambda point: self._cost(self._trials[point]))

    def admits(self, trial: Trial) -> bool:
        """Whether a trial that was simulated keeps the rules and the limit of this search."""
        return (self._kept is KeptRules.LIMITS or not trial.breaks) and (
            trial.memory_bytes is None or trial.memory_bytes <= self._memory_bytes
        )

    def _cost(self, trial: Trial) -> float:
        """The time; a trial that is not admitted costs more than all others, the more rules it breaks."""
        if trial.elapsed_s is None:
            return 1e12 * (1 + len(trial.breaks))
        if not self.admits(trial):
            beyond = max(0.0, (trial.memory_bytes or 0.0) / self._memory_bytes - 1)
            return 1e9 * (1 + len(trial.breaks) + beyond) + trial.elapsed_s
        return trial.elapsed_s

    def _try(self, points: Iterable[tuple[int, ...]]) -> int:
        """Try those that are new, as far as the budget goes; return how many these were."""
        new = [point for point in dict.fromkeys(points) if point not in self._trials][: self._remaining]
        if new:
            trials = self._attempt([self._values(point) for point in new])
            self._trials.update(zip(new, trials, strict=True))
            self._remaining -= len(new)
        return len(new)

    def _nearby(self, point: Point) -> Iterator[Point]:
        """The point with each parameter at each of its other levels."""
        for place, parameter in enumerate(self._space):
            yield from (_moved(point, place, at) for at in range(len(parameter.levels)) if at != point[place])

    def _best_of_each(self, point: Point) -> Point:
        """Each parameter at the level that is best with all others as in ``point``, as far as was tried."""
        return tuple(
            min(range(len(parameter.levels)), key=lambda level: self._cost_at(_moved(point, place, level)))
            for place, parameter in enumerate(self._space)
        )

    def _cost_at(self, point: Point) -> float:
        return self._cost(self._trials[point]) if point in self._trials else inf

    def _evolve(self, start: Point) -> bool:
        """One start of the strategy; False if it found nothing new at all."""
        sizes = [len(parameter.levels) for parameter in self._space]
        ordered = [place for place, size in enumerate(sizes) if self._space[place].ordered and size > 2]
        words = [place for place, size in enumerate(sizes) if size > 1 and place not in ordered]
        widest = max((sizes[place] for place in words), default=0)
        chances = np.zeros((len(words), widest))
        for row, place in enumerate(words):
            chances[row, : sizes[place]] = (1 - _START_CATEGORY) / (sizes[place] - 1)
            chances[row, start[place]] = _START_CATEGORY
        strategy = CatCMAwM(
            z_space=[list(range(sizes[place])) for place in ordered] or None,
            c_space=[sizes[place] for place in words] or None,
            mean=np.array([float(start[place]) for place in ordered]) if ordered else None,
            cov=np.diag([(sizes[place] / 6) ** 2 for place in ordered]) if ordered else None,
            sigma=1.0,
            cat_param=chances if words else None,
            seed=(self._seed + len(self._trials)) % 2**32,
        )
        tried = self._try([start])
        idle = 0
        while self._remaining > 0 and idle < _IDLE_GENERATIONS and not strategy.should_stop():
            solutions = [strategy.ask() for _ in range(strategy.population_size)]
            points = [self._proposed(start, solution, ordered, words) for solution in solutions]
            new = self._try(points)
            tried += new
            idle = 0 if new else idle + 1
            if all(point in self._trials for point in points):
                costs = [self._cost(self._trials[point]) for point in points]
                strategy.tell(list(zip(solutions, costs, strict=True)))
        return tried > 0

    @staticmethod
    def _proposed(
        start: Point, solution: CatCMAwM.Solution, ordered: Sequence[int], words: Sequence[int]
    ) -> Point:
        point = list(start)
        if solution.z is not None:
            for place, level in zip(ordered, solution.z, strict=True):
                point[place] = int(level)
        if solution.c is not None:
            for place, row in zip(words, solution.c, strict=True):
                point[place] = int(np.argmax(row))
        return tuple(point)

    def _climb(self) -> None:
        """Vary every parameter of the best candidate alone, again and again while that makes it better."""
        point = None
        while self._remaining > 0 and point != self._best():
            point = self._best()
            for place, parameter in enumerate(self._space):
                best = self._best()
                levels = range(len(parameter.levels))
                near = (best[place] - 1, best[place] + 1) if parameter.ordered else levels
                self._try(_moved(best, place, level) for level in near if level in levels)

    def _simple(self, point: Point) -> Point:
        """The point without the values that bring nothing; each removal is a trial beyond the budget."""
        best_s = self._cost(self._trials[point])
        for place, parameter in enumerate(self._space):
            if parameter.planned not in parameter.levels:
                continue
            planned = parameter.levels.index(parameter.planned)
            simpler = _moved(point, place, planned)
            if simpler != point:
                self._remaining = max(self._remaining, 1)
                self._try([simpler])
                if self._cost(self._trials[simpler]) <= best_s * (1 + NEGLIGIBLE):
                    point = simpler
        return point

    def _point(self, values: Values) -> Point:
        return tuple(
            parameter.levels.index(value)
            if (value := values.get(parameter.name, parameter.planned)) in parameter.levels
            else 0
            for parameter in self._space
        )

    def _values(self, point: Point) -> dict[str, str]:
        return {
            parameter.name: parameter.levels[level]
            for parameter, level in zip(self._space, point, strict=True)
            if parameter.levels[level] != parameter.planned
        }


def _moved(point: Point, place: int, level: int) -> Point:
    return (*point[:place], level, *point[place + 1 :])
