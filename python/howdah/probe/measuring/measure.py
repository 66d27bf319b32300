"""A host measured: rows and memory, data directories, whole disks, peers, each in its share of the time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from howdah import _native
from howdah.errors import UserError
from howdah.model.host import Host
from howdah.model.measured import DirectoryRates, Measured, NotMeasured, StreamRates
from howdah.model.storage import Disk
from howdah.probe.measuring.disks import (
    check_room,
    depth_of,
    measure_directory,
    measure_streams,
    measure_zones,
)
from howdah.probe.measuring.peers import measure_peer
from howdah.probe.measuring.rows import make_pool, measure_memory, measure_rows
from howdah.probe.measuring.scratch import OutOfTime, Pace, data_dir_of, scratch

_TOUCHING_SHARE = 0.15
_STREAMS_SHARE = 0.5
_ROWS_SHARE = 0.25
_MEMORY_SHARE = 0.05
_BUSY = 0.5


def measure(
    host: Host,
    data_dirs: Sequence[Path],
    *,
    limit_s: float,
    peers: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> Host:
    """The host with what it was measured to do in about a minute, at most ``limit_s`` seconds.

    Files are written below the data directories and removed however it ends; disks are opened for
    reading only. ``peers`` are hosts that listen, to which the network is measured. ``tell`` is told what is
    measured now. Raises UserError for a directory that cannot be used, too little room, a peer that does not
    answer, or disks too slow for any figure within the time.
    """
    if not data_dirs:
        raise UserError("--data-dir", "is empty", "give a directory on each disk to measure")
    check_room(data_dirs)
    load_average = os.getloadavg()[0]
    pace = Pace(limit_s, tell)
    # First, so that a peer that does not answer is told of at once.
    network = tuple(measure_peer(peer, pace) for peer in peers)
    pool = make_pool(host, len(data_dirs) * depth_of(host), pace, limit_s * _TOUCHING_SHARE)
    with contextlib.ExitStack() as stack:
        folders = [stack.enter_context(scratch(data_dir)) for data_dir in data_dirs]
        try:
            directories, together = _streams(pool, host, folders, pace)
        except OutOfTime as error:
            raise UserError(
                "--seconds",
                f"{limit_s:g} s are too few: the disks are slow or busy",
                f"give {2 * limit_s:g}, or measure fewer directories at a time",
            ) from error
    zones, missing = measure_zones(_disks(host, directories), pace)
    tell("memory and rows")
    memory = measure_memory(pool, host, pace, limit_s * _MEMORY_SHARE)
    rows = measure_rows(pool, host, pace, limit_s * _ROWS_SHARE)
    measured = Measured(
        seconds=round(pace.spent_s, 3),
        load_average=round(load_average, 2),
        memory_copy_bytes_per_s=memory,
        rows=rows,
        directories=directories,
        together=together,
        zones=zones,
        peers=network,
        not_measured=(*missing, *_doubts(host, load_average, together)),
    )
    return host.model_copy(update={"measured": measured})


def _streams(
    pool: _native.Pool, host: Host, folders: Sequence[Path], pace: Pace
) -> tuple[tuple[DirectoryRates, ...], StreamRates]:
    """Each directory alone, then all at once where there are several."""
    directories: list[DirectoryRates] = []
    turns = len(folders) + (len(folders) > 1)
    within_s = _STREAMS_SHARE * pace.limit_s / turns
    for folder in folders:
        pace.tell(f"{data_dir_of(folder)} written, read and copied")
        directories.append(measure_directory(pool, folder, host, pace, within_s))
    if len(folders) == 1:
        return tuple(directories), directories[0].rates
    pace.tell("all directories at once")
    return tuple(directories), measure_streams(pool, folders, depth_of(host), pace, within_s)


def _disks(host: Host, directories: Sequence[DirectoryRates]) -> tuple[Disk, ...]:
    below = {name for directory in directories for name in directory.disks}
    return tuple(disk for disk in host.disks if disk.name in below)


def _doubts(host: Host, load_average: float, together: StreamRates) -> list[NotMeasured]:
    doubts = []
    if load_average > _BUSY * host.usable_cpus:
        why = f"other programs were running (load average {load_average:.1f}); measure when they have ended"
        doubts.append(NotMeasured(what="an idle machine", why=why))
    if not together.direct:
        why = "a data directory does not support direct I/O, so its rates include the page cache"
        doubts.append(NotMeasured(what="disks without the page cache", why=why))
    return doubts
