"""A study: a matrix of runs with repeats, what it is to be compared with, and what was found already.

A study file holds a Study. Every cell of its matrix is one level of each factor; the settings of a cell
are the study's own with those of its levels over them.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from howdah.errors import nearest
from howdah.model.base import Model, Size, WrongValue
from howdah.model.comparison import RunFigures
from howdah.model.inventory import FORMAT, Word
from howdah.model.study_settings import SETTINGS, CellSettings, Few, Level, Scalar
from howdah.model.workloads.suite import programs
from howdah.model.workloads.ycsb import YCSB

MOST_CELLS = 1000  # A larger matrix is a mistake of its file's.


def _label(value: object) -> object:
    """A level's name, which is its value as it is written: 3 and true are names, too."""
    return _written(value) if isinstance(value, int | float) else value


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


Labels = dict[str, Annotated[str, BeforeValidator(_label, json_schema_input_type=Scalar)]]
"""Levels by their factors."""


class Factor(Model):
    """One thing that varies: the values of one setting, or levels of several settings each."""

    vary: str  # The setting, a key of the plan with a dot in it, or any name where levels are given.
    values: tuple[Scalar, ...] = ()  # The setting's values.
    levels: tuple[Level, ...] = ()  # What it is made of, where a level is more than one setting.

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if bool(self.values) == bool(self.levels):
            raise WrongValue("needs either values or levels", "for instance values: [none, lz4]")
        if self.values and "." not in self.vary and self.vary not in SETTINGS:
            raise WrongValue(f"{self.vary!r} cannot be varied", nearest(self.vary, SETTINGS), ("vary",))
        for place, value in enumerate(self.values):
            _check(self.vary, value, place)
        _once([level.label for level in self.all_levels()], "values" if self.values else "levels")
        return self

    def all_levels(self) -> tuple[Level, ...]:
        """Its levels; a value of a setting is one, called as it is written."""
        return self.levels or tuple(_level(self.vary, value) for value in self.values)


class Repeats(Model):
    """How often each cell runs."""

    least: Few = 3  # At least so often: with fewer than two nothing is known of noise.
    most: Few = 3  # At most so often.
    until: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Between the two, until the mean time of the whole suite is known to this share with 95 % confidence."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.most < self.least:
            problem = f"most is {self.most}, least is {self.least}"
            raise WrongValue(problem, "give a most that is at least as large")
        return self


class Budget(Model):
    """What a study may spend."""

    runs: Few | None = None  # Runs, warm-up aside.
    hours: Annotated[float, Field(gt=0)] | None = None
    """Hours for runs and labs. No run starts that would not end in time; one that takes longer is stopped."""


