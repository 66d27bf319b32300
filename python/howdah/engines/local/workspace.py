"""The directories on disk that a run works in, and nothing outside them.

Below every data directory howdah keeps one folder, ``howdah``, with a marker file that says who
made it. The marker is locked while a run works there, so two runs never share a folder, and the
kernel lets go of the lock of a killed run. What a killed run left behind is removed when the next
run claims the folder; data kept on purpose is not.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from howdah.errors import UserError

FOLDER = "howdah"
_MARKER = ".howdah"
_FREE_SHARE = 0.95


class _Folder:
    """One claimed ``howdah`` folder."""

    def __init__(self, data_dir: Path, run_id: str) -> None:
        self.data_dir = data_dir
        self.path = data_dir / FOLDER
        self._kept: list[str] = []
        self._created: list[Path] = []
        try:
            self._make_directories()
            self._lock = self._claim(run_id)
        except UserError:
            self._remove_created()
            raise

    def _make_directories(self) -> None:
        """Create the folder and its missing parents, and check that it is ours to use."""
        missing = [path for path in (self.path, *self.path.parents) if not path.exists()]
        try:
            for path in reversed(missing):
                path.mkdir()
                self._created.append(path)
        except OSError as error:
            raise UserError(
                f"data directory {self.data_dir}",
                f"cannot be created: {error.strerror}",
                "give --data-dir a directory you may write to",
            ) from error
        if not missing and not (self.path / _MARKER).exists() and any(self.path.iterdir()):
            raise UserError(
                f"data directory {self.data_dir}",
                f"its folder {FOLDER}/ was not made by howdah",
                "give another --data-dir, or move that folder away",
            )
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise UserError(
                f"data directory {self.data_dir}",
                "cannot be written to",
                "give --data-dir a directory you may write to",
            )

    def _remove_created(self) -> None:
        for path in reversed(self._created):
            # A directory that somebody else put something into stays.
            with contextlib.suppress(OSError):
                path.rmdir()

    def _claim(self, run_id: str) -> int:
        marker = self.path / _MARKER
        while True:
            try:
                lock = os.open(marker, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise UserError(
                    f"data directory {self.data_dir}",
                    f"cannot be written to: {error.strerror}",
                    "give --data-dir a directory you may write to",
                ) from error
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                owner = _read_marker(marker)
                os.close(lock)
                raise UserError(
                    f"data directory {self.data_dir}",
                    f"run {owner.get('run', 'of another howdah')} is using it",
                    "wait for that run, or give another --data-dir",
                ) from error
            # Another run may have removed the marker between our open and our lock.
            with contextlib.suppress(FileNotFoundError):
                if marker.stat().st_ino == os.fstat(lock).st_ino:
                    break
            os.close(lock)
        self._kept = _string_list(_read_marker(marker).get("kept"))
        self._remove_all_but(self._kept)
        self._write_marker(lock, run_id)
        return lock

    def _write_marker(self, lock: int, run_id: str | None) -> None:
        content = {"made_by": "howdah", "run": run_id, "kept": sorted(self._kept)}
        os.pwrite(lock, json.dumps(content).encode(), 0)
        os.ftruncate(lock, len(json.dumps(content).encode()))

    def _remove_all_but(self, kept: Iterable[str]) -> None:
        for entry in self.path.iterdir():
            if entry.name != _MARKER and entry.name not in kept:
                _remove(entry)

    def release(self, keep: Iterable[str]) -> None:
        """Remove what this run made, except ``keep`` and what was kept before, and unlock."""
        self._kept = [name for name in {*self._kept, *keep} if (self.path / name).is_dir()]
        self._remove_all_but(self._kept)
        if self._kept:
            self._write_marker(self._lock, None)
        else:
            (self.path / _MARKER).unlink()
            self._remove_created()
            # A folder that an earlier run made goes too, once nothing is kept in it.
            with contextlib.suppress(OSError):
                self.path.rmdir()
        os.close(self._lock)

    def fresh(self, name: str) -> Path:
        """An empty subfolder of that name; one kept from an earlier run is replaced."""
        path = self.path / name
        if path.exists():
            _remove(path)
        if name in self._kept:
            self._kept.remove(name)
        path.mkdir()
        return path


class Shortage(NamedTuple):
    """A data directory with too little room; ``fitting_share`` of what was wanted would fit."""

    data_dir: Path
    free_bytes: int
    fitting_share: float


class Workspace:
    """The claimed folders of all data directories; a context manager that cleans up at its end."""

    def __init__(self, data_dirs: Iterable[str], run_id: str, *, keep: bool) -> None:
        self._folders: list[_Folder] = []
        self._keep = keep
        self._made: set[str] = set()
        seen: dict[Path, str] = {}
        try:
            for data_dir in data_dirs:
                real = Path(data_dir).resolve()
                if real in seen:
                    raise UserError("--data-dir", f"{data_dir} is given twice", "give every disk once")
                seen[real] = data_dir
                self._folders.append(_Folder(Path(data_dir), run_id))
        except BaseException:
            self._release()
            raise

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._release()

    def _release(self) -> None:
        for folder in self._folders:
            folder.release(self._made if self._keep else ())
        self._folders = []

    def fresh(self, name: str, *, scratch: bool = False) -> list[Path]:
        """Empty folders of that name in every data directory; scratch is removed even if data is kept."""
        if not scratch:
            self._made.add(name)
        return [folder.fresh(name) for folder in self._folders]

    def drop(self, name: str) -> None:
        """Remove the folders of that name at once."""
        self._made.discard(name)
        for folder in self._folders:
            path = folder.path / name
            if path.exists():
                _remove(path)

    def existing(self, name: str) -> list[Path]:
        """The folders of that name that exist."""
        return [folder.path / name for folder in self._folders if (folder.path / name).is_dir()]

    def spread(self, folders: list[Path], pattern: str, count: int) -> list[Path]:
        """``count`` file names, dealt out evenly over the folders (a JBOD, no striping)."""
        return [folders[number % len(folders)] / pattern.format(number) for number in range(count)]

    def shortage(self, needed_bytes: int) -> Shortage | None:
        """The data directory that cannot hold its share of so many bytes, if there is one.

        Directories on one file system share its room.
        """
        share = -(-needed_bytes // len(self._folders))
        by_device: dict[int, list[_Folder]] = {}
        for folder in self._folders:
            by_device.setdefault(folder.path.stat().st_dev, []).append(folder)
        for folders in by_device.values():
            wanted = share * len(folders)
            free = shutil.disk_usage(folders[0].path).free
            if wanted > free * _FREE_SHARE:
                return Shortage(folders[0].data_dir, free, free * _FREE_SHARE / wanted)
        return None


def find_kept(data_dirs: Iterable[str], name: str) -> list[Path]:
    """The kept folders of that name below the data directories, without claiming anything."""
    folders = (Path(data_dir) / FOLDER / name for data_dir in data_dirs)
    return [folder for folder in folders if folder.is_dir()]


def _read_marker(marker: Path) -> dict[str, object]:
    try:
        content = json.loads(marker.read_text() or "{}")
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _string_list(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
