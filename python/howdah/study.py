"""The runs of a study: the cells of its matrix, their order, repeats and budget."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import expm1, log, sqrt
from statistics import fmean, stdev
from types import MappingProxyType
from typing import NamedTuple

from howdah.extras import extra
from howdah.model.comparison import Measure
from howdah.model.engines import LOCAL, RegisteredEngine, engines
from howdah.model.run import Outcome
from howdah.model.study import Factor, Repeats, Study, StudyRun, matches
from howdah.model.study_settings import PLANNED_ONLY, CellSettings, Level
from howdah.model.workloads.terasort import Codec
from howdah.units import GIB

_OF_LABS = ("inventory", "hypervisor", "workers_per_host", "slots", "protection", "link", "profile")


class Cell(NamedTuple):
    """One combination of levels: its name and what it runs."""

    number: int  # Its place in the matrix, from 0.
    levels: Mapping[str, str]  # The label of each factor's level.
    settings: CellSettings  # The study's settings with those of its levels over them.
    name: str

    @property
    def runs(self) -> bool:
        """Whether it runs, and is not only planned."""
        return self.settings.engine != PLANNED_ONLY

    @property
    def _engine(self) -> RegisteredEngine:
        return engines()[self.settings.engine or LOCAL]

    @property
    def planned(self) -> bool:
        """Whether a separate plan is made for it; other cells have their engine's."""
        return not self.runs or self._engine.planned or self.lab_key is not None

    @property
    def lab_key(self) -> tuple[str, ...] | None:
        """The settings that determine the lab that is built for it, the same for cells that share one.

        None for a cell that runs elsewhere, or on a lab that exists. The dataset, block size and replicas
        belong to a run and need no other lab.
        """
        if not self.runs or not self._engine.on_laboratories or self.settings.inventory is None:
            return None
        overrides = sorted((self.settings.overrides or {}).items())
        return (*(repr(getattr(self.settings, name)) for name in _OF_LABS), repr(overrides))


class Stratum(NamedTuple):
    """Cells that differ only in the baseline's factors, the baseline's cell first."""

    name: str  # The levels that they share; empty if they share none.
    cells: tuple[Cell, ...]  # Two or more.


def cells_of(study: Study) -> tuple[Cell, ...]:
    """Every cell in the file's order."""
    by_factor = {entry.vary: {level.label: level for level in entry.all_levels()} for entry in study.factors}
    cells = []
    for number, labels in enumerate(study.combinations()):
        settings = study.settings
        for name, levels in by_factor.items():
            settings = levels[labels[name]].over(settings)
        ordered = {name: labels[name] for name in by_factor}
        cells.append(Cell(number, ordered, settings, named(study, ordered)))
    return tuple(cells)


def named(study: Study, labels: Mapping[str, str]) -> str:
    """Labels as a name; the label of a named level is enough without its factor."""
    own = {factor.vary for factor in study.factors if factor.levels}
    return ", ".join(
        label if name in own else f"{name.replace('_', ' ')} {label}" for name, label in labels.items()
    )


def strata_of(study: Study, cells: tuple[Cell, ...]) -> tuple[Stratum, ...]:
    """Cells that can be compared with one another; none if the study has no baseline.

    Cells are named by their levels of the baseline's factors; the remaining levels name the stratum.
    """
    if not study.baseline:
        return ()
    shared: dict[tuple[tuple[str, str], ...], list[Cell]] = {}
    for cell in cells:
        common = tuple((name, label) for name, label in cell.levels.items() if name not in study.baseline)
        shared.setdefault(common, []).append(cell)
    strata = []
    for common, members in shared.items():
        is_base = [matches(study.baseline, dict(member.levels)) for member in members]
        if len(members) > 1 and any(is_base):
            base = members.pop(is_base.index(True))
            renamed = (
                cell._replace(name=named(study, {name: cell.levels[name] for name in study.baseline}))
                for cell in (base, *members)
            )
            strata.append(Stratum(named(study, dict(common)), tuple(renamed)))
    return tuple(strata)


