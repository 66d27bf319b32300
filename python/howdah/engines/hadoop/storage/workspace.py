"""The directory in HDFS that a run works in, whose it is, and what becomes of it."""

from __future__ import annotations

import logging
import posixpath
from contextlib import suppress
from typing import Literal, NamedTuple

from pydantic import ValidationError

from howdah.engines.hadoop.programs.client import kill_applications, run_tag
from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.process import ProcessIdentity, is_dead, this_process
from howdah.errors import UserError
from howdah.model.base import Model
from howdah.services.errors import RefusedByDaemon, ServiceError
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager

FILE = ".howdah"

_TAKEN = frozenset(
    {"FileAlreadyExistsException", "AlreadyBeingCreatedException", "RecoveryInProgressException"}
)
"""What HDFS says where another run's marker is, or is being written at this very moment."""
_LOG = logging.getLogger(__name__)


class HdfsMarker(Model):
    """What stands in the file."""

    howdah: Literal[1] = 1
    """The format's version."""
    run: str
    """The run whose directory it is."""
    process: ProcessIdentity | None
    """Who works there; None once the run has ended and data was kept."""
    parents: tuple[str, ...] = ()
    """Directories above it that howdah made, the innermost first."""
    kept: tuple[str, ...] = ()
    """The folders that hold whole data, kept on purpose."""

    def content(self) -> bytes:
        """What is written into the file."""
        return self.model_dump_json().encode()


def read_marker(content: bytes) -> HdfsMarker | None:
    """The marker that a file holds; None if it holds none, as after a kill in the middle of its writing."""
    try:
        return HdfsMarker.model_validate_json(content)
    except ValidationError:
        return None


class Kept(NamedTuple):
    """A folder of data that an earlier run kept."""

    run: str
    path: str


class HdfsWorkspace:
    """A run's directory."""

    def __init__(self, namenode: NameNode, work_dir: str, run_id: str, *, keep: bool) -> None:
        self._namenode = namenode
        self._work_dir = work_dir
        self.path = posixpath.join(work_dir, run_id)
        self._run_id = run_id
        self._keep = keep
        self._complete: list[str] = []
        self._parents: tuple[str, ...] = ()
        self._left = False

    def claim(self) -> None:
        """Make it; raises UserError if it is there already."""
        if self._namenode.stat(self.path) is not None:
            raise self._taken()
        self._parents = missing_parents(self._namenode, self._work_dir)
        # Writing the file makes the directory with it, so that there is none without a marker.
        marker = HdfsMarker(run=self._run_id, process=this_process(), parents=self._parents)
        try:
            self._namenode.write(self.folder(FILE), marker.content())
        except BaseException as error:
            if isinstance(error, RefusedByDaemon) and error.exception in _TAKEN:
                raise self._taken() from error
            # A write that a quota or an interrupt ended may have left the file without its content.
            with suppress(ServiceError):
                remove(self._namenode, self.path, self._parents)
            raise

    def _taken(self) -> UserError:
        return UserError(
            f"HDFS {self.path}",
            "already exists: it belongs to a run started in the same minute, or to one that kept its data",
            "try again in a minute, or give another --hdfs-dir",
        )

    def leave(self) -> None:
        """Leave it to the next run, as if this one had been killed: its jobs may still be writing there."""
        self._left = True

    def release(self) -> None:
        """Remove it, but for whole data that is to be kept."""
        if self._left:
            return
        if not (self._keep and self._complete):
            remove(self._namenode, self.path, self._parents)
            return
        for entry in self._namenode.list(self.path):
            if entry.name not in (FILE, *self._complete):
                self._namenode.delete(self.folder(entry.name))
        marker = HdfsMarker(run=self._run_id, process=None, parents=self._parents, kept=tuple(self._complete))
        self._namenode.write(self.folder(FILE), marker.content(), overwrite=True)

    def folder(self, name: str) -> str:
        """The path of a folder of that name; programs make their own."""
        return posixpath.join(self.path, name)

    def complete(self, name: str) -> None:
        """A folder's data is whole: it may be kept."""
        self._complete.append(name)

    def has(self, name: str) -> bool:
        """Whether this run made a folder of that name and it is whole."""
        return name in self._complete


def kept_data(namenode: NameNode, work_dir: str, name: str) -> Kept | None:
    """The newest folder of that name that an earlier run kept."""
    kept = [
        Kept(marker.run, posixpath.join(path, name))
        for path, marker in marked_directories(namenode, work_dir)
        if name in marker.kept
    ]
    return max(kept, default=None)


def remove(namenode: NameNode, path: str, parents: tuple[str, ...]) -> None:
    """Remove a run's directory, and what was made above it unless something else is there by now."""
    namenode.delete(path)
    for parent in parents:
        # The marker that names them is a file in HDFS, which others may have written.
        if not path.startswith(f"{parent}/"):
            return
        try:
            namenode.delete(parent, recursive=False)
        except RefusedByDaemon:
            return


def missing_parents(namenode: NameNode, path: str) -> tuple[str, ...]:
    """A directory and those above it that are not there, the innermost first."""
    missing: list[str] = []
    # HDFS removes no directory under a name that ends in a slash.
    path = path.rstrip("/") or "/"
    while path != "/" and namenode.stat(path) is None:
        missing.append(path)
        path = posixpath.dirname(path)
    return tuple(missing)


def existing_parent(namenode: NameNode, path: str) -> str:
    """A directory, or the innermost above it that is there."""
    missing = missing_parents(namenode, path)
    return posixpath.dirname(missing[-1]) if missing else path


def marked_directories(namenode: NameNode, work_dir: str) -> list[tuple[str, HdfsMarker]]:
    """Every run's directory below the work directory that has howdah's marker and its own name in it."""
    try:
        entries = namenode.list(work_dir)
    except RefusedByDaemon as error:
        if error.exception == "FileNotFoundException":
            return []
        raise
    result = []
    for entry in entries:
        path = posixpath.join(work_dir, entry.name)
        marker = _read(namenode, posixpath.join(path, FILE)) if entry.is_directory else None
        if marker is not None and marker.run == entry.name:
            result.append((path, marker))
    return result


def _read(namenode: NameNode, path: str) -> HdfsMarker | None:
    try:
        return read_marker(namenode.read(path))
    except RefusedByDaemon:
        # No such file, or somebody else's.
        return None


def clear_leftovers(target: HadoopTarget, namenode: NameNode, manager: ResourceManager) -> tuple[str, ...]:
    """End the jobs of runs of this machine that were killed, and remove their directories.

    Returns the directories that are left alone, for somebody may still write there: those of runs of
    other machines, of which nobody knows here whether they run, and of jobs that do not end.
    """
    unknown: list[str] = []
    for path, marker in marked_directories(namenode, target.work_dir):
        if marker.process is None:
            continue
        dead = is_dead(marker.process)
        if dead is None:
            unknown.append(path)
        elif dead:
            try:
                kill_applications(target, manager, run_tag(path))
            except ServiceError as error:
                _LOG.info("%s", error)
                unknown.append(path)
                continue
            _LOG.info("removing %s, whose run was killed", path)
            remove(namenode, path, marker.parents)
    return tuple(unknown)
