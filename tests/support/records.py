"""Whole synthetic runs, shared by the tests of analysis and of the report.

They are as a 2-core virtual machine might have produced them; every figure is invented.
"""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.reported import Counters, FileRate
from howdah.model.run import Origin, Outcome, RunWarning, ValidationError
from howdah.model.tables import RunData
from howdah.model.workloads.dfsio import throughput, zone_rates
from howdah.model.workloads.hadoop_programs import estimate_of_pi
from howdah.model.workloads.terasort import Codec
from support.building import RunBuilder, Stage, Tasks, kind
from support.machine import GIB, RAW_COPY, RAW_READ, RAW_WRITE, data_dir, raw_limits

CHECKSUM = "4c4b3c1a0f2e9d"


def _limits(run: RunBuilder) -> None:
    """The preparation every run starts with: measuring the raw limits."""
    run.prepare(Stage("touch-memory", 0.6, user=0.1, system=0.6, iowait=0.0, busy=0.0))
    run.prepare(Stage("measure-limits", 1.2, user=0.02, system=0.2, iowait=0.5, read=1.2e9, write=1.2e9))
    run.gauge("process/rss_bytes", 0.9 * run.memory_bytes)
    run.pause(0.3)


def teragen(run: RunBuilder, rows: int, maps: int = 8) -> None:
    """TeraGen at 1.04 × the raw write limit."""
    size = rows * 100
    run.workload(
        kind("teragen", rows, maps=maps),
        [
            Stage(
                "map",
                1.04 * size / RAW_WRITE,
                user=0.42,
                system=0.12,
                iowait=0.25,
                write=1.004 * size,
                busy=0.98,
                tasks=Tasks("map", maps, run.cpus, output_bytes=size, jitter=0.03),
            )
        ],
        Counters(output_rows=rows, written_bytes=size),
        checksum=CHECKSUM,
    )
    run.pause(0.2)


def terasort(
    run: RunBuilder, rows: int, *, maps: int = 8, reduces: int = 8, pole: float = 1.0, skew: float = 1.0
) -> None:
    """TeraSort in memory at about 1.2 × reading and then writing everything."""
    size = rows * 100
    run.workload(
        kind("terasort", rows, maps=maps, reduces=reduces, codec=Codec.NONE),
        [
            Stage(
                "map-shuffle",
                1.2 * size / RAW_READ,
                user=0.46,
                system=0.08,
                iowait=0.3,
                read=size,
                busy=0.96,
                tasks=Tasks("map", maps, run.cpus, input_bytes=size, jitter=0.04),
            ),
            Stage(
                "reduce-merge",
                1.22 * size / RAW_WRITE,
                user=0.36,
                system=0.1,
                iowait=0.35,
                write=1.003 * size,
                busy=0.97,
                tasks=Tasks(
                    "reduce", reduces, run.cpus, output_bytes=size, jitter=0.03, pole=pole, output_skew=skew
                ),
            ),
        ],
        Counters(input_rows=rows, output_rows=rows, read_bytes=size, written_bytes=size),
        in_memory=True,
    )
    run.pause(0.2)


def terasort_spilled(run: RunBuilder, rows: int, codec: Codec = Codec.LZ4, rows_per_row: float = 1.0) -> None:
    """TeraSort out of memory: both phases read and write, the intermediate data compressed."""
    size = rows * 100
    raw = int(size * rows_per_row)
    stored = raw if codec is Codec.NONE else int(raw / 1.45)
    run.workload(
        kind("terasort", rows, maps=16, reduces=8, codec=codec),
        [
            Stage(
                "map-shuffle",
                1.15 * size / RAW_COPY,
                user=0.6,
                system=0.15,
                iowait=0.15,
                read=size,
                write=1.002 * stored,
                tasks=Tasks("map", 16, run.cpus, input_bytes=size, spilled_bytes=stored, jitter=0.05),
            ),
            Stage(
                "reduce-merge",
                1.18 * size / RAW_COPY,
                user=0.55,
                system=0.12,
                iowait=0.2,
                read=stored,
                write=1.002 * size,
                tasks=Tasks("reduce", 8, run.cpus, output_bytes=size, spilled_bytes=stored, jitter=0.03),
            ),
        ],
        Counters(
            input_rows=rows,
            output_rows=rows,
            read_bytes=size,
            written_bytes=size,
            spilled_rows=int(rows * rows_per_row),
            spilled_raw_bytes=raw,
            spilled_bytes=stored,
            spill_read_bytes=stored,
        ),
        in_memory=False,
    )
    run.pause(0.2)


