"""TestDFSIO's files and the estimate of pi, without Hadoop."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Iterable
from datetime import datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from typing import Literal

from howdah import _native
from howdah.engines.base import PartialResult
from howdah.engines.local.work import LocalContext, Watch, device_of, file_rates
from howdah.engines.local.workspace import spread_file_names
from howdah.errors import UserError
from howdah.model.host import Host
from howdah.model.reported import Counters, FileRate
from howdah.model.run import DeviceLimit, Limits
from howdah.model.workloads.dfsio import (
    DFSIO_FOLDER,
    DFSIO_LOG,
    DFSIO_WRITE,
    STORAGE,
    DfsioRead,
    DfsioWrite,
    Storage,
    throughput,
    zone_rates,
)
from howdah.model.workloads.hadoop_programs import Pi, estimate_of_pi
from howdah.units import MIB


def dfsio_write(context: LocalContext, workload: DfsioWrite, watch: Watch) -> PartialResult:
    """Write the files, one map task each."""
    files = spread_file_names(context.workspace.fresh(DFSIO_FOLDER), "test_io_{}", workload.files or 1)
    names = [str(file) for file in files]
    size, slots = workload.file_bytes or 0, context.worker.map_slots
    writing = _native.dfsio_write(context.pool, names, size, slots, context.job.seed)
    return _timed(context, "write", watch, writing)


def dfsio_read(context: LocalContext, workload: DfsioRead, watch: Watch) -> PartialResult:
    """Read back the files that dfsio-write left."""
    names = [str(file) for file in test_files(context.workspace.existing(DFSIO_FOLDER))]
    result = _timed(context, "read", watch, _native.dfsio_read(context.pool, names, context.worker.map_slots))
    sizes = [rate.bytes for rate in result["files"]]
    changed = workload.model_copy(update={"files": len(sizes), "file_bytes": max(sizes, default=0)})
    return {**result, "workload": changed}


def _timed(
    context: LocalContext,
    operation: Literal["write", "read"],
    watch: Watch,
    files: _native.Operation[_native.Files],
) -> PartialResult:
    """The result of writing or reading the files, which also goes to TestDFSIO's log."""
    started_s = context.clock.now_s()
    done = watch.follow(files)
    rates, elapsed_s = file_rates(done, operation), context.clock.now_s() - started_s
    with (context.job.results_dir / DFSIO_LOG).open("a", encoding="utf-8") as log:
        log.write(results_block(operation, rates, elapsed_s, datetime.now().astimezone()))
    total = sum(rate.bytes for rate in rates)
    return PartialResult(
        counters=Counters(written_bytes=total) if operation == "write" else Counters(read_bytes=total),
        files=rates,
        metrics=throughput(rates),
        buffered_io=not done.direct,
    )


def test_files(folders: Iterable[Path]) -> list[Path]:
    """The files of a dfsio-write, in the order of their numbers."""
    files = [file for folder in folders for file in folder.glob("test_io_*")]
    return sorted(files, key=lambda file: int(file.name.rpartition("_")[2]))


def check_ready(folders: Iterable[Path]) -> None:
    """Raise UserError unless a kept dfsio-write left files to read."""
    if not test_files(folders):
        hint = "run `howdah run dfsio-write --keep-data` first, or `howdah run dfsio` for both"
        raise UserError("--data-dir", f"contains no files of {DFSIO_WRITE} to read", hint)


def results_block(test: str, rates: Iterable[FileRate], elapsed_s: float, now: datetime) -> str:
    """The text block that TestDFSIO appends to its log, label by label as Hadoop 3 writes it.

    MB is 2²⁰ bytes; throughput is all MB over the sum of the tasks' I/O seconds; the average and
    the standard deviation are over the files' own rates (TestDFSIO.analyzeResult).
    """
    files = list(rates)
    megabytes = sum(file.bytes for file in files) / MIB
    io_s = sum(file.io_s for file in files)
    speeds = [file.bytes / MIB / file.io_s if file.io_s else 0.0 for file in files]
    mean = sum(speeds) / len(speeds) if speeds else 0.0
    squares = sum(speed * speed for speed in speeds)
    spread = math.sqrt(abs(squares / len(speeds) - mean * mean)) if speeds else 0.0
    figures = [
        ("Date & time", f"{now:%a %b %d %H:%M:%S} {now.tzname()} {now:%Y}"),
        ("Number of files", f"{len(files)}"),
        ("Total MBytes processed", _decimal(megabytes)),
        ("Throughput mb/sec", _decimal(megabytes / io_s if io_s else 0.0)),
        ("Average IO rate mb/sec", _decimal(mean)),
        ("IO rate std deviation", _decimal(spread)),
        ("Test exec time sec", _decimal(elapsed_s)),
    ]
    lines = [f"----- TestDFSIO ----- : {test}", *(f"{label:>24}: {value}" for label, value in figures)]
    return "".join(f"{line}\n" for line in [*lines, ""])


