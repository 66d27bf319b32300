"""The one folder that howdah keeps below a data directory, and the marker that says what in it is ours.

The marker names everything howdah made there; nothing else is ever removed. It is locked while a run
works there, so two runs never share a folder, and the kernel lets go of the lock of a killed run.
What a killed run left behind is removed when the next run claims the folder; data kept on purpose
is not.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from howdah.errors import UserError
from howdah.model.base import Model

FOLDER = "howdah"
_MARKER = ".howdah"


class FolderMarker(Model):
    """What howdah made below a data directory.

    ``run`` is the run at work, None between runs. ``made`` are the subfolders howdah made, ``kept``
    those of them that hold complete data to be kept; ``created`` says whether it made the folder too.
    """

    run: str | None = None
    made: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    created: bool = False


class Folder:
    """A claimed folder; raises UserError where it cannot be made, is not howdah's or is in use.

    Parents of the data directory that do not exist are made, and removed again at the end.
    """

    def __init__(self, data_dir: Path, run_id: str) -> None:
        self.data_dir = data_dir
        self.path = data_dir / FOLDER
        self._created: list[Path] = []
        try:
            self._make_directories()
            self._lock = self._take_lock()
        except UserError:
            self._remove_created()
            raise
        self._marker = _read(self._marker_path)
        if self.path in self._created:
            self._marker = FolderMarker(created=True)
        for name in set(self._marker.made) - set(self._marker.kept):
            _remove(self.path / name)
        self._change(run=run_id, made=self._marker.kept)

    @property
    def _marker_path(self) -> Path:
        return self.path / _MARKER

    @property
    def kept(self) -> tuple[str, ...]:
        """The subfolders that hold data of earlier runs, kept on purpose."""
        return self._marker.kept

    def _make_directories(self) -> None:
        missing = [path for path in (self.path, *self.path.parents) if not path.exists()]
        try:
            for path in reversed(missing):
                path.mkdir()
                self._created.append(path)
        except OSError as error:
            raise self._unusable(f"cannot be created: {error.strerror}") from error
        if not missing and not self._marker_path.exists() and any(self.path.iterdir()):
            raise UserError(
                f"data directory {self.data_dir}",
                f"its folder {FOLDER}/ was not created by howdah",
                "give another --data-dir, or move that folder",
            )

    def _take_lock(self) -> int:
        while True:
            try:
                lock = os.open(self._marker_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise self._unusable(f"cannot be written to: {error.strerror}") from error
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(lock)
                if not isinstance(error, BlockingIOError):
                    raise self._unusable(f"its file system cannot lock files: {error.strerror}") from error
                raise UserError(
                    f"data directory {self.data_dir}",
                    f"run {_read(self._marker_path).run or 'of another howdah'} is using it",
                    "wait for that run, or give another --data-dir",
                ) from error
            # Another run may have removed the marker between our open and our lock.
            with contextlib.suppress(FileNotFoundError):
                if self._marker_path.stat().st_ino == os.fstat(lock).st_ino:
                    return lock
            os.close(lock)

    def _unusable(self, what: str) -> UserError:
        return UserError(
            f"data directory {self.data_dir}", what, "give a directory with --data-dir that you may write to"
        )

    def fresh(self, name: str) -> Path:
        """An empty subfolder of that name, replacing one that howdah made earlier.

        Raises UserError where the name is taken by something howdah did not make.
        """
        path = self.path / name
        if path.exists() and name not in self._marker.made:
            raise UserError(
                f"data directory {self.data_dir}",
                f"{path} was not created by howdah",
                "give another --data-dir, or move it",
            )
        # The marker stops vouching for the old content before any of it goes.
        self._change(
            made=tuple({*self._marker.made, name}),
            kept=tuple(other for other in self._marker.kept if other != name),
        )
        if path.exists():
            _remove(path)
        path.mkdir()
        return path

    def drop(self, name: str) -> None:
        """Remove a subfolder that ``fresh`` made."""
        if name in self._marker.made:
            _remove(self.path / name)
            self._change(made=tuple(other for other in self._marker.made if other != name))

    def release(self, keep: Iterable[str]) -> None:
        """Remove what this run made, except ``keep`` and what was kept before, and unlock."""
        kept = {*self._marker.kept, *(name for name in keep if name in self._marker.made)}
        for name in set(self._marker.made) - kept:
            _remove(self.path / name)
        self._change(run=None, made=tuple(kept), kept=tuple(kept))
        if {entry.name for entry in self.path.iterdir()} == {_MARKER}:
            self._marker_path.unlink()
            if self._marker.created:
                self.path.rmdir()
            self._remove_created()
        os.close(self._lock)

    def _remove_created(self) -> None:
        for path in reversed(self._created):
            # A directory that somebody else put something into stays.
            with contextlib.suppress(OSError):
                path.rmdir()

    def _change(self, **fields: object) -> None:
        self._marker = self._marker.model_copy(update=fields)
        content = self._marker.model_dump_json().encode()
        # One write covers all that was there, so that a kill finds the old marker or the new one.
        os.pwrite(self._lock, content.ljust(os.fstat(self._lock).st_size), 0)


def find_kept(data_dirs: Iterable[str], name: str) -> list[Path]:
    """The folders of that name kept below the data directories, without claiming anything."""
    folders = [Path(data_dir) / FOLDER for data_dir in data_dirs]
    return [folder / name for folder in folders if name in _read(folder / _MARKER).kept]


def _read(marker: Path) -> FolderMarker:
    """The marker's content; an empty one where there is none, or one cut off by a kill."""
    try:
        return FolderMarker.model_validate(json.loads(marker.read_text() or "{}"))
    except (OSError, ValueError, ValidationError):
        return FolderMarker()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
