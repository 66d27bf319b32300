"""Which devices carry the data: from data directories over file systems to whole disks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from howdah.model.run import RunRecord
from howdah.model.storage import FileSystem


def data_dirs(record: RunRecord) -> tuple[str, ...]:
    """The data directories of all workers, each once."""
    return tuple(dict.fromkeys(path for worker in record.plan.workers for path in worker.data_dirs))


def data_disks(record: RunRecord) -> tuple[str, ...] | None:
    """The disks below the data directories; empty where they lie on none (tmpfs), None if nothing tells."""
    mounts = [record.host.mount_of(PurePosixPath(path)) for path in data_dirs(record)]
    below = [_disks_of(mount) for mount in mounts if isinstance(mount, FileSystem)]
    if any(below) or (any(mounts) and not below):
        return tuple(dict.fromkeys(disk for disks in below for disk in disks))
    known = {disk.name for disk in record.host.disks}
    limits = record.limits.devices if record.limits else ()
    devices = (PurePosixPath(limit.device).name for limit in limits)
    return tuple(dict.fromkeys(device for device in devices if device in known)) or None


def cluster_disks(record: RunRecord, sampled: Iterable[str]) -> tuple[str, ...]:
    """The data disks of a cluster's workers by the names they were sampled under.

    They are those named after a data directory's mount (``/data/01`` is ``01``), else all of them: nothing
    tells what else a worker's device may carry.
    """
    names = tuple(dict.fromkeys(sampled))
    mounts = {PurePosixPath(path).name for path in data_dirs(record)}
    return tuple(name for name in names if name in mounts) or names


def _disks_of(mount: FileSystem) -> tuple[str, ...]:
    return mount.disks or ((mount.disk,) if mount.disk else ())


def dir_of(dirs: tuple[str, ...], path: str) -> str | None:
    """The data directory that holds a file: the deepest one above it."""
    holding = [name for name in dirs if PurePosixPath(path).is_relative_to(name)]
    return max(holding, key=len, default=None)
