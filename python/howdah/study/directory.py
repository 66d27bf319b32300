"""The directory of a study: its file, its plans, the records of its runs, its page.

The records are the state: which runs are left follows from the study and from those that have ended, so
that nothing needs to be written down before a run or after it that a kill could come between.
"""

from __future__ import annotations

import re
import shutil
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from howdah.analysis.comparing.figures import figures_of
from howdah.documents.files import read_study
from howdah.errors import UserError
from howdah.files import replacing
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.model.study import Study, StudyRun
from howdah.model.tables import RunData
from howdah.model.workloads.hadoop_programs import APPLICATION_FAILED
from howdah.store.layout import LOCK, RUN_JSON, FileLock
from howdah.store.reader import read_record, read_run
from howdah.study.schedule import Due

STUDY_FILE, RUNS, INPUTS, PAPER = "study.yaml", "runs", "inputs", "paper"
FILLED = "filled"  # Runs that made data in labs, by the name of the run that came next.
KEPT = "study.json"  # Next to each record: what the study's page needs of it, without its tables.

_RUN = re.compile(r"(\d{3,4})-(\d{2,5})|warm-up-(\d{2,3})")
_SPENT = "spent"
_SAVED_EVERY_S = 1.0
_CLOSING_S = 20.0  # Kept back to end a run's jobs and remove their data.
_LAB_CLOSING_S = 60.0  # Kept back to remove a lab as well.
_ENDED = (Outcome.SUCCEEDED, Outcome.FAILED)


class StudyDirectory:
    """A study's directory, which exists once the study has begun."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._read_only = read_only
        self.runs = path / RUNS
        self.filled = path / FILLED
        self.inputs = path / INPUTS
        self.paper = path / PAPER

    @property
    def begun(self) -> bool:
        """Whether a study lives here."""
        return (self.path / STUDY_FILE).exists()

    def study(self) -> Study:
        """The study that lives here; raises UserError where there is none."""
        if not self.begun:
            raise UserError(str(self.path), "contains no study", "give a directory that `howdah study` made")
        return read_study(self.path / STUDY_FILE)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others out; raises UserError where one is at work or the directory cannot be made."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path / LOCK, wait=False)
        except OSError as error:
            problem, hint = f"cannot be written: {error.strerror}", "give another --dir"
            if isinstance(error, BlockingIOError):
                problem, hint = "another study is running here", "wait for it, or give another --dir"
            raise UserError(str(self.path), problem, hint) from error
        with lock:
            yield

    def begin(self, study: Study, text: str) -> None:
        """Make the directory this study's; raises UserError where it is another's."""
        if not self.begun:
            strange = [path.name for path in self.path.iterdir() if path.name not in (LOCK, INPUTS)]
            if strange:
                hint = "give a new directory with --dir"
                raise UserError(str(self.path), f"contains other files ({strange[0]})", hint)
        elif (before := self.study()) == study:
            return
        elif before.model_copy(update={"budget": study.budget}) != study:
            problem = "contains another study, or an earlier version of this study"
            hint = "give a new directory with --dir; the finished runs stay there"
            raise UserError(str(self.path), problem, hint)
        put(self.path / STUDY_FILE, text)

    def sweep(self) -> None:
        """Remove runs that were killed or stopped: they will be made again."""
        for path in self._records():
            if read_record(path).outcome not in _ENDED:
                shutil.rmtree(path)

    def remove(self, runs: Iterable[StudyRun]) -> None:
        """Remove runs that have ended: they will be made again."""
        for run in runs:
            shutil.rmtree(self.runs / run.figures.run)

    def done(self) -> tuple[StudyRun, ...]:
        """Every run that has ended, well or not, the oldest first."""
        return by_age(run for run, _ in self.ended())

    def ended(self) -> Iterator[tuple[StudyRun, RunRecord]]:
        """Every run that has ended with its record, by name, one by one: together they may be large."""
        for path in self._records():
            record = read_record(path)
            if record.outcome in _ENDED:
                yield self._kept(path), record

    def keep(self, due: Due, took_s: float, *, caches_dropped: bool) -> StudyRun:
        """Keep what the page needs of a run that has ended."""
        path = self.runs / due.run_id
        run = _study_run(read_run(path), due.cell.number, due.repeat, took_s, caches_dropped=caches_dropped)
        put(path / KEPT, run.model_dump_json(indent=1) + "\n")
        return run

    def _records(self) -> Iterator[Path]:
        if self.runs.is_dir():
            for path in sorted(self.runs.iterdir()):
                if _RUN.fullmatch(path.name) and (path / RUN_JSON).exists():
                    yield path

    def _kept(self, path: Path) -> StudyRun:
        if (path / KEPT).exists():
            return StudyRun.model_validate_json((path / KEPT).read_bytes())
        # Killed after the run had ended and before this was written: the record has all of it, but for
        # the time that a simulation took.
        match = _RUN.fullmatch(path.name)
        assert match is not None
        cell, repeat = int(match[1] or 1) - 1, int(match[2] or 0)
        data = read_run(path)
        took_s = data.record.elapsed_s if data.record.origin is Origin.MEASURED else 0.0
        run = _study_run(data, cell, repeat, took_s)
        if not self._read_only:
            put(path / KEPT, run.model_dump_json(indent=1) + "\n")
        return run


def _study_run(
    data: RunData, cell: int, repeat: int, took_s: float, *, caches_dropped: bool = False
) -> StudyRun:
    return StudyRun(
        cell=cell,
        repeat=repeat,
        took_s=took_s,
        caches_dropped=caches_dropped,
        failed_applications=sum(warning.code == APPLICATION_FAILED for warning in data.record.warnings),
        figures=figures_of(data),
    )


def by_age(runs: Iterable[StudyRun]) -> tuple[StudyRun, ...]:
    """Runs, the oldest first."""
    return tuple(sorted(runs, key=lambda run: (run.figures.created, run.figures.run)))


def put(path: Path, text: str) -> None:
    """Write a file of the study's, whole or not at all; raises UserError where there is no room or leave."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(text.encode())
    except OSError as error:
        hint = "free some space, or give another --dir"
        raise UserError(str(path), f"cannot be written: {error.strerror}", hint) from error