def teravalidate(
    run: RunBuilder, rows: int, checksum: str = CHECKSUM, errors: Sequence[ValidationError] = ()
) -> None:
    """TeraValidate at 0.93 of the raw read limit."""
    size = rows * 100
    run.workload(
        kind("teravalidate", rows),
        [
            Stage(
                "map",
                size / (0.93 * RAW_READ),
                user=0.5,
                system=0.1,
                iowait=0.3,
                read=1.001 * size,
                busy=0.99,
                tasks=Tasks("map", 8, run.cpus, input_bytes=size, jitter=0.02),
            )
        ],
        Counters(input_rows=rows, read_bytes=size),
        checksum=checksum,
        expected_checksum=CHECKSUM,
        validation_errors=tuple(errors),
    )
    run.pause(0.1)


def terasuite(
    rows: int = 100_000_000,
    pole: float = 1.0,
    skew: float = 1.0,
    disks: Sequence[str] = ("vda",),
    origin: Origin = Origin.MEASURED,
) -> RunData:
    """The whole suite in memory, everything in order unless ``pole`` or ``skew`` say otherwise.

    10,000,000 rows give phases so short that some hold hardly two samples.
    """
    run = RunBuilder(wobble=0.2, disks=disks)
    _limits(run)
    teragen(run, rows)
    terasort(run, rows, pole=pole, skew=skew)
    teravalidate(run, rows)
    return run.build(limits=raw_limits(disks), origin=origin)


def spilled(rows: int = 40_000_000, codec: Codec = Codec.LZ4, rows_per_row: float = 1.0) -> RunData:
    """The suite with a sort that does not fit its memory, over two disks."""
    run = RunBuilder(wobble=0.2, disks=("vda", "vdb"), memory_bytes=GIB)
    _limits(run)
    teragen(run, rows)
    terasort_spilled(run, rows, codec, rows_per_row)
    teravalidate(run, rows)
    return run.build(limits=raw_limits(("vda", "vdb")))


def failed() -> RunData:
    """A run that failed in TeraSort's reduce-merge; TeraValidate never started."""
    rows = 50_000_000
    run = RunBuilder(wobble=0.2)
    _limits(run)
    teragen(run, rows)
    run.workload(
        kind("terasort", rows, maps=8, reduces=8, codec=Codec.NONE),
        [
            Stage(
                "map-shuffle",
                1.2 * rows * 100 / RAW_READ,
                user=0.45,
                read=rows * 100,
                tasks=Tasks("map", 8, run.cpus, input_bytes=rows * 100, jitter=0.04),
            ),
        ],
        Counters(input_rows=rows, read_bytes=rows * 100),
        outcome=Outcome.FAILED,
    )
    return run.build(
        outcome=Outcome.FAILED,
        limits=raw_limits(),
        error="/srv/howdah/part-r-00003: no space left on device",
    )


def aborted() -> RunData:
    """A run killed in TeraSort's map-shuffle: no telemetry cost, a workload without an end, few tasks."""
    rows = 50_000_000
    run = RunBuilder(wobble=0.2)
    _limits(run)
    teragen(run, rows)
    started = run.clock_s
    run.workload(
        kind("terasort", rows, maps=8, reduces=8, codec=Codec.NONE),
        [
            Stage(
                "map-shuffle", 1.1, user=0.45, read=2.2e9, tasks=Tasks("map", 3, run.cpus, input_bytes=10**9)
            )
        ],
        outcome=Outcome.ABORTED,
    )
    data = run.build(outcome=Outcome.ABORTED)
    cut_off = data.record.workloads[-1].model_copy(
        update={
            "end_s": started,
            "phases": (),
            "peak_rss_bytes": None,
            "in_memory": None,
            "buffered_io": None,
        }
    )
    record = data.record.model_copy(
        update={
            "workloads": (*data.record.workloads[:-1], cut_off),
            "elapsed_s": 0.0,
            "telemetry": None,
            "limits": raw_limits(),
        }
    )
    return data._replace(record=record)