class PublishedCell(Model):
    """What somebody published of cells of the matrix."""

    at: Labels  # The levels of factors that it is of; of factors left out, it is every level.
    times: dict[str, Annotated[float, Field(gt=0)]]
    """Seconds by workload, or by workload and phase: ``terasort/map-shuffle``."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for name in self.times:
            _check_workload(name.partition("/")[0], ("times", name))
        return self


class PublishedRatio(Model):
    """How many times as long a workload took in some cells as in others."""

    of: str  # The workload.
    slow: Labels  # The levels of the cells whose time is divided.
    fast: Labels  # The levels of the cells whose time it is divided by.
    ratio: Annotated[float, Field(gt=0)]  # The slow ones' time over the fast ones'.

    @model_validator(mode="after")
    def _whole(self) -> Self:
        _check_workload(self.of, ("of",))
        return self


class PublishedPlatform(Model):
    """How somebody divided the hosts of cells of the matrix."""

    at: Labels  # The levels of factors that it is of; of factors left out, it is every level.
    workers: Few | None = None  # Workers in all.
    cpus: Few | None = None  # Threads or virtual CPUs of each.
    memory: Size | None = None  # Memory of each.
    disks: Few | None = None  # Data disks of each.
    slots: Few | None = None  # Map tasks at once on each.


class Published(Model):
    """Published figures to show next to the results."""

    source: str  # Where they are from.
    best_of: Few = 1  # How many runs each is the best of; 1 where it is a mean or a single run.
    cells: tuple[PublishedCell, ...] = ()  # Times.
    ratios: tuple[PublishedRatio, ...] = ()  # Ratios, where no times were published.
    platforms: tuple[PublishedPlatform, ...] = ()  # How hosts were divided.


class Study(Model):
    """A matrix of runs."""

    howdah: Literal[1] = FORMAT  # The format's version.
    study: Word  # Its short name.
    question: str  # What it is to answer.
    suite: str  # What each run runs: ``terasuite``; what is only planned may also be for ``ycsb``.
    fill: str | None = None
    """A suite that runs once in each lab that is built, before the others, and leaves its data: a mix of YCSB
    needs ``ycsb-load``."""
    settings: CellSettings = CellSettings()  # What all cells have in common.
    factors: tuple[Factor, ...]  # What varies.
    cells: tuple[Labels, ...] = ()
    """The combinations of levels that are run; all of them where none are listed."""
    baseline: Labels = Field(default_factory=dict)
    """The levels that others are compared with; of factors left out, each level is compared by itself."""
    contenders: tuple[Labels, ...] = ()
    """Levels of cells that race for the shortest time. After the least repeats, and after each doubling, the
    slower half of them is dropped, and any cell that surely differs from the fastest contender or surely does
    not."""
    repeats: Repeats = Repeats()  # How often each cell runs.
    budget: Budget = Budget()  # What it may spend.
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1  # Of the order of the runs, and of the runs.
    warm_up: Annotated[int, Field(ge=0, le=100)] = 0  # Runs of the first cell before anything counts.
    settle_s: Annotated[float, Field(ge=0, le=3600)] = 0.0  # Seconds of rest before each run.
    drop_caches: bool = False  # Whether the page cache is emptied before each run, where the system lets us.
    published: tuple[Published, ...] = ()  # Figures to show next to the results.
    cannot_show: tuple[str, ...] = ()  # What a study like this cannot show, as its author knows.

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.factors:
            raise WrongValue("varies no setting", "list at least one factor", ("factors",))
        _once([factor.vary for factor in self.factors], "factors")
        # Of a matrix by mistake much too large, the cells are counted and not made.
        many = len(self.cells) or prod(len(factor.all_levels()) for factor in self.factors)
        if many > MOST_CELLS:
            raise WrongValue(f"makes {many:,} cells", f"at most {MOST_CELLS:,}", ("factors",))
        self._check_places()
        for place, contender in enumerate(self.contenders):
            if not any(matches(contender, cell) for cell in self.combinations()):
                problem = "is not in the matrix"
                raise WrongValue(problem, "give the levels of its cells", ("contenders", place))
        runs = many * self.repeats.least
        if self.budget.runs is not None and runs > self.budget.runs:
            raise WrongValue(
                f"{self.budget.runs} is too little for {many} cells × {self.repeats.least} repeats: {runs}",
                "raise the budget, repeat less or list fewer cells",
                ("budget", "runs"),
            )
        return self

    def combinations(self) -> tuple[dict[str, str], ...]:
        """The label of each factor's level, cell by cell, in the file's order."""
        if self.cells:
            return self.cells
        names = [factor.vary for factor in self.factors]
        labels = [[level.label for level in factor.all_levels()] for factor in self.factors]
        return tuple(dict(zip(names, combination, strict=True)) for combination in product(*labels))

    def _check_places(self) -> None:
        """Whether listed cells, the baseline and published cells are in the matrix."""
        for place, cell in enumerate(self.cells):
            self._check_labels(cell, ("cells", place))
            missing = [factor.vary for factor in self.factors if factor.vary not in cell]
            if missing:
                raise WrongValue(f"has no {missing[0]}", "a level of each factor", ("cells", place))
        for place, contender in enumerate(self.contenders):
            self._check_labels(contender, ("contenders", place))
        self._check_labels(self.baseline, ("baseline",))
        if not any(matches(self.baseline, cell) for cell in self.combinations()):
            raise WrongValue("is not in the matrix", "give the levels of one of its cells", ("baseline",))
        for number, published in enumerate(self.published):
            places: list[tuple[dict[str, str], tuple[str | int, ...]]] = [
                *((cell.at, ("cells", place, "at")) for place, cell in enumerate(published.cells)),
                *(
                    (platform.at, ("platforms", place, "at"))
                    for place, platform in enumerate(published.platforms)
                ),
            ]
            for place, ratio in enumerate(published.ratios):
                places += [(ratio.slow, ("ratios", place, "slow")), (ratio.fast, ("ratios", place, "fast"))]
            for labels, at in places:
                whole = ("published", number, *at)
                self._check_labels(labels, whole)
                if not any(matches(labels, cell) for cell in self.combinations()):
                    raise WrongValue("is not a cell of the matrix", "leave it out, or run the cell", whole)

    def _check_labels(self, labels: dict[str, str], at: tuple[str | int, ...]) -> None:
        labels_by_factor = {
            factor.vary: [level.label for level in factor.all_levels()] for factor in self.factors
        }
        for name, label in labels.items():
            if name not in labels_by_factor:
                raise WrongValue(f"{name!r} is not a factor", nearest(name, tuple(labels_by_factor)), at)
            if label not in labels_by_factor[name]:
                problem = f"{label!r} is not a level of {name}"
                raise WrongValue(problem, nearest(label, tuple(labels_by_factor[name])), (*at, name))


def matches(levels: dict[str, str], cell: dict[str, str]) -> bool:
    """Whether a cell has these levels."""
    return all(cell[name] == label for name, label in levels.items())


def _check_workload(name: str, at: tuple[str, ...]) -> None:
    workloads = (*programs(), YCSB)
    if name not in workloads:
        raise WrongValue(f"{name!r} is not a workload", nearest(name, workloads), at)


def _check(name: str, value: Scalar, place: int) -> None:
    if isinstance(value, bool) and "." not in name:
        # Pydantic takes true for 1, and no setting is a truth.
        raise WrongValue(f"{_written(value)} is not a value of {name}", "give its value", ("values", place))
    try:
        _level(name, value)
    except ValidationError as error:
        (detail, *_) = error.errors(include_url=False)
        wrong = detail.get("ctx", {}).get("error")
        if isinstance(wrong, WrongValue):
            raise WrongValue(wrong.what, wrong.hint, ("values", place)) from error
        expected = detail.get("ctx", {}).get("expected")
        words = tuple(str(expected).replace("'", "").replace(" or ", ", ").split(", ")) if expected else ()
        hint = nearest(str(value), words) if words else _right(detail)
        raise WrongValue(f"{value!r} is not a value of {name}", hint, ("values", place)) from error


def _right(detail: ErrorDetails) -> str:
    """What a setting's value would have to be."""
    bounds = detail.get("ctx", {})
    if "ge" in bounds:
        return f"at least {bounds['ge']}"
    if "le" in bounds:
        return f"at most {bounds['le']}"
    if detail["type"].startswith("int_"):
        return "write a whole number"
    return detail["msg"][:1].lower() + detail["msg"][1:]


def _level(name: str, value: Scalar) -> Level:
    label = _written(value)
    if "." in name:
        return Level(label=label, overrides={name: value})
    if name == "data_dirs":
        return Level.model_validate({"label": label, name: (str(value),)})
    return Level.model_validate({"label": label, name: value})


def _once(names: list[str], kind: str) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise WrongValue(f"has {name!r} twice", "give each once", (kind, place))


class StudyRun(Model):
    """One run of a study that has ended, well or not."""

    cell: int  # Its cell's place in the matrix, from 0.
    repeat: int  # Which repeat of the cell it is, from 1; 0 warms up and does not count.
    took_s: float  # Seconds that it took here: of a simulation, of this machine's time.
    caches_dropped: bool = False  # Whether the page cache was emptied before it.
    failed_applications: int = 0  # Applications that failed although the command of the run succeeded.
    figures: RunFigures