class BudgetClock:
    """The time that a study has worked, in killed processes too, and the alarm that ends it in time."""

    def __init__(
        self, study: Study, directory: StudyDirectory, done: Sequence[StudyRun], *, labs: bool
    ) -> None:
        self._file = directory.path / _SPENT
        self._most_s = None if study.budget.hours is None else 3600 * study.budget.hours
        self._closing_s = _LAB_CLOSING_S if labs else _CLOSING_S
        self._before_s = spent_s(directory, done)
        self._began_s = self._noted_s = time.monotonic()
        self._rounds_s = [run.took_s for run in done]
        self.rang = False

    @property
    def spent_s(self) -> float:
        """Seconds of work so far."""
        return self._before_s + time.monotonic() - self._began_s

    def note(self) -> None:
        """Store the time now and then; called often."""
        if self._most_s is not None and time.monotonic() - self._noted_s >= _SAVED_EVERY_S:
            self._noted_s = time.monotonic()
            put(self._file, f"{self.spent_s:.1f}\n")

    def has_room(self) -> bool:
        """Whether another run would probably end in time: as long as the longest so far, its lab included."""
        return self._left_s() >= max(self._rounds_s, default=0.0)

    @contextmanager
    def run(self) -> Iterator[None]:
        """The time of one run and its lab: KeyboardInterrupt ends it when the budget is nearly used up."""
        began_s = time.monotonic()
        if self._most_s is not None:
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, max(0.001, self._left_s()))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._rounds_s.append(time.monotonic() - began_s)
            if self._most_s is not None:
                put(self._file, f"{self.spent_s:.1f}\n")

    def _left_s(self) -> float:
        return float("inf") if self._most_s is None else self._most_s - self._closing_s - self.spent_s

    def _ring(self, number: int, frame: FrameType | None) -> NoReturn:
        self.rang = True
        raise KeyboardInterrupt


def spent_s(directory: StudyDirectory, done: Sequence[StudyRun]) -> float:
    """Seconds of work on a study so far, as far as they were stored; at least what its runs took."""
    try:
        stored_s = float((directory.path / _SPENT).read_text())
    except (OSError, ValueError):
        stored_s = 0.0
    return max(stored_s, sum(run.took_s for run in done))
