"""The folders of all data directories that one run works in."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from howdah.engines.local.folder import Folder
from howdah.errors import UserError

FREE_SHARE = 0.95
"""How much of a file system's free space a run may take."""


class Shortage(NamedTuple):
    """A data directory with too little room; ``fitting_share`` of what was wanted would fit."""

    data_dir: Path
    free_bytes: int
    fitting_share: float


class Workspace:
    """The claimed folders of all data directories; a context manager that cleans up at its end.

    With ``keep`` the data of workloads that were completed stays for later runs. Raises UserError
    for directories that cannot be used together, or where ``replaces`` names data that was kept.
    """

    def __init__(
        self, data_dirs: Iterable[str], run_id: str, *, keep: bool, replaces: Iterable[str] = ()
    ) -> None:
        self._folders: list[Folder] = []
        self._keep = keep
        self._pending: set[str] = set()
        self._complete: set[str] = set()
        self._held: list[object] = []
        try:
            for data_dir in _distinct([Path(name) for name in data_dirs]):
                self._folders.append(Folder(data_dir, run_id))
            self._protect(set(replaces))
        except BaseException:
            self._release()
            raise

    def _protect(self, replaced: set[str]) -> None:
        for folder in self._folders:
            for name in sorted(replaced & set(folder.kept)):
                raise UserError(
                    f"data directory {folder.data_dir}",
                    f"its {name} data, kept from an earlier run, would be replaced",
                    f"give another --data-dir, or remove {folder.path / name}",
                )

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
            folder.release(self._complete if self._keep else ())
        self._folders = []
        self._held = []

    def fresh(self, name: str, *, scratch: bool = False) -> list[Path]:
        """Empty folders of that name in every data directory; scratch is never kept."""
        if not scratch:
            self._pending.add(name)
        return [folder.fresh(name) for folder in self._folders]

    def hold(self, files: object) -> None:
        """Keep files without a name until the end.

        Freeing their space keeps a disk busy that is told of it, and whatever runs next would wait for that.
        """
        self._held.append(files)

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
        """The data directory that cannot hold its share of so many bytes, if there is one.

        Directories on one file system share its room.
        """
        share = -(-needed_bytes // len(self._folders))
        for folders in self._by_device().values():
            wanted = share * len(folders)
            free = shutil.disk_usage(folders[0].path).free
            if wanted > free * FREE_SHARE:
                return Shortage(folders[0].data_dir, free, free * FREE_SHARE / wanted)
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
        for other in data_dirs[:place]:
            first, second = directory.resolve(), other.resolve()
            if first == second:
                raise UserError("--data-dir", f"{directory} is given twice", "give every disk once")
            if first.is_relative_to(second) or second.is_relative_to(first):
                raise UserError(
                    "--data-dir", f"{directory} and {other} contain one another", "give every disk once"
                )
    return data_dirs
