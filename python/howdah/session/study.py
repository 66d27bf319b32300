"""A study from its file to its paper."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from howdah.documents.study import read_study
from howdah.documents.text import read_text
from howdah.model.run import Outcome
from howdah.model.study import Study
from howdah.model.study_run import StudyRun
from howdah.session.study_cells import prepare_cell, write_inputs
from howdah.session.study_directory import StudyDirectory
from howdah.session.study_paper import write_study_paper
from howdah.session.study_running import StudyObserver, run_study
from howdah.study.expected import expected_s
from howdah.study.matrix import Cell, cells_of
from howdah.study.schedule import Due, due

__all__ = ["Finished", "Matrix", "Study", "StudyObserver", "default_dir", "dry_run", "make_runs", "run"]


class Matrix(NamedTuple):
    """What a study would run, and what it has run already."""

    study: Study
    cells: tuple[Cell, ...]
    done: tuple[StudyRun, ...]
    left: tuple[Due, ...]
    expected_s: float | None
    """Seconds that the runs that are left will take; None where no run has told."""


class Finished(NamedTuple):
    """A study that has run."""

    study: Study
    done: tuple[StudyRun, ...]
    page: Path

    @property
    def failed(self) -> int:
        """Runs that did not succeed."""
        return sum(run.figures.outcome is not Outcome.SUCCEEDED for run in self.done)


def default_dir(path: Path) -> Path:
    """Where a study goes that is not told where: beside the user's runs, under its name."""
    return Path("study") / read_study(path).study


def dry_run(path: Path, directory: Path) -> Matrix:
    """What a study would run; nothing is written. Raises UserError for what is wrong with its file."""
    study = read_study(path)
    cells = cells_of(study)
    there = StudyDirectory(directory)
    done = there.done() if there.begun else ()
    left = tuple(due(study, cells, done))
    return Matrix(study, cells, done, left, expected_s(left, done))


def run(path: Path, directory: Path, observer: StudyObserver) -> Finished:
    """Make every run of a study that is left, and write its paper.

    Raises UserError where the study or its directory is wrong, Aborted where the user stops it.
    """
    there = StudyDirectory(directory)
    with there.locked():
        done = make_runs(path, there, observer)
        return Finished(there.study(), done, write_study_paper(there))


def make_runs(path: Path, there: StudyDirectory, observer: StudyObserver) -> tuple[StudyRun, ...]:
    """Make every run of a study that is left, in a directory that is locked; raises as ``run`` does."""
    study = read_study(path)
    cells = cells_of(study)
    if not there.begun:
        write_inputs(there, cells, path.parent)
        _check(study, cells, there)
    there.begin(study, read_text(path, "give a study"))
    return run_study(study, cells, there, observer)


def _check(study: Study, cells: tuple[Cell, ...], there: StudyDirectory) -> None:
    """Make every cell ready once, so that one that could not start is told before anything runs.

    A cluster is asked only when its turn comes: it may not be up yet.
    """
    for cell in cells:
        if cell.settings.engine != "hadoop":
            prepare_cell(study, there, Due(cell, 1, 0)).close()
