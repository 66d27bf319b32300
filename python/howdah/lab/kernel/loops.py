"""Loop devices: files as block devices."""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from howdah.errors import HowdahError
from howdah.lab import registry
from howdah.lab.kernel import cgroups
from howdah.lab.kernel.tools import run

_DELETED = " (deleted)"
_PATIENCE_S = 1.0

_SYSFS = Path("/sys/block")


class LoopDevice(NamedTuple):
    """A loop device with its file."""

    name: str
    """``loop3``."""
    device: str
    """Its device number, ``7:3``."""
    image: Path
    """Its file, which may have been deleted."""

    @property
    def path(self) -> Path:
        """Its device file."""
        return Path("/dev") / self.name

    @property
    def direct(self) -> bool:
        """Whether it bypasses this machine's page cache, which would serve reads instead of the disk."""
        return (_SYSFS / self.name / "loop/dio").read_text().strip() == "1"


def find(lab: str) -> tuple[LoopDevice, ...]:
    """Return the loop devices of a lab, identified by the names of their files."""
    return tuple(loop for loop in _bound() if loop.image.name.startswith(registry.prefix(lab)))


def attach(lab: str, image: Path) -> LoopDevice:
    """Return the loop device of an image; create it if there is none."""
    for loop in _bound():
        if loop.image == image:
            return loop
    shown = run(lab, "losetup", "--find", "--show", "--direct-io=on", str(image))
    return next(loop for loop in _bound() if loop.path == Path(shown.strip()))


def detach(lab: str, devices: Collection[LoopDevice]) -> None:
    """Detach loop devices and remove their limits; a device in use keeps its file."""
    for loop in devices:
        with suppress(HowdahError):
            cgroups.release(loop.device)
            run(lab, "losetup", "--detach", str(loop.path))
    # Programs such as udev may still inspect a device for a moment.
    end = time.monotonic() + _PATIENCE_S
    while set(devices) & set(find(lab)) and time.monotonic() < end:
        time.sleep(0.02)


def _bound() -> tuple[LoopDevice, ...]:
    result = []
    for path in sorted(_SYSFS.glob("loop*")):
        try:
            image = (path / "loop/backing_file").read_text().rstrip("\n")
            device = (path / "dev").read_text().strip()
        except OSError:
            continue  # It has no file.
        result.append(LoopDevice(path.name, device, Path(image.removesuffix(_DELETED))))
    return tuple(result)
