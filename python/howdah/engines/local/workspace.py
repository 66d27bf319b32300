"""The folders of all data directories that one run works in."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from howdah.errors import UserError
from howdah.model.base import Model

FOLDER = "howdah"
_MARKER = ".howdah"


class FolderMarker(Model):
    """The files that howdah created below a data directory."""

    run: str | None = None  # The run at work; None between runs.
    made: tuple[str, ...] = ()  # The subfolders that howdah made.
    kept: tuple[str, ...] = ()  # Those of them that hold complete data to be kept.
    created: bool = False  # Whether it made the folder, too.


class Folder:
    """A claimed folder with missing parents, removed at the end; raises UserError if it is not howdah's."""

    def __init__(self, data_dir: Path, run_id: str) -> None:
        self.data_dir = data_dir
        self.path = data_dir / FOLDER
        self._marker_path = self.path / _MARKER
        self._created: list[Path] = []
        try:
            missing = [path for path in (self.path, *self.path.parents) if not path.exists()]
            try:
                for path in reversed(missing):
                    path.mkdir()
                    self._created.append(path)
            except OSError as error:
                raise self._unusable(f"cannot be created: {error.strerror}") from error
            if not missing and not self._marker_path.exists() and any(self.path.iterdir()):
                problem = f"its folder {FOLDER}/ was not created by howdah"
                raise self._error(problem, "give another --data-dir, or move that folder")
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
    def kept(self) -> tuple[str, ...]:
        """The subfolders that hold data of earlier runs, kept on purpose."""
        return self._marker.kept

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
                problem = f"run {_read(self._marker_path).run or 'of another howdah'} is using it"
                raise self._error(problem, "wait for that run, or give another --data-dir") from error
            # Another run may have removed the marker between our open and our lock.
            with contextlib.suppress(FileNotFoundError):
                if self._marker_path.stat().st_ino == os.fstat(lock).st_ino:
                    return lock
            os.close(lock)

    def _error(self, problem: str, hint: str) -> UserError:
        return UserError(f"data directory {self.data_dir}", problem, hint)

    def _unusable(self, problem: str) -> UserError:
        return self._error(problem, "give a directory with --data-dir that you may write to")

    def fresh(self, name: str) -> Path:
        """An empty subfolder in place of howdah's earlier one; raises UserError for another's."""
        path = self.path / name
        if path.exists() and name not in self._marker.made:
            raise self._error(f"{path} was not created by howdah", "give another --data-dir, or move it")
        # The marker no longer lists the old content before the first file is removed.
        kept = tuple(kept_name for kept_name in self._marker.kept if kept_name != name)
        self._change(made=tuple({*self._marker.made, name}), kept=kept)
        if path.exists():
            _remove(path)
        path.mkdir()
        return path

    def drop(self, name: str) -> None:
        """Remove a subfolder that ``fresh`` made."""
        if name in self._marker.made:
            _remove(self.path / name)
            self._change(made=tuple(made_name for made_name in self._marker.made if made_name != name))

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
            # A directory with files of others stays.
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


FREE_SHARE = 0.95  # Part of a file system's free space that a run may use.


class Shortage(NamedTuple):
    """A data directory with too little room; ``fitting_share`` of what was wanted would fit."""

    data_dir: Path
    free_bytes: int
    fitting_share: float


class Workspace:
    """The claimed folders of all data directories; with ``keep`` completed data stays after its end."""

    def __init__(
        self, data_dirs: Iterable[str], run_id: str, *, keep: bool, replaces: Iterable[str] = ()
    ) -> None:
        self._folders: list[Folder] = []
        self._keep = keep
        self._pending: set[str] = set()
        self._complete: set[str] = set()
        self._open_files: list[object] = []
        try:
            for data_dir in _distinct([Path(name) for name in data_dirs]):
                self._folders.append(Folder(data_dir, run_id))
            for folder in self._folders:
                for name in sorted(set(replaces) & set(folder.kept)):
                    problem = f"its {name} data, kept from an earlier run, would be replaced"
                    hint = f"give another --data-dir, or remove {folder.path / name}"
                    raise UserError(f"data directory {folder.data_dir}", problem, hint)
        except BaseException:
            self._release()
            raise

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *error: object) -> None:
        self._release()

    def _release(self) -> None:
        for folder in self._folders:
            folder.release(self._complete if self._keep else ())
        self._folders = []
        self._open_files = []

    def fresh(self, name: str, *, scratch: bool = False) -> list[Path]:
        """Empty folders of that name in every data directory; scratch is never kept."""
        if not scratch:
            self._pending.add(name)
        return [folder.fresh(name) for folder in self._folders]

    def hold(self, files: object) -> None:
        """Keep files without a name until the end: freeing their space would keep the disk busy."""
        self._open_files.append(files)

    def complete(self) -> None:
        """Everything made so far is whole: it may be kept."""
        self._complete |= self._pending
        self._pending = set()

    def drop(self, name: str) -> None:
        """Remove the folders of that name at once."""
        for folder in self._folders:
            folder.drop(name)

    def existing(self, name: str) -> list[Path]:
        """The folders of that name that exist."""
        return [folder.path / name for folder in self._folders if (folder.path / name).is_dir()]

    def shortage(self, needed_bytes: int) -> Shortage | None:
        """The first directory without room for its part, if any; those of a file system share it."""
        share = -(-needed_bytes // len(self._folders))
        for folders in self._by_device().values():
            needed = share * len(folders)
            free = shutil.disk_usage(folders[0].path).free
            if needed > free * FREE_SHARE:
                return Shortage(folders[0].data_dir, free, free * FREE_SHARE / needed)
        return None

    def sharing(self) -> list[Path]:
        """Data directories that lie on one file system with another of them."""
        groups = [folders for folders in self._by_device().values() if len(folders) > 1]
        return [folder.data_dir for folders in groups for folder in folders]

    def _by_device(self) -> dict[int, list[Folder]]:
        by_device: dict[int, list[Folder]] = {}
        for folder in self._folders:
            by_device.setdefault(folder.path.stat().st_dev, []).append(folder)
        return by_device


def spread_file_names(folders: list[Path], pattern: str, count: int) -> list[Path]:
    """``count`` file names, dealt out evenly over the folders (a JBOD, no striping)."""
    return [folders[number % len(folders)] / pattern.format(number) for number in range(count)]


def _distinct(data_dirs: list[Path]) -> list[Path]:
    """The directories as given; raise UserError if one of them is or lies within another."""
    for place, directory in enumerate(data_dirs):
        for earlier in data_dirs[:place]:
            first, second = directory.resolve(), earlier.resolve()
            if first == second:
                raise UserError("--data-dir", f"{directory} is given twice", "give every disk once")
            if first.is_relative_to(second) or second.is_relative_to(first):
                problem = f"{directory} and {earlier} contain one another"
                raise UserError("--data-dir", problem, "give every disk once")
    return data_dirs
