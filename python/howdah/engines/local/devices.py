"""Which device a directory lies on."""

from __future__ import annotations

from pathlib import Path

from howdah.model.host import Host
from howdah.model.storage import FileSystem


def device_of(path: Path, host: Host) -> str:
    """The disk (or else the device) below the mount that holds the path; ``unknown`` if unlisted."""
    mount = host.mount_of(path.resolve())
    if mount is None:
        return "unknown"
    return (isinstance(mount, FileSystem) and mount.disk) or mount.device
