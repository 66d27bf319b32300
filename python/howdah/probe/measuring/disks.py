"""What disks can do: files in a scratch folder, small reads, and whole disks from zone to zone.

The scratch folder is locked while a measurement lasts and removed at its end. What a killed measurement left
is removed by the next one; a folder that is not howdah's is refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import mmap
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import TypeVar

from howdah import _native
from howdah.errors import UserError
from howdah.model.host import Disk, FileSystem, Host
from howdah.model.measured import (
    DirectoryRates,
    DiskZones,
    MeasuredFigure,
    NotMeasured,
    StreamRates,
    ZoneRate,
)
from howdah.units import KIB, MIB, format_bytes

_FOLDER = ".howdah-measure"
_LOCK = "lock"

_POLL_S = 0.1
R = TypeVar("R")
T = TypeVar("T")


@contextlib.contextmanager
def scratch(data_dir: Path) -> Iterator[Path]:
    """An empty folder below a data directory; raises UserError if it is in use or has another's files."""
    made = [path for path in (data_dir, *data_dir.parents) if not path.exists()]
    folder = data_dir / _FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _claim(folder)
    except OSError as error:
        _remove_empty(made)
        problem = f"cannot be written to: {error.strerror}"
        raise UserError(f"--data-dir {data_dir}", problem, "give a directory you may write to") from error
    try:
        work = folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        yield work
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        _remove_empty(made)


def data_dir_of(work: Path) -> Path:
    """The data directory of a folder that ``scratch`` gave."""
    return work.parent.parent


def _claim(folder: Path) -> int:
    if any(entry.name not in (_LOCK, "work") for entry in folder.iterdir()):
        problem = f"{folder} contains files that howdah did not create"
        raise UserError(f"--data-dir {folder.parent}", problem, "move them, or give another directory")
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        problem = "is being measured by another howdah process, and both would be slow"
        raise UserError(f"--data-dir {folder.parent}", problem, "wait until it has ended") from error
    return lock


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        # A directory that somebody else put something into meanwhile stays.
        with contextlib.suppress(OSError):
            folder.rmdir()


class OutOfTime(Exception):
    """An operation did not end before the time limit was reached; it was cancelled."""


class Pace:
    """The time that is left, and whoever wants to know what it is spent on."""

    def __init__(self, limit_s: float, report: Callable[[str], None]) -> None:
        self.report = report
        self._start_s = time.monotonic()
        self.limit_s = limit_s

    @property
    def spent_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start_s

    @property
    def left_s(self) -> float:
        """Seconds until the limit; negative beyond it."""
        return self.limit_s - self.spent_s

    def repeated(self, once: Callable[[], T], *, most: int, within_s: float) -> list[T]:
        """What up to ``most`` calls give: one at least, further ones while there is time for one more."""
        end_s = min(within_s, self.left_s) + self.spent_s
        results: list[T] = []
        longest_s = 0.0
        while not results or (len(results) < most and self.spent_s + longest_s <= end_s):
            before_s = self.spent_s
            results.append(once())
            longest_s = max(longest_s, self.spent_s - before_s)
        return results

    def finish(self, operation: _native.Operation[R]) -> R:
        """The operation's result; raises OutOfTime beyond the limit, after it has ended."""
        try:
            while not operation.wait(_POLL_S):
                if self.left_s < 0:
                    raise OutOfTime
        except BaseException:
            operation.cancel()
            while not operation.wait(_POLL_S):
                pass
            raise
        return operation.result()


_FILE_BYTES = 64 * MIB
_PIECE_BYTES = 128 * KIB
_READS = 50
_LEAST_S = 1e-6

TRIAL_BYTES = 64 * MIB
_MOST_BYTES = 4096 * MIB
_WANTED_S = 1.0
_REPEATS = 5
_SMALL_REPEATS = 9
_PLACES = (0.0, 0.25, 0.5, 0.75, 1.0)
_BLOCK_BYTES = 4 * MIB
_LEAST_BYTES = 16 * MIB
_MOST_ZONE_BYTES = 256 * MIB
_WANTED_ZONE_S = 0.25
_FLASH = ("ssd", "nvme")
_ALIGN_BYTES = 4096