NAME = "local"
DATASETS = ("1GB", "4GB")  # Seconds and half a minute on a machine of a few CPUs.

PLANNED = "as planned"
_FACTOR = "setting"
_BUDGET = "1GiB"
_ROOMY_BYTES = 4 * GIB  # With less memory than this the planned budget is about as small.


def local_study(
    threads: int,
    memory_bytes: int,
    data_dirs: Sequence[str],
    datasets: Sequence[str] = DATASETS,
    repeats: int = 3,
) -> Study:
    """One setting after the other compared with the planned ones, on every dataset."""
    levels = (Level(label=PLANNED), *_levels(threads, memory_bytes, data_dirs))
    return Study(
        study=NAME,
        question="Which settings suit this machine best?",
        suite="terasuite",
        settings=CellSettings.model_validate({"engine": LOCAL, "data_dirs": tuple(data_dirs) or None}),
        factors=(Factor(vary=_FACTOR, levels=levels), Factor(vary="dataset", values=tuple(datasets))),
        baseline={_FACTOR: PLANNED},
        repeats=Repeats(least=repeats, most=repeats),
        warm_up=1,
        cannot_show=(
            "One setting is changed at a time; combinations were not tried.",
            "Settings that suit TeraSort's rows may not suit other data: these rows compress better than "
            "most.",
        ),
    )


def _levels(threads: int, memory_bytes: int, data_dirs: Sequence[str]) -> Iterator[Level]:
    for codec in Codec:
        if codec is not Codec.NONE:
            yield Level.model_validate({"label": f"codec {codec.value}", "codec": codec})
    # Two tasks for each thread are planned.
    for per_thread in (1, 4):
        slots = per_thread * threads
        yield Level.model_validate({"label": f"{slots} slots", "map_slots": slots, "reduce_slots": slots})
    tasks = 8 * threads
    yield Level.model_validate({"label": f"{tasks} tasks", "maps": tasks, "reduces": tasks})
    if memory_bytes >= _ROOMY_BYTES:
        yield Level.model_validate({"label": f"memory {_BUDGET}", "memory": _BUDGET})
    if len(data_dirs) > 1:
        for path in data_dirs:
            yield Level.model_validate({"label": f"only {path}", "data_dirs": (path,)})


CONFIDENCE = 0.95


def elapsed_s(run: StudyRun) -> float:
    """The time of all its workloads together, seconds."""
    return sum(
        reading.value
        for reading in run.figures.readings
        if reading.measure.kind == "time" and reading.measure.phase is None
    )


def half_width(times_s: Sequence[float]) -> float | None:
    """Half the confidence interval of the mean of so many times, as a part of it; None for fewer than two.

    Student's t on logarithms, as times of repeats are spread.
    """
    if len(times_s) < 2 or min(times_s) <= 0:
        return None
    with extra("statistics", "a study"):
        from scipy.special import stdtrit  # noqa: PLC0415

    spread = stdev(map(log, times_s)) / sqrt(len(times_s))
    return expm1(float(stdtrit(len(times_s) - 1, (1 + CONFIDENCE) / 2)) * spread)


def precise(runs: Sequence[StudyRun], until: float) -> bool:
    """Whether the mean time, and that of every metric that a workload is run for, is known to ``until``."""
    good = [run for run in runs if run.figures.outcome is Outcome.SUCCEEDED]
    known_times: dict[Measure, list[float]] = {}
    for run in good:
        for reading in run.figures.readings:
            if reading.measure.primary:
                known_times.setdefault(reading.measure, []).append(reading.value)
    widths = [half_width(times) for times in ([elapsed_s(run) for run in good], *known_times.values())]
    return all(width is not None and width <= until for width in widths)


MOST_FAILURES = 2  # A cell that failed so often will fail again.

_SEEDS = 2**31


