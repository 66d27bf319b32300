"""What files in data directories can do: plain blocks by direct I/O, written, read and copied."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from pathlib import Path

from howdah import _native
from howdah.errors import UserError
from howdah.model.host import Host
from howdah.model.measured import DirectoryRates, Figure, StreamRates
from howdah.model.storage import FileSystem
from howdah.probe.measuring.pace import Pace
from howdah.probe.measuring.requests import measure_requests
from howdah.probe.measuring.scratch import data_dir_of
from howdah.units import MIB, format_bytes

TRIAL_BYTES = 64 * MIB
_MOST_BYTES = 4096 * MIB
_WANTED_S = 1.0
_REPEATS = 5
_SMALL_REPEATS = 9


def check_room(data_dirs: Sequence[Path]) -> None:
    """Raise UserError unless every directory has room for the least that is written."""
    for data_dir in data_dirs:
        if _room_bytes(data_dir) < TRIAL_BYTES:
            free = shutil.disk_usage(_existing(data_dir)).free
            raise UserError(
                f"--data-dir {data_dir}",
                f"has {format_bytes(free)} free; measuring takes at least {format_bytes(4 * TRIAL_BYTES)}",
                "free some space, or give another directory",
            )


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
    wanted = int(TRIAL_BYTES * wanted_s / slowest_s) // MIB * MIB
    size = max(TRIAL_BYTES, min(wanted, _MOST_BYTES, *(_room_bytes(folder) for folder in folders)))

    def once() -> _native.Raw:
        return pace.finish(_native.raw_limit(pool, files, size, depth * len(files)))

    raws = pace.repeated(once, most=_REPEATS, within_s=within_s)
    return StreamRates(
        read_bytes_per_s=Figure.of([raw.bytes / raw.read_s for raw in raws]),
        write_bytes_per_s=Figure.of([raw.bytes / raw.write_s for raw in raws]),
        copy_bytes_per_s=Figure.of([raw.bytes / raw.copy_s for raw in raws]),
        read_cpu_s_per_byte=Figure.of([raw.read_cpu_s / raw.bytes for raw in raws]),
        write_cpu_s_per_byte=Figure.of([raw.write_cpu_s / raw.bytes for raw in raws]),
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


def _smallest_write(pool: _native.Pool, folder: Path, pace: Pace) -> Figure:
    file = folder / "smallest"

    def once() -> float:
        operation = _native.teragen(pool, [str(file)], 1, 1)
        pace.finish(operation)
        file.unlink()
        return sum(end - start for _, start, end in operation.phases()) / 1e9

    return Figure.of(pace.repeated(once, most=_SMALL_REPEATS, within_s=1.0))


def _room_bytes(path: Path) -> int:
    return shutil.disk_usage(_existing(path)).free // 4 // MIB * MIB


def _existing(path: Path) -> Path:
    return next(one for one in (path.absolute(), *path.absolute().parents) if one.exists())
