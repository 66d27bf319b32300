"""The laboratory of a study: one at a time, built for the plan of whichever cell is next, and taken down."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Sequence
from types import TracebackType

from howdah.errors import Aborted, RunFailed, UserError
from howdah.model.study import Study
from howdah.namespaces import enter_network
from howdah.session.lab import building
from howdah.session.lab import laboratories as lab
from howdah.session.study.cells import plan_path
from howdah.session.study.directory import StudyDirectory
from howdah.study.matrix import Cell

_FOLDER = "laboratory"
_WHOLE = "up"
_PATIENCE_S = 300.0
"""Longer than what a fault left takes to be over; a laboratory that is not whole then is built anew."""
_ASK_S = 2.0
_LONGEST = 24
"""Of a study's name in its laboratory's, beside the digest of its directory."""


def check_laboratories(study: Study, cells: Sequence[Cell], directory: StudyDirectory) -> None:
    """Raise UserError for a cell whose laboratory could not be built on this machine."""
    for cell in {cell.laboratory: cell for cell in reversed(cells) if cell.laboratory is not None}.values():
        try:
            building.check(plan_path(directory, cell), _wanted(study, directory))
        except UserError as error:
            raise UserError(f"{cell.name}: {error.where}", error.what, error.hint) from error


class StudyLaboratory:
    """What laboratory is up for a study; on leaving it, however that comes about, none.

    Its name is the study's and its directory's, so that what a killed study left is found when it goes on.
    """

    def __init__(
        self, study: Study, directory: StudyDirectory, cells: Sequence[Cell], tell: Callable[[str], None]
    ) -> None:
        self._wanted = _wanted(study, directory)
        self._directory = directory
        self._builds = any(cell.laboratory is not None for cell in cells)
        self._races = bool(study.contenders)
        self._tell = tell
        self._up: tuple[str, ...] | None = None
        self._home: int | None = None

    def __enter__(self) -> StudyLaboratory:
        if self._builds:
            self._down()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._builds:
            self._down()

    def of(self, cell: Cell) -> str | None:
        """The name of the laboratory that a cell runs on, up by now; None for one that needs none built.

        Raises UserError and RunFailed where it cannot be brought up. In a race, daemons that the run before
        lost on a lab that is up are started again.
        """
        if self._races and cell.settings.lab is not None:
            self._restore(cell.settings.lab)
        if self._builds and (cell.laboratory != self._up or not self._is_whole(cell)):
            self._down()
            if cell.laboratory is not None:
                self._bring_up(cell)
                self._up = cell.laboratory
        return self._wanted.name if cell.laboratory is not None else None

    def _restore(self, name: str) -> None:
        for machine in lab.status(name).machines:
            if any(daemon.pid is None for daemon in machine.daemons):
                self._tell(f'lab "{name}": starting lost daemons of {machine.name}')
                lab.start(name, machine.name, self._tell)

    def _is_whole(self, cell: Cell) -> bool:
        """Whether nothing is missing of what is up, within a few minutes, so that every run finds it alike.

        The run before may have lost a part of it: a NameNode that was started again does not write before it
        has read of every block, which is told in segments of edits that last two minutes, and half a minute
        more of its safe mode.
        """
        deadline = time.monotonic() + _PATIENCE_S
        told = False
        while self._up is not None and lab.status(self._wanted.name).state != _WHOLE:
            if not told:
                self._tell(f"{cell.name}: waiting until its lab is complete again")
                told = True
            if time.monotonic() > deadline:
                return False
            time.sleep(_ASK_S)
        return True

    def _bring_up(self, cell: Cell) -> None:
        self._tell(f"{cell.name}: bringing its lab up")
        try:
            brought = building.up(plan_path(self._directory, cell), self._wanted, self._tell)
        except Aborted as error:
            raise Aborted(
                str(self._directory.path),
                f"stopped by the user while the lab of {cell.name} came up",
                "the same command continues; the runs before it are kept",
            ) from error
        if not brought.state.rootless:
            # A run moves the whole process into the laboratory's network, which goes with the laboratory.
            self._home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)

    def _down(self) -> None:
        if self._home is not None:
            enter_network(self._home)
            os.close(self._home)
            self._home = None
        taken = lab.down(self._wanted.name, self._wanted.directory)
        self._up = None
        if taken.left:
            first = taken.left[0]
            raise RunFailed(
                f'lab "{taken.name}"',
                f"cannot be taken down: {first.kind} {first.name}: {first.why}",
                f"howdah lab down --name {taken.name}",
            )


def _wanted(study: Study, directory: StudyDirectory) -> building.Wanted:
    """The study's own laboratory: two of one name in different directories keep out of each other's way."""
    path = directory.path.absolute()
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:6]
    word = re.sub(r"[^a-z0-9]+", "-", study.study.lower())[:_LONGEST].strip("-")
    return building.Wanted(name=f"{word}-{digest}".strip("-"), directory=path / _FOLDER)