def simulated() -> RunData:
    """The suite as a simulator would hand it in: the same record, marked simulated."""
    return terasuite(origin=Origin.SIMULATED)


def with_warnings() -> RunData:
    """A run whose record warns: direct I/O refused, no pressure information."""
    run = RunBuilder(wobble=0.2)
    _limits(run)
    rows = 50_000_000
    teragen(run, rows)
    terasort(run, rows)
    teravalidate(run, rows)
    buffered = tuple(result.model_copy(update={"buffered_io": True}) for result in run.results)
    run.results = list(buffered)
    return run.build(
        limits=raw_limits(),
        warnings=[
            RunWarning(code="pressure-missing", text="/proc/pressure is not there: no pressure stall data")
        ],
    )


def dfsio(files: int = 8, file_bytes: int = 1 << 30) -> RunData:
    """TestDFSIO writing and reading; later files are a little slower."""
    run = RunBuilder(suite="dfsio", wobble=0.2)
    _limits(run)
    for name, rate in (("dfsio-write", RAW_WRITE), ("dfsio-read", RAW_READ)):
        size = files * file_bytes
        reading = name == "dfsio-read"
        seconds = 1.08 * size / rate
        rates = [
            FileRate(
                path=f"{data_dir(0, 'vda')}/TestDFSIO/io_data/test_io_{number}",
                bytes=file_bytes,
                io_s=seconds * run.cpus / files * (0.98 + 0.005 * number),
                operation="read" if reading else "write",
            )
            for number in range(files)
        ]
        run.workload(
            kind(name, files=files, file_bytes=file_bytes),
            [
                Stage(
                    "map",
                    seconds,
                    user=0.05,
                    system=0.15,
                    iowait=0.6,
                    read=size if reading else 0,
                    write=0 if reading else 1.002 * size,
                    busy=0.99,
                    tasks=Tasks(
                        "map",
                        files,
                        run.cpus,
                        input_bytes=size if reading else 0,
                        output_bytes=0 if reading else size,
                        jitter=0.02,
                    ),
                )
            ],
            Counters(read_bytes=size if reading else 0, written_bytes=0 if reading else size),
            files=tuple(rates),
            metrics=throughput(rates),
        )
        run.pause(0.2)
    return run.build(limits=raw_limits())


def storage(drop: float = 0.4, files: int = 40) -> RunData:
    """The file-system test on two disks, each ``drop`` slower at its inner end, reading a little faster."""
    disks = ("sda", "sdb")
    run = RunBuilder(suite="storage", disks=disks, wobble=0.1, interval_s=1.0)
    size = 1 << 30
    total = len(disks) * files * size
    rates = []
    stages = []
    for operation, outer in (("write", 190e6), ("read", 192e6)):
        mine = [
            FileRate(
                path=f"{data_dir(number, disk)}/storage/file-{index:05d}",
                bytes=size,
                io_s=size / (outer * (1 - drop * index / (files - 1))),
                operation=operation,
            )
            for number, disk in enumerate(disks)
            for index in range(files)
        ]
        written, read = (total, 0) if operation == "write" else (0, total)
        stages.append(
            Stage(
                operation,
                sum(rate.io_s for rate in mine),
                user=0.01,
                system=0.03,
                iowait=0.5,
                read=read,
                write=written,
                busy=0.5,
                tasks=Tasks("map", len(mine), 1, input_bytes=read, output_bytes=written),
            )
        )
        rates += mine
    run.workload(
        kind("storage", files=files, file_bytes=size),
        stages,
        Counters(read_bytes=total, written_bytes=total),
        files=tuple(rates),
        metrics=zone_rates(rates),
    )
    return run.build()


def pi() -> RunData:
    """Hadoop's pi: CPU only."""
    run = RunBuilder(suite="pi", wobble=0.05)
    run.workload(
        kind("pi", maps=16, samples=10_000_000),
        [Stage("map", 4.0, user=0.98, system=0.01, iowait=0, busy=0, tasks=Tasks("map", 16, 2, jitter=0.02))],
        metrics=(estimate_of_pi("3.14159155000000000000"),),
    )
    return run.build()
