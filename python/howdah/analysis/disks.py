"""Which devices carry the data: from data directories over file systems to whole disks."""

from __future__ import annotations

from pathlib import PurePosixPath

from howdah.model.host import FileSystem
from howdah.model.run import RunRecord


def data_dirs(record: RunRecord) -> tuple[str, ...]:
    """The data directories of all workers, each once."""
    return tuple(dict.fromkeys(path for worker in record.plan.workers for path in worker.data_dirs))


def data_disks(record: RunRecord) -> tuple[str, ...]:
    """The disks below the data directories; empty where they lie on none (tmpfs) or nothing tells."""
    disks: dict[str, None] = {}
    mounts = [record.host.mount_of(PurePosixPath(path)) for path in data_dirs(record)]
    for mount in mounts:
        if isinstance(mount, FileSystem):
            below = mount.disks or ((mount.disk,) if mount.disk else ())
            disks.update(dict.fromkeys(below))
    if not any(mounts) and record.limits is not None:
        known = {disk.name for disk in record.host.disks}
        devices = (PurePosixPath(limit.device).name for limit in record.limits.devices)
        disks.update(dict.fromkeys(device for device in devices if device in known))
    return tuple(disks)


def dir_of(dirs: tuple[str, ...], path: str) -> str | None:
    """The data directory that holds a file: the deepest one above it."""
    holding = [name for name in dirs if PurePosixPath(path).is_relative_to(name)]
    return max(holding, key=len, default=None)
