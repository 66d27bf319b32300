"""The raw limits of this host, measured just before the workloads: plain blocks, no record touched."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path

from howdah import _native
from howdah.engines.local.work import LocalContext, Watch, device_of, file_rates
from howdah.engines.under_way import PartialResult
from howdah.model.host import Host
from howdah.model.reported import Counters, FileRate
from howdah.model.run import DeviceLimit, Limits
from howdah.model.workloads.dfsio import STORAGE, Storage, zone_rates
from howdah.units import MIB

_TRIAL_BYTES = 64 * MIB
_MOST_BYTES = 1024 * MIB
_WANTED_S = 0.5
_DEPTH = 4

_TIMEOUT_S = 600


def least_room_bytes() -> int:
    """The room that one directory's shortest measurement takes: a file and its copy."""
    return 2 * _TRIAL_BYTES


def measure_limits(context: LocalContext) -> Limits:
    """Measure every data directory alone, then all of them at once, then memory.

    The volume follows from a short trial, so that a slow disk costs seconds and not minutes.
    """
    folders = context.workspace.fresh("limits", scratch=True)
    try:
        raws = [_raw(context, [folder]) for folder in folders]
        together = raws[0] if len(folders) == 1 else _raw(context, folders)
    finally:
        context.workspace.drop("limits")
    if not together.direct:
        context.warn(
            "buffered-limit",
            "a data directory does not support direct I/O, so its raw limits include the page cache",
        )
    threads = math.ceil(context.job.host.usable_cpus)
    volume = together.bytes
    return Limits(
        devices=tuple(_device(context, folder, raw) for folder, raw in zip(folders, raws, strict=True)),
        read_bytes_per_s=volume / together.read_s,
        write_bytes_per_s=volume / together.write_s,
        copy_bytes_per_s=volume / together.copy_s,
        memory_copy_bytes_per_s=_native.memory_copy_bytes_per_s(context.pool, threads),
    )


def _raw(context: LocalContext, folders: list[Path]) -> _native.Raw:
    watch = context.watch("limits")
    scratch = [str(folder / "scratch") for folder in folders]
    trial = watch.follow(_native.raw_limit(context.pool, scratch, _TRIAL_BYTES, _DEPTH))
    slowest_s = max(trial.read_s, trial.write_s, trial.copy_s)
    target_bytes = int(_TRIAL_BYTES * _WANTED_S / slowest_s) // MIB * MIB
    room = min(shutil.disk_usage(folder).free for folder in folders) // (4 * len(folders))
    size = max(min(target_bytes, _MOST_BYTES, room // MIB * MIB), _TRIAL_BYTES)
    return watch.follow(_native.raw_limit(context.pool, scratch, size, _DEPTH))


def _device(context: LocalContext, folder: Path, raw: _native.Raw) -> DeviceLimit:
    return DeviceLimit(
        data_dir=str(folder.parent.parent),
        device=device_of(folder, context.job.host),
        read_bytes_per_s=raw.bytes / raw.read_s,
        write_bytes_per_s=raw.bytes / raw.write_s,
        copy_bytes_per_s=raw.bytes / raw.copy_s,
        tool="howdah",
    )


def raw_limit(folder: Path, file_bytes: int, host: Host) -> DeviceLimit | None:
    """Sequential direct writes and reads of one file in 4 MiB blocks, four in flight.

    None where fio is not installed or fails.
    """
    fio = shutil.which("fio")
    if fio is None:
        return None
    scratch = folder / "fio.scratch"
    try:
        written = _rate(fio, scratch, file_bytes, "write")
        read = _rate(fio, scratch, file_bytes, "read")
    except (subprocess.SubprocessError, ValueError, KeyError, IndexError):
        return None
    finally:
        scratch.unlink(missing_ok=True)
    return DeviceLimit(
        data_dir=str(folder.parent.parent),
        device=device_of(folder, host),
        read_bytes_per_s=read,
        write_bytes_per_s=written,
        copy_bytes_per_s=None,
        tool="fio",
    )


def _rate(fio: str, scratch: Path, size: int, direction: str) -> float:
    command = [
        fio,
        "--name=limit",
        # A colon would separate several file names for fio.
        "--filename=" + str(scratch).replace(":", r"\:"),
        f"--rw={direction}",
        f"--size={size}",
        "--bs=4M",
        "--direct=1",
        "--ioengine=libaio",
        "--iodepth=4",
        "--end_fsync=1",
        "--output-format=json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True)
    return float(json.loads(done.stdout)["jobs"][0][direction]["bw_bytes"])


def storage(context: LocalContext, workload: Storage, watch: Watch) -> PartialResult:
    """Write, then read, the files of each data directory in turn; fio's raw rate if fio is here."""
    rates: list[FileRate] = []
    measured = []
    direct = True
    for folder in context.workspace.fresh(STORAGE, scratch=True):
        names = [str(folder / f"file-{number:05d}") for number in range(workload.files or 1)]
        written = watch.follow(_native.storage_write(context.pool, names, workload.file_bytes or 0))
        read = watch.follow(_native.storage_read(context.pool, names))
        rates += [*file_rates(written, "write"), *file_rates(read, "read")]
        direct = direct and written.direct and read.direct
        raw = raw_limit(folder, workload.file_bytes or 0, context.job.host)
        if raw:
            measured.append(raw)
    return PartialResult(
        counters=Counters(written_bytes=_total(rates, "write"), read_bytes=_total(rates, "read")),
        files=tuple(rates),
        metrics=zone_rates(rates),
        raw_limits=tuple(measured),
        buffered_io=not direct,
    )


def _total(rates: list[FileRate], operation: str) -> int:
    return sum(rate.bytes for rate in rates if rate.operation == operation)
