"""Whether the NameNode's directories are on disks that HDFS fills with blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from howdah.model.found import Found
from howdah.planner.data_mounts import data_dirs
from howdah.planner.facts import Facts
from howdah.planner.reading import ConfigurationReading
from howdah.planner.rule import Inspection, Observation, Rule

_NAMES = "dfs.namenode.name.dir"
_FILE_SYSTEM = "fs.defaultFS"
_ADDRESS = "dfs.namenode.rpc-address"


def _disks(found: Found, folders: Sequence[PurePosixPath]) -> frozenset[PurePosixPath]:
    """Where data disks are mounted: by the host's mounts, or else where the directories' paths part."""
    if found.host is not None:
        mounts = (found.host.mount_of(folder) for folder in folders)
        return frozenset(PurePosixPath(mount.mount) for mount in mounts if mount is not None)
    if len(folders) < 2:
        return frozenset(folders)
    shared = 0
    while len({folder.parts[: shared + 1] for folder in folders}) == 1:
        shared += 1
    return frozenset(PurePosixPath(*folder.parts[: shared + 1]) for folder in folders)


def _on_workers(found: Found) -> bool:
    """Whether a NameNode may run beside a DataNode: not where the workers are listed without it."""
    config = found.config
    workers = {worker.lower() for worker in config.workers} if config is not None else set()
    hosts = {
        entry.text.rpartition("://")[2].partition("/")[0].partition(":")[0].lower()
        for entry in (config.effective if config is not None else ())
        if entry.name == _FILE_SYSTEM or entry.name.startswith(_ADDRESS)
    }
    return not workers or not workers.isdisjoint(hosts)


def _names_apart(found: Found, facts: Facts) -> Iterator[Observation]:
    reading = ConfigurationReading(found)
    folders = [PurePosixPath(path) for path in reading.folders(_NAMES) if path.startswith("/")]
    data = data_dirs(found.config) if found.config is not None else ()
    if not folders or not data or not _on_workers(found):
        return
    disks = _disks(found, data)
    root = PurePosixPath("/")
    below = [
        folder for folder in folders if any(disk != root and folder.is_relative_to(disk) for disk in disks)
    ]
    yield Observation(
        ok=not below,
        about=_NAMES,
        found=", ".join(map(str, below or folders)),
        expected="directories on a disk without blocks: every change of the file system waits until its edit "
        "is on disk, behind the blocks that DataNodes write there, and a full data disk stops the NameNode",
        fix=f"set {_NAMES} to directories on disks of the NameNode's own, such as /var/lib/hadoop/name, and "
        "move what is there while the NameNode is stopped",
        where=reading.where(_NAMES),
    )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="consistency.names-apart",
        says="The NameNode's directories are not on data disks.",
        sources=("howdah",),
        condition="where both have directories and a NameNode may run on a worker",
        inspect=_names_apart,
    ),
)
