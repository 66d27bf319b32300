"""The distance between known figures and the simulator's, for a position of the parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from howdah.calibrate.case import Case, Simulate, Unsure, best_of_spread, is_load, metric_of, run_to_run
from howdah.calibrate.study import PublishedStudy
from howdah.model.calibration import Parameter

Vector = NDArray[np.float64]

_WIDTHS = 4.0  # A range from low to high has so many standard deviations: 95 % of what is thought possible.

_MODEL_ERROR = 0.02  # A simulator that is off by less than 2 % is as good as it is expected to be.
_STEP = 0.2  # Of a parameter's logarithm for a derivative: larger than the effect of one task more or less.
_MOVED = 0.2
_CALM = 0.02  # Runs that vary by less can be distinguished in their derivatives.
_LEAST = 1e-9
_FEW = 3  # Up to so many seeds a single one shows how a figure moves; a case of more is small and cheap.


class Free(NamedTuple):
    """One number that is sought. It is positive, and its logarithm is what the optimiser moves."""

    name: str  # The parameter's name, or the study's and the quantity's: ``seven-node/speed``.
    start: float  # Where the search begins, and what is most likely before any data is seen.
    low: float
    high: float
    source: str

    @property
    def spread(self) -> float:
        """Standard deviation of its logarithm before any data is seen."""
        return math.log(self.high / self.low) / _WIDTHS


def free_parameters(parameters: Iterable[Parameter]) -> list[Free]:
    """The simulator's parameters, before anything is known of a study."""
    return [Free(entry.name, entry.default, entry.low, entry.high, entry.source) for entry in parameters]


def free_hardware(study: PublishedStudy) -> list[Free]:
    """What of a study's hardware is fitted to its own figures."""
    return [
        Free(f"{study.study}/{refit.name}", refit.start, refit.low, refit.high, refit.source)
        for refit in study.refit
    ]


def values_at(free: Sequence[Free], position: Vector) -> dict[str, float]:
    """The numbers at a position of the optimiser's."""
    return {parameter.name: float(math.exp(x)) for parameter, x in zip(free, position, strict=True)}


def position_of(free: Sequence[Free], values: Mapping[str, float] = MappingProxyType({})) -> Vector:
    """The position of these values; all other numbers are where a search begins."""
    return np.array([math.log(values.get(parameter.name, parameter.start)) for parameter in free])


def values_for(study: str, values: Mapping[str, float]) -> dict[str, float]:
    """The values that apply to a study: the simulator's parameters, and its own hosts' quantities."""
    prefix = f"{study}/"
    return {
        name.removeprefix(prefix): value
        for name, value in values.items()
        if "/" not in name or name.startswith(prefix)
    }


class FittedFigure(NamedTuple):
    """One known figure's place in a problem."""

    case: Case
    quantity: str

    @property
    def known(self) -> float:
        """The figure."""
        return self.case.known[self.quantity]

    @property
    def tolerance(self) -> float:
        """How far off a good simulator may be: relative, or points for a load.

        Runs differ, those of which the best is published less; a printed figure is rounded.
        """
        noise = run_to_run(self.quantity) if self.case.noise is None else self.case.noise
        own = self.case.unsure.get(self.quantity, Unsure())
        runs = noise * best_of_spread(self.case.best_of) if own.runs is None else own.runs
        return math.hypot(runs, own.rounding, 0.0 if is_load(self.quantity) else _MODEL_ERROR)

    def distance(self, simulated: float) -> float:
        """How far off the simulator is: the difference of logarithms, or points for a load."""
        if is_load(self.quantity):
            return simulated - self.known
        return math.log(simulated / self.known)


