"""A whole disk read at places from its first zone to its last.

The device is opened for reading only, past its file systems and the page cache; that takes the right to
read it, which is root's as a rule. Flash has no zones and is left out. Of a virtual disk, places that read
as zeros are left out: nothing was ever written there, so that no disk is read.
"""

from __future__ import annotations

import mmap
import os
import time
from pathlib import Path

from howdah.model.measured import DiskZones, Figure, NotMeasured, ZoneRate
from howdah.model.storage import Disk
from howdah.probe.measuring.pace import Pace
from howdah.units import MIB

_PLACES = (0.0, 0.25, 0.5, 0.75, 1.0)
_BLOCK_BYTES = 4 * MIB
_LEAST_BYTES = 16 * MIB
_MOST_BYTES = 256 * MIB
_WANTED_S = 0.25
_FLASH = ("ssd", "nvme")
_ALIGN_BYTES = 4096


def measure_zones(
    disks: tuple[Disk, ...], pace: Pace, devices: Path = Path("/dev")
) -> tuple[tuple[DiskZones, ...], tuple[NotMeasured, ...]]:
    """The zones of each disk below ``devices``, and why some have none."""
    zones: list[DiskZones] = []
    missing: list[NotMeasured] = []
    for disk in disks:
        what = f"zones of disk {disk.name}"
        if disk.kind in _FLASH:
            continue
        if pace.left_s < len(_PLACES) * _WANTED_S:
            missing.append(NotMeasured(what=what, why="the time was up"))
            continue
        pace.tell(f"{disk.name} from its first zone to its last")
        try:
            rates = _rates(devices / disk.name, disk)
        except OSError as error:
            why = f"{devices / disk.name} cannot be read: {error.strerror}; rates are those of files instead"
            missing.append(NotMeasured(what=what, why=why))
            continue
        if len(rates) < len(_PLACES):
            empty = len(_PLACES) - len(rates)
            why = f"{empty} of {len(_PLACES)} places hold nothing, so that reading them is no disk's work"
            missing.append(NotMeasured(what=what, why=why))
        if len(rates) > 1:
            zones.append(DiskZones(disk=disk.name, rates=rates))
    return tuple(zones), tuple(missing)


def _rates(device: Path, disk: Disk) -> tuple[ZoneRate, ...]:
    # Writable disks are never opened for writing here: a slip of the hand would cost a file system.
    handle = os.open(device, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        with mmap.mmap(-1, _BLOCK_BYTES) as block:
            found = [(place, _rate(handle, block, disk, place)) for place in _PLACES]
    finally:
        os.close(handle)
    return tuple(
        ZoneRate(place=place, bytes_per_s=Figure.of([rate])) for place, rate in found if rate is not None
    )


def _rate(handle: int, block: mmap.mmap, disk: Disk, place: float) -> float | None:
    """Bytes a second at a place; None where a virtual disk holds nothing there."""
    most = min(_MOST_BYTES, disk.size_bytes // len(_PLACES) // _BLOCK_BYTES * _BLOCK_BYTES)
    offset = int((disk.size_bytes - most) * place) // _ALIGN_BYTES * _ALIGN_BYTES
    # The first block pays for moving the head.
    os.preadv(handle, [block], offset)
    empty = not any(block[:])
    done, elapsed_s = 0, 0.0
    started = time.monotonic()
    while done + _BLOCK_BYTES < most and (done < _LEAST_BYTES or elapsed_s < _WANTED_S):
        done += os.preadv(handle, [block], offset + _BLOCK_BYTES + done)
        elapsed_s = time.monotonic() - started
    empty = empty and not any(block[:])
    return None if done == 0 or (empty and disk.kind == "virtual") else done / elapsed_s
