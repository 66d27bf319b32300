"""The runs of a study: their order, repeats and budget."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import expm1, log, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from howdah.extras import extra
from howdah.model.comparison import Measure
from howdah.model.run import Outcome
from howdah.model.study import Study, StudyRun, matches
from howdah.study.halving import MOST_FAILURES, last_rounds
from howdah.study.matrix import Cell
from howdah.units import format_counted

CONFIDENCE = 0.95


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
    widths = [half_width(times) for times in ([run.figures.elapsed_s for run in good], *known_times.values())]
    return all(width is not None and width <= until for width in widths)


def tuning_runs(study: Study, cells: Sequence[Cell], done: Sequence[StudyRun]) -> list[StudyRun]:
    """The runs of a tuning: one in which more applications failed than in the baseline's has failed itself.

    Its command succeeded, but an application that fails at once does no work and takes little time.
    """
    baseline = {cell.number for cell in cells if matches(study.baseline, dict(cell.levels))}
    usual = min(
        (
            run.failed_applications
            for run in done
            if run.cell in baseline and run.figures.outcome is Outcome.SUCCEEDED
        ),
        default=0,
    )
    return [_failed(run) if run.failed_applications > usual else run for run in done]


def _failed(run: StudyRun) -> StudyRun:
    error = f"{format_counted(run.failed_applications, 'application')} failed although the command succeeded"
    figures = run.figures.model_copy(update={"outcome": Outcome.FAILED, "error": error})
    return run.model_copy(update={"figures": figures})


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


def due(study: Study, cells: Sequence[Cell], done: Sequence[StudyRun]) -> Iterator[Due]:
    """Every run that is still due, as far as is known now, in order; empty if the study is complete."""
    last = last_rounds(study, cells, done)
    cells = [cell for cell in cells if cell.runs]
    if _spent(study, done) or not cells:
        return
    warm = sum(run.repeat == 0 for run in done)
    yield from (Due(cells[0], 0, number + 1) for number in range(warm, study.warm_up))
    by_cell = {cell.number: [run for run in done if run.cell == cell.number and run.repeat] for cell in cells}
    remaining = study.budget.runs
    made = {(run.cell, run.repeat) for run in done}
    counted = sum(run.repeat > 0 for run in done)
    lab = cells[0].lab_key if study.warm_up else None
    for repeat in range(1, study.repeats.most + 1):
        order = _shuffled(study, cells, repeat, lab)
        lab = order[-1].lab_key
        for cell in order:
            if (cell.number, repeat) in made or repeat > last.get(cell.number, repeat):
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
