"""Running what is left of a study, run by run."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Protocol

from howdah.errors import Aborted, RunFailed, UserError
from howdah.model.run import Outcome, RunRecord
from howdah.model.study import Study, StudyRun, matches
from howdah.model.tables import Progress
from howdah.namespaces import enter_network
from howdah.session import laboratories as lab
from howdah.session.runs import record
from howdah.session.study_cells import (
    filling_cell,
    named,
    plan_path,
    prepare_cell,
    write_refused,
    write_unstarted,
)
from howdah.store.reader import read_record
from howdah.study.directory import BudgetClock, StudyDirectory
from howdah.study.matrix import Cell
from howdah.study.schedule import Due, due, expected_s, tuning_runs

_PATIENCE_S = 300.0  # Longer than a lab takes to recover from a fault; after that it is built again.
_ASK_S = 2.0
_LONGEST = 24  # Of a study's name in its laboratory's, beside the digest of its directory.
_CACHES = Path("/proc/sys/vm/drop_caches")


def check_laboratories(study: Study, cells: Sequence[Cell], directory: StudyDirectory) -> None:
    """Raise UserError for a cell whose laboratory could not be built on this machine."""
    for cell in {cell.lab_key: cell for cell in reversed(cells) if cell.lab_key is not None}.values():
        with named(cell):
            lab.check(plan_path(directory, cell), _lab_options(study, directory))


class StudyLaboratory:
    """What lab is up for a study, and none on leaving it; its name lets a killed study find its lab again."""

    def __init__(
        self,
        study: Study,
        directory: StudyDirectory,
        cells: Sequence[Cell],
        report: Callable[[str], None],
        *,
        races: bool = False,
    ) -> None:
        self._lab_options = _lab_options(study, directory)
        self._directory = directory
        self._builds = any(cell.lab_key is not None for cell in cells)
        self._races = races
        self._report = report
        self._up: tuple[str, ...] | None = None
        self.is_new = False
        """Whether the lab was built for the run that is about to start, and holds no data."""
        self._home: int | None = None

    def __enter__(self) -> StudyLaboratory:
        self.__exit__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._builds:
            self._down()

    def of(self, cell: Cell) -> str | None:
        """The name of the laboratory that a cell runs on, up by now; None for one that needs none built.

        In a race, daemons that the run before lost on a lab that is up are started again.
        """
        self.is_new = False
        name = cell.settings.lab
        if self._races and name is not None:
            for machine in lab.status(name).machines:
                if any(daemon.pid is None for daemon in machine.daemons):
                    self._report(f'lab "{name}": starting lost daemons of {machine.name}')
                    lab.start(name, machine.name, self._report)
        if self._builds and (cell.lab_key != self._up or not self._is_whole(cell)):
            self._down()
            if cell.lab_key is not None:
                self._bring_up(cell)
                self._up, self.is_new = cell.lab_key, True
        return self._lab_options.name if cell.lab_key is not None else None

    def _is_whole(self, cell: Cell) -> bool:
        """Whether nothing is missing of what is up, within a few minutes, so that every run finds it alike.

        The run before may have lost a part of it: a NameNode that was started again does not write before it
        has read of every block, which is told in segments of edits that last two minutes, and half a minute
        more of its safe mode.
        """
        deadline = time.monotonic() + _PATIENCE_S
        reported = False
        while self._up is not None and lab.status(self._lab_options.name).state != "up":
            if not reported:
                self._report(f"{cell.name}: waiting until its lab is complete again")
                reported = True
            if time.monotonic() > deadline:
                return False
            time.sleep(_ASK_S)
        return True

    def _bring_up(self, cell: Cell) -> None:
        self._report(f"{cell.name}: bringing its lab up")
        try:
            brought = lab.up(plan_path(self._directory, cell), self._lab_options, self._report)
        except Aborted as error:
            problem = f"stopped by the user while the lab of {cell.name} came up"
            hint = "the same command continues; the runs before it are kept"
            raise Aborted(str(self._directory.path), problem, hint) from error
        if not brought.state.rootless:
            # A run moves the whole process into the laboratory's network, which goes with the laboratory.
            self._home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)

    def _down(self) -> None:
        if self._home is not None:
            enter_network(self._home)
            os.close(self._home)
            self._home = None
        taken = lab.down(self._lab_options.name, self._lab_options.directory)
        self._up = None
        if taken.leftovers:
            first = taken.leftovers[0]
            problem = f"cannot be taken down: {first.kind} {first.name}: {first.why}"
            raise RunFailed(f'lab "{taken.name}"', problem, f"howdah lab down --name {taken.name}")


def _lab_options(study: Study, directory: StudyDirectory) -> lab.LabOptions:
    """The study's own laboratory: two of one name in different directories keep out of each other's way."""
    path = directory.path.absolute()
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:6]
    word = re.sub(r"[^a-z0-9]+", "-", study.study.lower())[:_LONGEST].strip("-")
    return lab.LabOptions(name=f"{word}-{digest}".strip("-"), directory=path / "laboratory")


class StudyObserver(Protocol):
    """What watches a study: the start and end of each run, and the steps of laboratories between runs."""

    def begins(self, run: Due, done: int, remaining: int, expected_s: float | None) -> None:
        """The numbers of runs that ended and that are left, and how long these will take, if known."""

    def report(self, text: str) -> None: ...

    def progress(self, progress: Progress) -> None:
        """How far the current workload is, about ten times a second."""

    def ended(self, due: Due, run: StudyRun) -> None: ...


ShowStudy = Callable[[], AbstractContextManager[StudyObserver]]


def run_study(
    study: Study,
    cells: Sequence[Cell],
    directory: StudyDirectory,
    observer: StudyObserver,
    *,
    tunes: bool = False,
) -> tuple[StudyRun, ...]:
    """Make every run that is left; a run that fails is a result like any other.

    If it ``tunes``, its runs are those of a race, also without contenders, and a run fails with its
    applications (``tuning_runs``).
    """

    def counted(runs: Sequence[StudyRun]) -> Sequence[StudyRun]:
        return tuning_runs(study, cells, runs) if tunes else runs

    directory.sweep()
    races = tunes or bool(study.contenders)
    done = list(directory.done())
    clock = BudgetClock(study, directory, done, labs=any(cell.lab_key is not None for cell in cells))
    watcher = _Watcher(observer, clock)
    with StudyLaboratory(study, directory, cells, watcher.report, races=races) as laboratory:
        while remaining := list(due(study, cells, counted(done))):
            if not clock.has_room():
                break
            begun = remaining[0]
            observer.begins(begun, len(done), len(remaining), expected_s(study, remaining, done))
            try:
                with clock.run():
                    run = _run_on_lab(study, directory, begun, watcher, laboratory, races=races)
            except (Aborted, KeyboardInterrupt):
                if not clock.rang:
                    raise
                break
            done.append(run)
            observer.ended(begun, counted(done)[-1])
    return tuple(counted(done))


def _run_on_lab(
    study: Study,
    directory: StudyDirectory,
    run: Due,
    watcher: _Watcher,
    laboratory: StudyLaboratory,
    *,
    races: bool,
) -> StudyRun:
    """The run on its cell's lab; failed if the lab's daemons do not start with the cell's plan.

    In a race, a run that is refused has failed, too, unless the baseline's would be refused as well.
    """
    began_s = time.monotonic()
    try:
        lab = laboratory.of(run.cell)
        if study.fill is not None and laboratory.is_new:
            _fill(study, directory, run, watcher, lab)
    except RunFailed as error:
        if run.cell.lab_key is None:
            # A lab that is up lost a daemon, and would be as broken for every other run.
            raise
        write_unstarted(study, directory, run, str(error))
        return directory.keep(run, time.monotonic() - began_s, caches_dropped=False)
    dropped = settle(study)
    began_s = time.monotonic()
    try:
        with closing(prepare_cell(study, directory, run, lab)) as prepared:
            began_s = time.monotonic()
            path = record(prepared.job, engine=prepared.engine, runs_dir=directory.runs, observer=watcher)
            took_s = time.monotonic() - began_s
    except (RunFailed, UserError) as error:
        on_lab = run.cell.lab_key is not None
        if not races or (not on_lab and matches(study.baseline, dict(run.cell.levels))):
            raise
        write = write_unstarted if on_lab else write_refused
        write(study, directory, run, str(error))
        return directory.keep(run, time.monotonic() - began_s, caches_dropped=dropped)
    _check_unstopped(directory, run, read_record(path))
    return directory.keep(run, took_s, caches_dropped=dropped)


def _fill(study: Study, directory: StudyDirectory, run: Due, watcher: _Watcher, lab: str | None) -> None:
    """Make the data that the runs on a new lab use; raises RunFailed if that fails, and Aborted."""
    watcher.report(f"{run.cell.name}: {study.fill} fills its lab")
    filling = study.model_copy(update={"suite": study.fill})
    run = run._replace(cell=filling_cell(filling, run.cell))
    shutil.rmtree(directory.filled / run.run_id, ignore_errors=True)
    with closing(prepare_cell(filling, directory, run, lab, keep_data=True)) as prepared:
        path = record(prepared.job, engine=prepared.engine, runs_dir=directory.filled, observer=watcher)
    made = read_record(path)
    _check_unstopped(directory, run, made)
    if made.outcome is not Outcome.SUCCEEDED:
        raise RunFailed(str(study.fill), made.error or "failed")


def _check_unstopped(directory: StudyDirectory, run: Due, record: RunRecord) -> None:
    if record.outcome is Outcome.ABORTED:
        hint = "the same command continues with this run; those before it are kept"
        raise Aborted(str(directory.path), f"stopped by the user during {run.cell.name}", hint)


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

    def report(self, text: str) -> None:
        self._clock.note()
        self._observer.report(text)

    def update(self, record: RunRecord) -> None: ...  # A study is told of whole runs.

    def progress(self, progress: Progress) -> None:
        self._clock.note()
        self._observer.progress(progress)