class Problem:
    """Cases, free numbers and the simulator that joins them."""

    def __init__(
        self,
        cases: Sequence[Case],
        free: Sequence[Free],
        simulate: Simulate,
        *,
        seed: int = 1,
        threads: int = 1,
        report: Callable[[], None] = lambda: None,
    ) -> None:
        self.cases = tuple(cases)
        self.free = tuple(free)
        self.figures = tuple(FittedFigure(case, quantity) for case in cases for quantity in case.known)
        self.seed = seed
        self._simulate = simulate
        self._threads = threads
        self._report = report
        self._slopes: tuple[Vector, Vector] | None = None
        self._simulated: dict[_Key, Mapping[str, float]] = {}

    def figures_at(self, position: Vector, *, small: bool = False) -> Vector:
        """The simulated value of every figure, a mean over its case's seeds, or less once."""
        return self._all([position], small=small)[0]

    def runs(self, position: Vector, case: Case) -> list[Vector]:
        """The simulated values of one case's figures, for each of its seeds."""
        keys = self._keys(position, case, small=False)
        self._run(dict.fromkeys(keys, case))
        return [np.array([self._simulated[key][name] for name in case.known]) for key in keys]

    def moved(self, figures: Vector, start: Vector, end: Vector) -> Vector:
        """The figures at ``end`` from those at ``start``: small works show how they move."""
        before = self.figures_at(start, small=True)
        after = self.figures_at(end, small=True)
        return np.asarray(figures * after / np.maximum(before, _LEAST))

    def misfits(self, simulated: Vector) -> Vector:
        """Every figure's distance in tolerances."""
        pairs = zip(self.figures, simulated, strict=True)
        return np.array([figure.distance(x) / figure.tolerance for figure, x in pairs])

    def surprises(self, position: Vector) -> Vector:
        """How many spreads every number is from where it was expected."""
        spreads = np.array([parameter.spread for parameter in self.free])
        return np.asarray((position - position_of(self.free)) / spreads)

    def slopes(self, position: Vector) -> Vector:
        """The derivatives of ``distances``: a row for each of them, a column for each number.

        They change little, and are computed again only if a number has moved by more than a fifth.
        """
        if self._slopes is None or np.max(np.abs(self._slopes[0] - position)) > _MOVED:
            self._slopes = (position, self._slopes_at(position))
        return self._slopes[1]

    def _slopes_at(self, position: Vector) -> Vector:
        moved = [position + _STEP * row for row in np.eye(len(self.free))]
        base, *rows = self._all([position, *moved], small=True)
        chance = np.array([_chance(figure) / figure.tolerance for figure in self.figures])
        moves = [self.misfits(row) - self.misfits(base) for row in rows]
        columns = [np.where(np.abs(move) < chance, 0.0, move) / _STEP for move in moves]
        priors = np.diag([1 / parameter.spread for parameter in self.free])
        return np.vstack([np.column_stack(columns), priors])

    def _all(self, positions: Sequence[Vector], *, small: bool) -> list[Vector]:
        """The figures at several positions, simulated at the same time."""
        rows = [
            [(case, self._keys(position, case, small=small)) for case in self.cases] for position in positions
        ]
        self._run({key: case for row in rows for case, keys in row for key in keys})

        def mean(keys: Sequence[_Key], quantity: str) -> float:
            return sum(self._simulated[key][quantity] for key in keys) / len(keys)

        return [
            np.array([mean(keys, quantity) for case, keys in row for quantity in case.known]) for row in rows
        ]

    def _run(self, works: Mapping[_Key, Case]) -> None:
        """Simulate those works that were not simulated before."""
        missing = {key: case for key, case in works.items() if key not in self._simulated}
        with ThreadPoolExecutor(self._threads) as pool:
            outcomes = pool.map(self._outcome, missing, missing.values())
            self._simulated.update(zip(missing, outcomes, strict=True))

    def _keys(self, position: Vector, case: Case, *, small: bool) -> list[_Key]:
        # A number of another study's hardware does not move this case.
        mine = tuple(
            x if "/" not in parameter.name or parameter.name.startswith(f"{case.study}/") else 0.0
            for parameter, x in zip(self.free, position.tolist(), strict=True)
        )
        less = small and case.small is not None
        seeds = 1 if small and case.seeds <= _FEW else case.seeds
        return [_Key(case.name, less, self.seed + more, mine) for more in range(seeds)]

    def _outcome(self, key: _Key, case: Case) -> Mapping[str, float]:
        values = values_at(self.free, np.array(key.position))
        work = case.small if key.small and case.small else case.work
        outcome = self._simulate(work, values_for(case.study, values), key.seed)
        self._report()
        return outcome


def _chance(figure: FittedFigure) -> float:
    """How far a figure moves by chance alone: as far as two runs lie apart, if that is much.

    A user's runs are simulated often enough for chance to have little part, and so are operations.
    """
    noise = run_to_run(figure.quantity)
    often = figure.case.noise is not None or metric_of(figure.quantity) is not None
    calm = is_load(figure.quantity) or often or noise < _CALM
    return 0.0 if calm else noise


class _Key(NamedTuple):
    case: str
    small: bool
    seed: int
    position: tuple[float, ...]