def _decimal(value: float) -> str:
    """A number as Java's ``#.##`` prints it: at most two decimals, none that are zero at the end."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


_SCALE = Decimal(1).scaleb(-20)


def pi(context: LocalContext, workload: Pi, watch: Watch) -> PartialResult:
    """Count points and print the estimate with Hadoop's digits."""
    counted = watch.follow(_native.pi(workload.maps or 1, workload.samples or 1, context.worker.map_slots))
    return PartialResult(
        counters=Counters(input_rows=counted.total),
        metrics=(estimate_of_pi(estimate(counted.inside, counted.total)),),
    )


def estimate(inside: int, total: int) -> str:
    """4 · inside / total with 20 decimals, rounded half up, as QuasiMonteCarlo's BigDecimal does."""
    exact = Context(prec=60, rounding=ROUND_HALF_UP)
    return format(exact.quantize(exact.divide(Decimal(4 * inside), Decimal(total)), _SCALE), "f")


_TRIAL_BYTES = 64 * MIB
LEAST_ROOM_BYTES = 2 * _TRIAL_BYTES  # What a directory's shortest measurement takes: a file and its copy.
_MOST_BYTES = 1024 * MIB
_WANTED_S = 0.5
_DEPTH = 4

_TIMEOUT_S = 600


def measure_limits(context: LocalContext) -> Limits:
    """Measure each data directory, all at once, then memory; a short trial determines the volume."""
    folders = context.workspace.fresh("limits", scratch=True)
    try:
        raws = [_raw(context, [folder]) for folder in folders]
        together = raws[0] if len(folders) == 1 else _raw(context, folders)
    finally:
        context.workspace.drop("limits")
    if not together.direct:
        text = "a data directory does not support direct I/O, so its raw limits include the page cache"
        context.warn("buffered-limit", text)
    host = context.job.host
    memory_copy = _native.memory_copy_bytes_per_s(context.pool, math.ceil(host.usable_cpus))

    def per_s(raw: _native.Raw) -> dict[str, float]:
        times = {"read": raw.read_s, "write": raw.write_s, "copy": raw.copy_s}
        return {f"{operation}_bytes_per_s": raw.bytes / time_s for operation, time_s in times.items()}

    devices = []
    for folder, raw in zip(folders, raws, strict=True):
        place, device = str(folder.parent.parent), device_of(folder, host)
        devices.append(DeviceLimit(data_dir=place, device=device, tool="howdah", **per_s(raw)))
    return Limits(devices=tuple(devices), memory_copy_bytes_per_s=memory_copy, **per_s(together))


def _raw(context: LocalContext, folders: list[Path]) -> _native.Raw:
    watch = context.watch("limits")
    scratch = [str(folder / "scratch") for folder in folders]
    trial = watch.follow(_native.raw_limit(context.pool, scratch, _TRIAL_BYTES, _DEPTH))
    slowest_s = max(trial.read_s, trial.write_s, trial.copy_s)
    target_bytes = int(_TRIAL_BYTES * _WANTED_S / slowest_s) // MIB * MIB
    room = min(shutil.disk_usage(folder).free for folder in folders) // (4 * len(folders))
    size = max(min(target_bytes, _MOST_BYTES, room // MIB * MIB), _TRIAL_BYTES)
    return watch.follow(_native.raw_limit(context.pool, scratch, size, _DEPTH))


def raw_limit(folder: Path, file_bytes: int, host: Host) -> DeviceLimit | None:
    """Direct writes and reads of one file in 4 MiB blocks, four in flight; None without a working fio."""
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
    # A colon would separate several file names for fio.
    name = "--filename=" + str(scratch).replace(":", r"\:")
    how = (
        "--bs=4M",
        "--direct=1",
        "--ioengine=libaio",
        "--iodepth=4",
        "--end_fsync=1",
        "--output-format=json",
    )
    command = [fio, "--name=limit", name, f"--rw={direction}", f"--size={size}", *how]
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
        if raw := raw_limit(folder, workload.file_bytes or 0, context.job.host):
            measured.append(raw)
    moved = {way: sum(rate.bytes for rate in rates if rate.operation == way) for way in ("write", "read")}
    return PartialResult(
        counters=Counters(written_bytes=moved["write"], read_bytes=moved["read"]),
        files=tuple(rates),
        metrics=zone_rates(rates),
        raw_limits=tuple(measured),
        buffered_io=not direct,
    )
