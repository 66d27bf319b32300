"""Studies as far as they are: each cell of the matrix with its runs, done, under way and left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Literal

from howdah.errors import HowdahError, RecordError
from howdah.model.base import Model
from howdah.model.run import Outcome
from howdah.model.study import StudyRun
from howdah.model.tables import legible
from howdah.serve.places import NotServed, odd_file, place_of, signature
from howdah.session.study_directory import StudyDirectory
from howdah.store.layout import LOCK, RUN_ID, RUN_JSON, is_held
from howdah.store.reader import read_record
from howdah.study import Cell, cells_of, due
from howdah.tune.halving import last_rounds

State = Literal["succeeded", "failed", "running", "left", "planned"]


class StudyCellRun(Model):
    """One run of a cell."""

    run: str
    """Its name; empty for one that is yet to be made."""
    state: State
    elapsed_s: float | None = None
    """What its suite took."""


class StudyCell(Model):
    """One cell of a study's matrix."""

    name: str
    """What it is called."""
    levels: dict[str, str]
    """The label of each factor's level."""
    runs: tuple[StudyCellRun, ...]
    """Its runs: those that have ended, those under way, and those that are left as far as is known."""
    mean_s: float | None
    """The mean time of those that succeeded."""


class StudyState(Model):
    """A study as far as it is."""

    name: str
    """Its directory's name."""
    question: str
    """What it is to answer."""
    suite: str
    factors: tuple[str, ...]
    cells: tuple[StudyCell, ...]
    done: int
    """Runs that have ended."""
    running: int
    left: int
    """Runs that are left, those under way among them."""
    at_work: bool
    """Whether somebody runs it now."""
    error: str = ""
    """Why it cannot be read."""


def study_place(folder: Path, name: str) -> StudyDirectory:
    """The directory of a study; raises NotServed where there is none, or only a link to one."""
    path = place_of(folder, name)
    directory = StudyDirectory(path, read_only=True)
    links = (path / "study.yaml", directory.runs, directory.inputs)
    if not directory.begun or any(link.is_symlink() for link in links):
        raise NotServed(name)
    return directory


def list_studies(folder: Path) -> list[str]:
    """The studies in a folder by name."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(
        name for name in names if RUN_ID.fullmatch(name) and (folder / name / "study.yaml").exists()
    )


def study_mark(folder: Path, name: str) -> str:
    """What changes whenever a study has come further."""
    runs = folder / name / "runs"
    parts = [signature_of_file(folder / name / "study.yaml"), str(is_held(folder / name / LOCK))]
    try:
        with os.scandir(runs) as entries:
            parts += sorted(f"{entry.name}:{signature(runs / entry.name)}" for entry in entries)
    except OSError:
        pass
    return "|".join(parts)


def signature_of_file(path: Path) -> str:
    """A file's time and size; empty where it is not there."""
    try:
        state = path.stat()
    except OSError:
        return ""
    return f"{state.st_mtime_ns}-{state.st_size}"


def study_state(folder: Path, name: str) -> StudyState:
    """A study as far as it is; one that cannot be read says why. Raises NotServed where there is none."""
    return legible(_state(folder, name))


def _state(folder: Path, name: str) -> StudyState:
    directory = study_place(folder, name)
    at_work = is_held(directory.path / LOCK)
    try:
        study = directory.study()
        done = directory.done()
        going = set(_running(directory))
    except HowdahError as error:
        return StudyState(
            name=name, question=name, suite="", factors=(), cells=(), done=0, running=0, left=0,
            at_work=at_work, error=str(error).replace(str(directory.path), name),
        )  # fmt: skip
    cells = cells_of(study)
    wanted = list(due(study, cells, done, last_rounds(study, cells, done)))
    left: dict[int, list[str]] = {}
    for entry in wanted:
        if entry.repeat:
            left.setdefault(entry.cell.number, []).append(entry.run_id)
    return StudyState(
        name=name,
        question=study.question,
        suite=study.suite,
        factors=tuple(factor.vary for factor in study.factors),
        cells=tuple(_cell(cell, done, left.get(cell.number, []), going) for cell in cells),
        done=len(done),
        running=len(going),
        left=len(wanted),
        at_work=at_work,
    )


def _cell(cell: Cell, done: tuple[StudyRun, ...], left: list[str], going: set[str]) -> StudyCell:
    runs = [
        StudyCellRun(
            run=f"{cell.number + 1:03d}-{run.repeat:02d}",
            state="succeeded" if run.figures.outcome is Outcome.SUCCEEDED else "failed",
            elapsed_s=_elapsed_s(run),
        )
        for run in done
        if run.cell == cell.number and run.repeat
    ]
    known = [run.elapsed_s for run in runs if run.state == "succeeded" and run.elapsed_s is not None]
    runs += [
        StudyCellRun(run=name if name in going else "", state="running" if name in going else "left")
        for name in left
    ]
    if not cell.runs:
        runs = [StudyCellRun(run="", state="planned")]
    return StudyCell(
        name=cell.name, levels=dict(cell.levels), runs=tuple(runs), mean_s=fmean(known) if known else None
    )


def _elapsed_s(run: StudyRun) -> float | None:
    times = [
        reading.value
        for reading in run.figures.readings
        if reading.measure.kind == "time" and reading.measure.phase is None
    ]
    return sum(times) if times else None


def _running(directory: StudyDirectory) -> Iterator[str]:
    """The runs that are under way."""
    if not directory.runs.is_dir():
        return
    for path in directory.runs.iterdir():
        named = RUN_ID.fullmatch(path.name) and (path / RUN_JSON).is_file()
        if named and not odd_file(path) and is_held(path / LOCK):
            try:
                if read_record(path).outcome is Outcome.RUNNING:
                    yield path.name
            except RecordError:
                continue