class Due(NamedTuple):
    """A run to be made."""

    cell: Cell
    repeat: int  # From 1; 0 warms up.
    seed: int

    @property
    def run_id(self) -> str:
        """Its record's name: the same run has the same name whenever it is made."""
        return f"{self.cell.number + 1:03d}-{self.repeat:02d}" if self.repeat else f"warm-up-{self.seed:02d}"


def due(
    study: Study,
    cells: Sequence[Cell],
    done: Sequence[StudyRun],
    last_rounds: Mapping[int, int] = MappingProxyType({}),
) -> Iterator[Due]:
    """Every run that is still due, as far as is known now, in order; empty if the study is complete.

    ``last_rounds`` has the round, by the cell's number, after which a cell that left a race is not repeated.
    """
    cells = [cell for cell in cells if cell.runs]
    if _spent(study, done) or not cells:
        return
    warm = sum(run.repeat == 0 for run in done)
    yield from (Due(cells[0], 0, number + 1) for number in range(warm, study.warm_up))
    by_cell = {cell.number: [run for run in done if run.cell == cell.number and run.repeat] for cell in cells}
    remaining = study.budget.runs
    made = {(run.cell, run.repeat) for run in done}
    counted = sum(run.repeat > 0 for run in done)
    last = cells[0].lab_key if study.warm_up else None
    for repeat in range(1, study.repeats.most + 1):
        order = _shuffled(study, cells, repeat, last)
        last = order[-1].lab_key
        for cell in order:
            if (cell.number, repeat) in made or repeat > last_rounds.get(cell.number, repeat):
                continue
            if not _is_due(study, repeat, by_cell[cell.number]):
                continue
            if remaining is not None and counted >= remaining:
                return
            counted += 1
            # Each run has its own seed: simulated repeats are as independent as measured ones.
            yield Due(cell, repeat, random.Random(f"{study.seed} {cell.number} {repeat}").randrange(_SEEDS))


def _is_due(study: Study, repeat: int, runs: Sequence[StudyRun]) -> bool:
    """Whether a cell is to be repeated once more; it was decided by the repeats before this one."""
    before = [run for run in runs if run.repeat < repeat]
    if sum(run.figures.outcome is not Outcome.SUCCEEDED for run in before) >= MOST_FAILURES:
        return False
    if repeat <= study.repeats.least or study.repeats.until is None:
        return True
    return not precise(before, study.repeats.until)


def _spent(study: Study, done: Sequence[StudyRun]) -> bool:
    hours = study.budget.hours
    return hours is not None and sum(run.took_s for run in done) >= 3600 * hours


def _shuffled(study: Study, cells: Sequence[Cell], repeat: int, last: tuple[str, ...] | None) -> list[Cell]:
    """A round's order: cells of one lab together, those of the ``last`` one first."""
    order = list(cells)
    random.Random(f"{study.seed} {repeat}").shuffle(order)
    labs = list(dict.fromkeys(cell.lab_key for cell in order))
    return sorted(order, key=lambda cell: (cell.lab_key != last, labs.index(cell.lab_key)))


def lab_count(runs: Sequence[Due]) -> int:
    """How many labs are built for these runs in their order, one at a time."""
    return sum(lab is not None for lab, _ in groupby(run.cell.lab_key for run in runs))


def expected_s(
    study: Study,
    remaining: Sequence[Due],
    done: Sequence[StudyRun],
    guesses: Mapping[int, float] | None = None,
) -> float | None:
    """Seconds, rests included and at most what remains of the budget; None if no time is known.

    A cell that has not run takes what is guessed of it by its number, or is taken to be as long as those
    that have.
    """
    by_cell: dict[int, list[float]] = {}
    for run in done:
        by_cell.setdefault(run.cell, []).append(run.took_s)
    known_times = {**(guesses or {}), **{cell: fmean(times) for cell, times in by_cell.items()}}
    if not known_times:
        return None
    usual = fmean(known_times.values())
    total = sum(known_times.get(run.cell.number, usual) + study.settle_s for run in remaining)
    if study.budget.hours is None:
        return total
    return min(total, max(0.0, 3600 * study.budget.hours - sum(run.took_s for run in done)))
