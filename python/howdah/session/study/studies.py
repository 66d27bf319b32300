"""A study from its file to its paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.documents.files import read_study, study_schema
from howdah.documents.text import read_text
from howdah.errors import UserError
from howdah.model.engine_names import LOCAL
from howdah.model.engines import engines
from howdah.model.run import Outcome
from howdah.model.study import Study
from howdah.model.study_run import StudyRun
from howdah.model.study_settings import nearest
from howdah.model.workloads.suite import suites
from howdah.probe import probe_host
from howdah.scratch import scratch_folder
from howdah.session.files import replace_file
from howdah.session.study.cells import check_asked, prepare_cell, write_inputs
from howdah.session.study.directory import StudyDirectory
from howdah.session.study.expected import guesses
from howdah.session.study.laboratory import check_laboratories
from howdah.session.study.paper import Paper, write_study_paper
from howdah.session.study.running import StudyObserver, run_study
from howdah.study.expected import expected_s
from howdah.study.local import DATASETS, local_study
from howdah.study.matrix import Cell, cells_of
from howdah.study.schedule import Due, due, laboratories
from howdah.tune.halving import last_rounds
from howdah.units import parse_bytes

__all__ = [
    "FinishedStudy",
    "GivenStudy",
    "Matrix",
    "Study",
    "StudyObserver",
    "dry_run",
    "local",
    "make_runs",
    "read",
    "replace_file",
    "run",
    "study_schema",
]


class Matrix(NamedTuple):
    """What a study would run, and what it has run already."""

    study: Study
    cells: tuple[Cell, ...]
    done: tuple[StudyRun, ...]
    left: tuple[Due, ...]
    expected_s: float | None
    """Seconds that the runs that are left will take; None where nothing tells."""
    grounds: str
    """What that rests on."""

    @property
    def laboratories(self) -> int:
        """How many laboratories are brought up for the runs that are left."""
        return laboratories(self.left)


class FinishedStudy(NamedTuple):
    """A study that has run."""

    study: Study
    done: tuple[StudyRun, ...]
    paper: Paper

    @property
    def failed(self) -> int:
        """Runs that did not succeed."""
        return sum(run.figures.outcome is not Outcome.SUCCEEDED for run in self.done)


class GivenStudy(NamedTuple):
    """A study as it was given: what it says, its text, and the folder that its files are beside."""

    study: Study
    text: str
    folder: Path

    @property
    def default_dir(self) -> Path:
        """Where it goes if it is not told where."""
        return Path("study") / self.study.study


def read(path: Path) -> GivenStudy:
    """The study in a file; raises UserError that names every fault."""
    study = read_study(path)
    known = tuple(suites())
    if study.suite not in known:
        raise UserError(f"{path}: suite", f"{study.suite!r} is not a suite", nearest(study.suite, known))
    return GivenStudy(study, read_text(path, "give a study"), path.parent)


def local(data_dirs: Sequence[Path], datasets: Sequence[str], repeats: int | None) -> GivenStudy:
    """The study of this machine; raises UserError for what it cannot be made of."""
    for path in data_dirs:
        if not path.is_dir():
            raise UserError(f"--data-dir {path}", "is not a directory", "create it on the disk to measure")
    for text in datasets:
        parse_bytes(text, "--dataset")
    host = probe_host()
    study = local_study(
        math.ceil(host.usable_cpus),
        host.memory.total_bytes,
        [str(path.resolve()) for path in data_dirs],
        tuple(datasets) or DATASETS,
        repeats or 3,
    )
    # JSON is YAML: what is kept reads back as any study does.
    return GivenStudy(study, study.model_dump_json(indent=1, exclude_defaults=True) + "\n", Path())


def dry_run(given: GivenStudy, directory: Path) -> Matrix:
    """What a study would run, every cell of it checked; nothing is kept. Raises UserError for a wrong one."""
    study, cells = given.study, cells_of(given.study)
    there = StudyDirectory(directory)
    done = there.done() if there.begun else ()
    left = tuple(due(study, cells, done, last_rounds(study, cells, done)))
    if done:
        return Matrix(study, cells, done, left, expected_s(study, left, done), "from its runs so far")
    with scratch_folder("study") as folder:
        trial = StudyDirectory(folder)
        write_inputs(study, trial, cells, given.folder)
        _check(study, cells, trial)
        known = guesses(study, cells, trial)
    return Matrix(study, cells, done, left, expected_s(study, left, done, known.seconds), known.grounds)


def run(given: GivenStudy, directory: Path, observer: StudyObserver) -> FinishedStudy:
    """Make every run of a study that is left, and write its paper.

    Raises UserError where a cell or the directory is wrong, Aborted where the user stops it.
    """
    there = StudyDirectory(directory)
    with there.locked():
        done = make_runs(given, there, observer)
        return FinishedStudy(given.study, done, write_study_paper(there))


def make_runs(given: GivenStudy, there: StudyDirectory, observer: StudyObserver) -> tuple[StudyRun, ...]:
    """Make every run of a study that is left, in a directory that is locked; raises as ``run`` does."""
    cells = cells_of(given.study)
    if not there.begun:
        write_inputs(given.study, there, cells, given.folder)
        _check(given.study, cells, there)
    there.begin(given.study, given.text)
    return run_study(given.study, cells, there, observer)


def _check(study: Study, cells: tuple[Cell, ...], there: StudyDirectory) -> None:
    """Make every cell ready once, so that one that could not start is told before anything runs.

    A cluster is asked only when its turn comes: it may not be up yet. A laboratory that is to be built is
    checked by its plan.
    """
    check_laboratories(study, cells, there)
    for cell in cells:
        if not cell.runs:
            continue
        if engines()[cell.settings.engine or LOCAL].on_laboratories:
            check_asked(study, cell)
        else:
            prepare_cell(study, there, Due(cell, 1, 0)).close()
