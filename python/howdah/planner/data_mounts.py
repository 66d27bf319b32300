"""Which of a host's file systems hold HDFS's data, and how findings about many of them become one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from howdah.model.found import FoundConfig
from howdah.model.storage import Disk, FileSystem
from howdah.planner.reading import Inspected, Observation, path_list

_SYSTEM = re.compile(r"/((boot|dev|efi|etc|home|nix|opt|proc|root|run|snap|sys|tmp|usr|var)(/.*)?)?")
_NO_DATA = frozenset({"vfat", "iso9660", "squashfs", "udf"})
_REMOTE = ("nfs", "cifs", "smb", "ceph", "gluster", "lustre", "9p")
"""How the kinds of file systems begin that another host holds."""
_DATA_DIRS = "dfs.datanode.data.dir"
_SHOWN = 3


class MountJudgement(NamedTuple):
    """What one question found out about one thing; ``ok`` is None where it cannot be told."""

    name: str
    ok: bool | None
    text: str


def data_dirs(config: FoundConfig) -> tuple[PurePosixPath, ...]:
    """The DataNode's directories; entries that hold a variable are left out, for nobody here resolves it."""
    entry = config.property(_DATA_DIRS)
    paths = path_list(entry.text) if entry else ()
    return tuple(PurePosixPath(path) for path in paths if path.startswith("/") and "${" not in path)


def data_mounts(reading: Inspected) -> tuple[FileSystem, ...]:
    """The file systems that hold data: what the configuration names, else all that are not the system's."""
    host = reading.host
    if host is None:
        return ()
    if reading.config is not None and (dirs := data_dirs(reading.config)):
        mounts = (host.mount_of(path) for path in dirs)
        named = {mount.mount: mount for mount in mounts if isinstance(mount, FileSystem)}
        return tuple(named.values())
    return tuple(
        file_system
        for file_system in host.file_systems
        if not is_system(file_system.mount) and file_system.kind not in _NO_DATA
    )


def data_places(reading: Inspected) -> frozenset[PurePosixPath]:
    """Where data disks are mounted: by the host's mounts, or else where the directories' paths part."""
    folders = data_dirs(reading.config) if reading.config is not None else ()
    if reading.host is not None:
        mounts = (reading.host.mount_of(folder) for folder in folders)
        return frozenset(PurePosixPath(mount.mount) for mount in mounts if mount is not None)
    if len(folders) < 2:
        return frozenset(folders)
    shared = 0
    while len({folder.parts[: shared + 1] for folder in folders}) == 1:
        shared += 1
    return frozenset(PurePosixPath(*folder.parts[: shared + 1]) for folder in folders)


def on_workers(reading: Inspected, hosts: Iterable[str]) -> bool:
    """Whether daemons on these hosts may run beside a DataNode: not where workers are listed without them."""
    workers = {worker.lower() for worker in reading.config.workers} if reading.config is not None else set()
    return not workers or not workers.isdisjoint(hosts)


def below_data(
    reading: Inspected, folders: Iterable[PurePosixPath], hosts: Iterable[str]
) -> tuple[PurePosixPath, ...]:
    """Those of the folders of daemons on these hosts that lie on a disk of blocks."""
    if not on_workers(reading, hosts):
        return ()
    disks = data_places(reading) - {PurePosixPath("/")}
    return tuple(folder for folder in folders if any(folder.is_relative_to(disk) for disk in disks))


def is_remote(reading: Inspected, folder: PurePosixPath) -> bool:
    """Whether the host has the folder from another one, over the network; no where no host is known."""
    mount = reading.host.mount_of(folder) if reading.host is not None else None
    return mount is not None and mount.kind.startswith(_REMOTE)


def is_system(mount: str) -> bool:
    """Whether the operating system lives on this mount."""
    return _SYSTEM.fullmatch(mount) is not None


def data_disks(reading: Inspected) -> tuple[Disk, ...]:
    """The disks below the file systems that hold data."""
    if reading.host is None:
        return ()
    names = {name for mount in data_mounts(reading) for name in mount.disks or (mount.disk,)}
    return tuple(disk for disk in reading.host.disks if disk.name in names)


def group_observations(judged: Iterable[MountJudgement], expected: str, fix: str) -> Iterator[Observation]:
    """One observation for all things of which the same was found."""
    groups: dict[tuple[bool | None, str], list[str]] = {}
    for judgement in judged:
        groups.setdefault((judgement.ok, judgement.text), []).append(judgement.name)
    for (ok, text), names in groups.items():
        missing = f"{expected}; the probe could not read it" if ok is None else expected
        yield Observation(ok, _few(names), text, missing, fix=fix)


def _few(names: list[str]) -> str:
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{names[0]} … {names[-1]} ({len(names)})"
