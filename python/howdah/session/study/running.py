"""Running what is left of a study, run by run."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

from howdah.errors import Aborted, RunFailed
from howdah.model.run import Outcome, RunRecord
from howdah.model.sink import Progress
from howdah.model.study import Study
from howdah.model.study_run import StudyRun
from howdah.session.run.runs import record
from howdah.session.study.budget import BudgetClock
from howdah.session.study.cells import prepare_cell, write_unstarted
from howdah.session.study.directory import StudyDirectory
from howdah.session.study.laboratory import StudyLaboratory
from howdah.store.reader import read_record
from howdah.study.matrix import Cell
from howdah.study.schedule import Due, due
from howdah.tune.halving import last_rounds

_CACHES = Path("/proc/sys/vm/drop_caches")


class StudyObserver(Protocol):
    """Someone who watches a study."""

    def begins(self, run: Due, left: Sequence[Due], done: Sequence[StudyRun]) -> None:
        """Told of a run that is about to start, and of all that are left with it."""

    def tell(self, text: str) -> None:
        """Told what happens to a laboratory between runs."""

    def progress(self, progress: Progress) -> None:
        """Told about ten times a second how far the current workload is."""

    def ended(self, one: Due, run: StudyRun) -> None:
        """Told of a run that has ended, well or not."""


def run_study(
    study: Study, cells: Sequence[Cell], directory: StudyDirectory, observer: StudyObserver
) -> tuple[StudyRun, ...]:
    """Make every run that is left; raises UserError where one cannot start, Aborted where the user stops it.

    A run that fails is a result like any other.
    """
    directory.sweep()
    done = list(directory.done())
    clock = BudgetClock(study, directory, done, labs=any(cell.laboratory is not None for cell in cells))
    watcher = _Watcher(observer, clock)
    with StudyLaboratory(study, directory, cells, watcher.tell) as laboratory:
        while left := list(due(study, cells, done, last_rounds(study, cells, done))):
            if not clock.has_room():
                break
            observer.begins(left[0], left, done)
            try:
                with clock.run():
                    run = _run_on_lab(study, directory, left[0], watcher, laboratory)
            except (Aborted, KeyboardInterrupt):
                if not clock.rang:
                    raise
                break
            done.append(run)
            observer.ended(left[0], run)
    return tuple(done)


def _run_on_lab(
    study: Study, directory: StudyDirectory, run: Due, watcher: _Watcher, laboratory: StudyLaboratory
) -> StudyRun:
    """The run on its cell's lab; failed where daemons of the lab do not start with the cell's plan."""
    began_s = time.monotonic()
    try:
        lab = laboratory.of(run.cell)
    except RunFailed as error:
        write_unstarted(study, directory, run, str(error))
        return directory.keep(run, time.monotonic() - began_s, caches_dropped=False)
    dropped = settle(study)
    return _run(study, directory, run, watcher, lab=lab, caches_dropped=dropped)


def _run(
    study: Study,
    directory: StudyDirectory,
    run: Due,
    watcher: _Watcher,
    *,
    lab: str | None,
    caches_dropped: bool,
) -> StudyRun:
    with closing(prepare_cell(study, directory, run, lab)) as prepared:
        began_s = time.monotonic()
        path = record(prepared.job, engine=prepared.engine, runs_dir=directory.runs, observer=watcher)
        took_s = time.monotonic() - began_s
    if read_record(path).outcome is Outcome.ABORTED:
        raise Aborted(
            str(directory.path),
            f"stopped by the user during {run.cell.name}",
            "the same command continues with this run; those before it are kept",
        )
    return directory.keep(run, took_s, caches_dropped=caches_dropped)


def settle(study: Study) -> bool:
    """Rest before a run; return whether what is cached was dropped, which takes the system's leave."""
    dropped = study.drop_caches and os.access(_CACHES, os.W_OK)
    if dropped:
        # Only what has reached the disk can be dropped.
        os.sync()
        _CACHES.write_text("3\n")
    time.sleep(study.settle_s)
    return dropped


class _Watcher:
    """Passes on what a study's observer wants of a single run, and keeps the study's clock going."""

    def __init__(self, observer: StudyObserver, clock: BudgetClock) -> None:
        self._observer = observer
        self._clock = clock

    def tell(self, text: str) -> None:
        self._clock.note()
        self._observer.tell(text)

    def update(self, record: RunRecord) -> None:
        """A study is told of whole runs."""

    def progress(self, progress: Progress) -> None:
        self._clock.note()
        self._observer.progress(progress)
