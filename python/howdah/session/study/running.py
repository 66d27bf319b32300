"""Running what is left of a study, run by run."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

from howdah.errors import Aborted
from howdah.model.run import Outcome, RunRecord
from howdah.model.sink import Progress
from howdah.model.study import Study
from howdah.model.study_run import StudyRun
from howdah.session.run.runs import record
from howdah.session.study.cells import prepare_cell
from howdah.session.study.directory import StudyDirectory
from howdah.session.study.laboratory import StudyLaboratory
from howdah.store.reader import read_record
from howdah.study.matrix import Cell
from howdah.study.schedule import Due, due

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
    with StudyLaboratory(study, directory, cells, observer.tell) as laboratory:
        while left := list(due(study, cells, done)):
            one = left[0]
            lab = laboratory.of(one.cell)
            observer.begins(one, left, done)
            dropped = settle(study)
            run = _run(study, directory, one, observer, lab=lab, caches_dropped=dropped)
            done.append(run)
            observer.ended(one, run)
    return tuple(done)


def _run(
    study: Study,
    directory: StudyDirectory,
    run: Due,
    observer: StudyObserver,
    *,
    lab: str | None,
    caches_dropped: bool,
) -> StudyRun:
    with closing(prepare_cell(study, directory, run, lab)) as prepared:
        began_s = time.monotonic()
        path = record(
            prepared.job, engine=prepared.engine, runs_dir=directory.runs, observer=_Watcher(observer)
        )
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
    """Passes on what a study's observer wants of a single run."""

    def __init__(self, observer: StudyObserver) -> None:
        self._observer = observer

    def update(self, record: RunRecord) -> None:
        """A study is told of whole runs."""

    def progress(self, progress: Progress) -> None:
        self._observer.progress(progress)