def measure_requests(
    pool: _native.Pool, folder: Path, under_way: int, read_bytes_per_s: float, pace: Pace
) -> MeasuredFigure:
    """Seconds beyond the transfer that a read of 128 KiB takes, with so many under way.

    The transfer is that of all the reads under way, at the rate that reading in order has. A file system
    that refuses direct I/O answers from the page cache.
    """
    file = folder / "pieces"
    pace.finish(_native.storage_write(pool, [str(file)], _FILE_BYTES))
    transfer_s = under_way * _PIECE_BYTES / read_bytes_per_s

    def once() -> float:
        with ThreadPoolExecutor(under_way) as readers:
            times = [took_s for some in readers.map(_reads, [file] * under_way) for took_s in some]
        return max(_LEAST_S, median(times) - transfer_s)

    try:
        return MeasuredFigure.of(pace.repeated(once, most=_REPEATS, within_s=1.0))
    finally:
        file.unlink()


def _reads(file: Path) -> list[float]:
    """Seconds that each of some reads took."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    except OSError:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    times = []
    try:
        with mmap.mmap(-1, _PIECE_BYTES) as piece:
            for _ in range(_READS):
                offset = random.randrange(_FILE_BYTES // _PIECE_BYTES) * _PIECE_BYTES
                started_s = time.monotonic()
                os.preadv(handle, [piece], offset)
                times.append(time.monotonic() - started_s)
    finally:
        os.close(handle)
    return times


def check_room(data_dirs: Sequence[Path]) -> None:
    """Raise UserError unless every directory has room for the least that is written."""
    for data_dir in data_dirs:
        if _room_bytes(data_dir) < TRIAL_BYTES:
            free = shutil.disk_usage(_existing(data_dir)).free
            problem = (
                f"has {format_bytes(free)} free; measuring takes at least {format_bytes(4 * TRIAL_BYTES)}"
            )
            raise UserError(f"--data-dir {data_dir}", problem, "free some space, or give another directory")


def measure_streams(
    pool: _native.Pool, folders: Sequence[Path], depth: int, pace: Pace, within_s: float
) -> StreamRates:
    """Rates of all the folders at once, one file in each.

    The volume follows from a short trial, so that a slow disk costs seconds and not minutes. A file is
    never more than a quarter of what its folder has free, as its copy takes as much again.
    """
    files = [str(folder / "stream") for folder in folders]
    trial = pace.finish(_native.raw_limit(pool, files, TRIAL_BYTES, depth * len(files)))
    slowest_s = max(trial.read_s, trial.write_s, trial.copy_s)
    # A repeat is three passes, of which the slowest may take its share of the time.
    wanted_s = min(_WANTED_S, within_s / _REPEATS / 3)
    long_enough = int(TRIAL_BYTES * wanted_s / slowest_s) // MIB * MIB
    size = max(TRIAL_BYTES, min(long_enough, _MOST_BYTES, *(_room_bytes(folder) for folder in folders)))

    def once() -> _native.Raw:
        return pace.finish(_native.raw_limit(pool, files, size, depth * len(files)))

    raws = pace.repeated(once, most=_REPEATS, within_s=within_s)
    return StreamRates(
        read_bytes_per_s=MeasuredFigure.of([raw.bytes / raw.read_s for raw in raws]),
        write_bytes_per_s=MeasuredFigure.of([raw.bytes / raw.write_s for raw in raws]),
        copy_bytes_per_s=MeasuredFigure.of([raw.bytes / raw.copy_s for raw in raws]),
        read_cpu_s_per_byte=MeasuredFigure.of([raw.read_cpu_s / raw.bytes for raw in raws]),
        write_cpu_s_per_byte=MeasuredFigure.of([raw.write_cpu_s / raw.bytes for raw in raws]),
        file_bytes=size,
        direct=all(raw.direct for raw in raws),
    )


def measure_directory(
    pool: _native.Pool, folder: Path, host: Host, pace: Pace, within_s: float
) -> DirectoryRates:
    """What the data directory does alone that the folder lies in."""
    rates = measure_streams(pool, [folder], depth_of(host), pace, within_s)
    mount = host.mount_of(folder.resolve())
    return DirectoryRates(
        data_dir=str(data_dir_of(folder)),
        disks=mount.disks if isinstance(mount, FileSystem) else (),
        rates=rates,
        operation_s=_smallest_write(pool, folder, pace),
        request_s=measure_requests(pool, folder, depth_of(host), rates.read_bytes_per_s.value, pace),
    )


def depth_of(host: Host) -> int:
    """Blocks under way in one directory: as many as the local engine has slots, two for each CPU."""
    return 2 * math.ceil(host.usable_cpus)


def _smallest_write(pool: _native.Pool, folder: Path, pace: Pace) -> MeasuredFigure:
    file = folder / "smallest"

    def once() -> float:
        operation = _native.teragen(pool, [str(file)], 1, 1)
        pace.finish(operation)
        file.unlink()
        return sum(end - start for _, start, end in operation.phases()) / 1e9

    return MeasuredFigure.of(pace.repeated(once, most=_SMALL_REPEATS, within_s=1.0))


def _room_bytes(path: Path) -> int:
    return shutil.disk_usage(_existing(path)).free // 4 // MIB * MIB


def _existing(path: Path) -> Path:
    return next(parent for parent in (path.absolute(), *path.absolute().parents) if parent.exists())


def measure_zones(
    disks: tuple[Disk, ...], pace: Pace, devices: Path = Path("/dev")
) -> tuple[tuple[DiskZones, ...], tuple[NotMeasured, ...]]:
    """The zones of each disk below ``devices``, and why some have none."""
    zones: list[DiskZones] = []
    missing: list[NotMeasured] = []
    for disk in disks:
        figure = f"zones of disk {disk.name}"
        if disk.kind in _FLASH:
            continue
        if pace.left_s < len(_PLACES) * _WANTED_ZONE_S:
            missing.append(NotMeasured(what=figure, why="the time limit was reached"))
            continue
        pace.report(f"{disk.name} from its first zone to its last")
        try:
            rates = _rates(devices / disk.name, disk)
        except OSError as error:
            why = f"{devices / disk.name} cannot be read: {error.strerror}; rates are those of files instead"
            missing.append(NotMeasured(what=figure, why=why))
            continue
        if len(rates) < len(_PLACES):
            empty = len(_PLACES) - len(rates)
            why = f"{empty} of {len(_PLACES)} places are empty, so reading them does not access the disk"
            missing.append(NotMeasured(what=figure, why=why))
        if len(rates) > 1:
            zones.append(DiskZones(disk=disk.name, rates=rates))
    return tuple(zones), tuple(missing)


def _rates(device: Path, disk: Disk) -> tuple[ZoneRate, ...]:
    # Writable disks are never opened for writing here: a slip of the hand would cost a file system.
    handle = os.open(device, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        with mmap.mmap(-1, _BLOCK_BYTES) as block:
            rates = [(place, _rate(handle, block, disk, place)) for place in _PLACES]
    finally:
        os.close(handle)
    return tuple(
        ZoneRate(place=place, bytes_per_s=MeasuredFigure.of([rate]))
        for place, rate in rates
        if rate is not None
    )


def _rate(handle: int, block: mmap.mmap, disk: Disk, place: float) -> float | None:
    """Bytes a second at a place; None where a virtual disk holds nothing there."""
    most = min(_MOST_ZONE_BYTES, disk.size_bytes // len(_PLACES) // _BLOCK_BYTES * _BLOCK_BYTES)
    offset = int((disk.size_bytes - most) * place) // _ALIGN_BYTES * _ALIGN_BYTES
    # The first block pays for moving the head.
    os.preadv(handle, [block], offset)
    empty = not any(block[:])
    done, elapsed_s = 0, 0.0
    started = time.monotonic()
    while done + _BLOCK_BYTES < most and (done < _LEAST_BYTES or elapsed_s < _WANTED_ZONE_S):
        done += os.preadv(handle, [block], offset + _BLOCK_BYTES + done)
        elapsed_s = time.monotonic() - started
    empty = empty and not any(block[:])
    return None if done == 0 or (empty and disk.kind == "virtual") else done / elapsed_s
