"""The directory that the benches' data lives in while they run."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from howdah.errors import UserError
from howdah.units import format_bytes

_SPARE_BYTES = 2 * 10**9


class Workspace:
    """Input files that several turns read, and two directories that are emptied for each turn."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.inputs = path / "inputs"
        self.output = path / "output"
        self.scratch = path / "scratch"
        self.inputs.mkdir()

    def fresh(self) -> None:
        """Empty the turn's directories; nobody's clock runs."""
        for folder in (self.output, self.scratch):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()

    def room_for(self, size_bytes: int) -> bool:
        """Whether the disk has that much room, with some to spare for everyone else."""
        return shutil.disk_usage(self._path).free >= size_bytes + _SPARE_BYTES

    def require(self, size_bytes: int) -> None:
        """Raise UserError unless the disk has that much room."""
        if not self.room_for(size_bytes):
            free = shutil.disk_usage(self._path).free
            raise UserError(
                str(self._path),
                f"{format_bytes(size_bytes)} are needed, {format_bytes(free)} are free",
                "give fewer --rows, or --dir on a larger disk",
            )

    def drop_inputs(self) -> None:
        """Remove the input files."""
        shutil.rmtree(self.inputs)
        self.inputs.mkdir()


@contextmanager
def open_workspace(folder: Path) -> Iterator[Workspace]:
    """Make ``folder/work`` for one run of the benches and remove it however the run ends.

    What a killed run left there is removed first. Raises UserError if another run is under way.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                str(folder), "benches are already running in it", "wait for them, or give another --dir"
            ) from None
        work = folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            yield Workspace(work)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    finally:
        os.close(lock)
