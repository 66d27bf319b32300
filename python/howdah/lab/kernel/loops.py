"""Loop devices: files that Linux takes for disks."""

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
    """A loop device with a file behind it."""

    name: str
    """``loop3``."""
    device: str
    """Its numbers, ``7:3``."""
    image: Path
    """The file behind it, which may have been deleted."""

    @property
    def path(self) -> Path:
        """Its device file."""
        return Path("/dev") / self.name

    @property
    def direct(self) -> bool:
        """Whether it passes by this machine's page cache, which would keep what a disk has to fetch."""
        return (_SYSFS / self.name / "loop/dio").read_text().strip() == "1"


def find(lab: str) -> tuple[LoopDevice, ...]:
    """The loop devices of a laboratory, known by the names of the files behind them."""
    return tuple(loop for loop in _bound() if loop.image.name.startswith(registry.prefix(lab)))


def attach(lab: str, image: Path) -> LoopDevice:
    """A loop device with this image behind it: the one there is, or else a new one."""
    for loop in _bound():
        if loop.image == image:
            return loop
    shown = run(lab, "losetup", "--find", "--show", "--direct-io=on", str(image))
    return next(loop for loop in _bound() if loop.path == Path(shown.strip()))


def detach(lab: str, devices: Collection[LoopDevice]) -> None:
    """Take the files from behind loop devices, and their limits; one that is in use keeps its file."""
    for loop in devices:
        with suppress(HowdahError):
            cgroups.release(loop.device)
            run(lab, "losetup", "--detach", str(loop.path))
    # What just looked at a device, to learn what it is, lets go of it soon.
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
            continue  # Nothing is behind it.
        result.append(LoopDevice(path.name, device, Path(image.removesuffix(_DELETED))))
    return tuple(result)
