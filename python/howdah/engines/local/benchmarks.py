"""TestDFSIO's files and the estimate of pi, without Hadoop."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path

from howdah import _native
from howdah.engines.local.work import LocalContext, Watch, file_rates
from howdah.engines.local.workspace import spread_file_names
from howdah.engines.under_way import PartialResult
from howdah.errors import UserError
from howdah.model.reported import Counters, FileRate
from howdah.model.workloads.dfsio import (
    DFSIO_FOLDER,
    DFSIO_LOG,
    DFSIO_WRITE,
    DfsioRead,
    DfsioWrite,
    throughput,
)
from howdah.model.workloads.hadoop_programs import Pi, estimate_of_pi
from howdah.units import MIB


def dfsio_write(context: LocalContext, workload: DfsioWrite, watch: Watch) -> PartialResult:
    """Write the files, one map task each."""
    folders = context.workspace.fresh(DFSIO_FOLDER)
    files = spread_file_names(folders, "test_io_{}", workload.files or 1)
    names = [str(file) for file in files]
    started_s = context.clock.now_s()
    done = watch.follow(
        _native.dfsio_write(
            context.pool, names, workload.file_bytes or 0, context.worker.map_slots, context.job.seed
        )
    )
    rates = file_rates(done, "write")
    _append_log(context.job.results_dir, "write", rates, context.clock.now_s() - started_s)
    total = sum(rate.bytes for rate in rates)
    return PartialResult(
        counters=Counters(written_bytes=total),
        files=rates,
        metrics=throughput(rates),
        buffered_io=not done.direct,
    )


def dfsio_read(context: LocalContext, workload: DfsioRead, watch: Watch) -> PartialResult:
    """Read back the files that dfsio-write left."""
    names = [str(file) for file in test_files(context.workspace.existing(DFSIO_FOLDER))]
    started_s = context.clock.now_s()
    done = watch.follow(_native.dfsio_read(context.pool, names, context.worker.map_slots))
    rates = file_rates(done, "read")
    _append_log(context.job.results_dir, "read", rates, context.clock.now_s() - started_s)
    total = sum(rate.bytes for rate in rates)
    return PartialResult(
        workload=workload.model_copy(
            update={"files": len(rates), "file_bytes": max((rate.bytes for rate in rates), default=0)}
        ),
        counters=Counters(read_bytes=total),
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
        raise UserError(
            "--data-dir",
            f"contains no files of {DFSIO_WRITE} to read",
            "run `howdah run dfsio-write --keep-data` first, or `howdah run dfsio` for both",
        )


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


def _append_log(directory: Path, test: str, rates: tuple[FileRate, ...], elapsed_s: float) -> None:
    with (directory / DFSIO_LOG).open("a", encoding="utf-8") as log:
        log.write(results_block(test, rates, elapsed_s, datetime.now().astimezone()))


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
