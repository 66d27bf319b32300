"""A job of the local engine on a measured host, as the simulator takes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from howdah import _native
from howdah.errors import UserError
from howdah.model.host import Host
from howdah.model.job import Job
from howdah.model.measured import DirectoryRates, Figure, Measured, RowCosts, StreamRates
from howdah.model.storage import FileSystem
from howdah.model.workload import Codec, Workload, WorkloadKind
from howdah.simulation.local.scenario import (
    Costs,
    Directory,
    LocalScenario,
    Packing,
    Program,
)
from howdah.simulation.local.sorting import Draw, merge_cost, sort_cost


def median(figure: Figure) -> float:
    """The figure's own value."""
    return figure.value


def translate_local(job: Job, pool_bytes: int, draw: Draw = median) -> LocalScenario:
    """The scenario, where the kernels have a pool of so many bytes.

    Raises UserError for what was not measured, and for programs that are not simulated.
    """
    measured = job.host.measured
    if measured is None:
        raise UserError(
            "--probe",
            f"{job.host.name} was probed and not measured, so that nothing is known of its speed",
            "howdah probe --measure -o FILE on that machine",
        )
    worker = job.plan.workers[0]
    directories = [_directory(job.host, measured, name) for name in worker.data_dirs]
    together = _together(directories, measured)
    return LocalScenario(
        # What others had of the processors while they were measured, they are taken to have in the run.
        cpus=job.host.usable_cpus * min(1.0, draw(measured.rows.cpu_share)),
        directories=tuple(_rates(one.rates, draw) for one in directories),
        together=_rates(together, draw),
        costs=_costs(measured.rows, together, draw),
        operation_s=max(draw(one.operation_s) for one in directories),
        request_s=max(draw(one.request_s) for one in directories),
        pool_bytes=pool_bytes,
        map_slots=max(1, worker.map_slots),
        reduce_slots=max(1, worker.reduce_slots),
        workloads=tuple(
            _program(job, workload, measured, pool_bytes, draw) for workload in job.suite.workloads
        ),
        sample_interval_s=job.sample_interval_s,
    )


def _directory(host: Host, measured: Measured, data_dir: str) -> DirectoryRates:
    """What was measured in the directory itself, else in one on the same disks."""
    for one in measured.directories:
        if one.data_dir == data_dir:
            return one
    mount = host.mount_of(PurePath(data_dir))
    for one in measured.directories:
        if isinstance(mount, FileSystem) and mount.disks and mount.disks == one.disks:
            return one
    names = ", ".join(one.data_dir for one in measured.directories)
    raise UserError(
        f"--data-dir {data_dir}",
        f"lies on no disk that was measured: {names}",
        "give a directory on one of these, or measure again with this one",
    )


def _together(directories: Sequence[DirectoryRates], measured: Measured) -> StreamRates:
    """What the directories do at once: known of one of them, and of all."""
    return directories[0].rates if len(directories) == 1 else measured.together


def _rates(rates: StreamRates, draw: Draw) -> Directory:
    read, write, copy = (
        draw(figure) for figure in (rates.read_bytes_per_s, rates.write_bytes_per_s, rates.copy_bytes_per_s)
    )
    return Directory(
        read_bytes_per_s=read, write_bytes_per_s=write, mixed_share=copy * (1 / read + 1 / write)
    )


def _costs(rows: RowCosts, rates: StreamRates, draw: Draw) -> Costs:
    return Costs(
        generate_s=draw(rows.generate_s_per_byte),
        validate_s=draw(rows.validate_s_per_byte),
        read_s=draw(rates.read_cpu_s_per_byte),
        write_s=draw(rates.write_cpu_s_per_byte),
    )


def _program(job: Job, workload: Workload, measured: Measured, pool_bytes: int, draw: Draw) -> Program:
    match workload.kind:
        case WorkloadKind.TERAGEN:
            return Program(kind="teragen", rows=workload.rows, maps=workload.maps)
        case WorkloadKind.TERASORT:
            worker = job.plan.workers[0]
            slots = max(worker.map_slots, worker.reduce_slots)
            reduces = workload.reduces or 1
            _, in_memory = _native.terasort_needs(workload.rows or 0, reduces, slots)
            # What is spilled is merged out of the pool; what is not, out of as much of it as it needs.
            memory = min(in_memory, pool_bytes)
            return Program(
                kind="terasort",
                rows=workload.rows,
                maps=workload.maps,
                reduces=reduces,
                in_memory_bytes=in_memory,
                sort_s=sort_cost(measured.rows, draw),
                merge_s=merge_cost(measured.rows, memory, draw),
                codec=_packing(workload.codec, measured.rows, draw),
            )
        case WorkloadKind.TERAVALIDATE:
            return Program(kind="teravalidate", rows=workload.rows, files=_files(job))
        case WorkloadKind.DFSIO_WRITE:
            return Program(kind="dfsio-write", files=workload.files, file_bytes=workload.file_bytes)
        case WorkloadKind.DFSIO_READ:
            return Program(kind="dfsio-read", files=workload.files, file_bytes=workload.file_bytes)
        case WorkloadKind.PI | WorkloadKind.STORAGE | WorkloadKind.NNBENCH:
            raise UserError(
                "SUITE", f"{workload.kind} is not simulated on one machine", "give terasuite or dfsio"
            )


def _files(job: Job) -> int:
    """The files that TeraValidate reads: TeraSort's, one for each reduce."""
    return next(one.reduces or 1 for one in job.suite.workloads if one.kind is WorkloadKind.TERASORT)


def _packing(codec: Codec | None, rows: RowCosts, draw: Draw) -> Packing | None:
    if codec is None or codec is Codec.NONE:
        return None
    for one in rows.codecs:
        if one.codec is codec:
            pack_s, unpack_s = draw(one.pack_s_per_byte), draw(one.unpack_s_per_byte)
            return Packing(pack_s=pack_s, unpack_s=unpack_s, ratio=one.ratio)
    raise UserError("--codec", f"{codec} was not measured", "howdah probe --measure measures every codec")
