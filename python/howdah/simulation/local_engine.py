"""A job of the local engine on a measured host as a scenario, and the simulator's outcome of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath

import numpy as np

from howdah import _native
from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.host import FileSystem, Host
from howdah.model.measured import DirectoryRates, Measured, MeasuredFigure, RowCosts, SortCost, StreamRates
from howdah.model.tables import Job
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import DfsioFiles
from howdah.model.workloads.terasort import Codec, TeraGen, TeraSort, TeraValidate
from howdah.simulation.outcome import Timed
from howdah.simulation.scenario import Costs, Directory, Doubling, LocalProgram, LocalScenario, Packing


class RanPhase(Timed):
    """A phase."""

    name: str


class RanTask(Timed):
    """A task."""

    kind: str  # ``map`` or ``reduce``.
    task: int
    slot: int  # The place of its kind it ran in.
    input_rows: int
    output_rows: int
    input_bytes: int
    output_bytes: int
    spilled_bytes: int  # Bytes of intermediate data it wrote or read back.


class Ran(Timed):
    """A workload."""

    phases: tuple[RanPhase, ...]
    tasks: tuple[RanTask, ...]
    in_memory: bool | None  # Whether a sort needed no intermediate files.
    spilled_bytes: int
    spill_read_bytes: int


class Sampled(Model):
    """Counters since the run's start, those of bytes by directory."""

    time_ns: tuple[int, ...]
    cpu_s: tuple[float, ...]
    read_bytes: tuple[tuple[float, ...], ...]
    written_bytes: tuple[tuple[float, ...], ...]


class LocalOutcome(Model):
    """A simulated run."""

    workloads: tuple[Ran, ...]
    samples: Sampled


Draw = Callable[[MeasuredFigure], float]  # A value of a figure: its median, or another that is possible.


def sort_cost(rows: RowCosts, draw: Draw) -> Doubling:
    """CPU seconds to sort a byte of a window, by the rows in it."""
    costs = [draw(sort.sort_s_per_byte) for sort in rows.sorts]
    return _doubling([sort.window_rows for sort in rows.sorts], costs, min(costs) / 2)


def merge_cost(rows: RowCosts, memory_bytes: float, draw: Draw) -> Doubling:
    """CPU seconds to merge a byte out of sorted lists in so much memory, by their number."""
    costs = [draw(sort.merge_s_per_byte) for sort in rows.sorts]
    grown = _growth_s(rows.sorts, costs)
    moved = [
        cost + grown * float(np.log2(memory_bytes / sort.memory_bytes))
        for cost, sort in zip(costs, rows.sorts, strict=True)
    ]
    return _doubling([sort.windows for sort in rows.sorts], moved, min(costs) / 2)


def _growth_s(sorts: Sequence[SortCost], costs: Sequence[float]) -> float:
    """What each doubling of memory adds to a merge; nothing is known where only one size was measured."""
    terms = np.log2([[sort.windows, sort.memory_bytes] for sort in sorts])
    centred = terms - terms.mean(axis=0)
    slopes = np.linalg.lstsq(centred, np.array(costs) - np.mean(costs), rcond=1e-9)[0]
    return max(0.0, float(slopes[1]))


def _doubling(numbers: Sequence[float], costs: Sequence[float], least_s: float) -> Doubling:
    """The line through the costs over the logarithm of the numbers, given at the least of them."""
    logarithms = np.log2(numbers)
    slope, intercept = np.polyfit(logarithms, costs, 1)
    at = min(numbers)
    line = float(intercept + slope * np.log2(at))
    # Noise may bend a line below zero, where a cost never lies: half of what was measured is the least.
    return Doubling(at=at, cost_s=max(line, least_s), doubling_s=float(slope))


def median(figure: MeasuredFigure) -> float:
    """The figure's own value."""
    return figure.value


def translate_local(job: Job, pool_bytes: int, draw: Draw = median) -> LocalScenario:
    """The scenario, with a pool of so many bytes; UserError for what was not measured or is not simulated."""
    measured = job.host.measured
    if measured is None:
        problem = f"{job.host.name} was probed but not measured, so its speed is unknown"
        raise UserError("--probe", problem, "run howdah probe --measure -o FILE on that machine")
    worker = job.plan.workers[0]
    directories = [_directory(job.host, measured, name) for name in worker.data_dirs]
    # Rates at the same time were measured of one directory, and of all.
    together = directories[0].rates if len(directories) == 1 else measured.together
    return LocalScenario(
        # Other programs are assumed to use as much of the processors as during the measurement.
        cpus=job.host.usable_cpus * min(1.0, draw(measured.rows.cpu_share)),
        directories=tuple(_rates(directory.rates, draw) for directory in directories),
        together=_rates(together, draw),
        costs=Costs(
            generate_s=draw(measured.rows.generate_s_per_byte),
            validate_s=draw(measured.rows.validate_s_per_byte),
            read_s=draw(together.read_cpu_s_per_byte),
            write_s=draw(together.write_cpu_s_per_byte),
        ),
        operation_s=max(draw(directory.operation_s) for directory in directories),
        request_s=max(draw(directory.request_s) for directory in directories),
        pool_bytes=pool_bytes,
        map_slots=max(1, worker.map_slots),
        reduce_slots=max(1, worker.reduce_slots),
        workloads=tuple(_program(job, load, measured, pool_bytes, draw) for load in job.suite.workloads),
        sample_interval_s=job.sample_interval_s,
    )


def _directory(host: Host, measured: Measured, data_dir: str) -> DirectoryRates:
    """What was measured in the directory itself, else in one on the same disks."""
    for directory in measured.directories:
        if directory.data_dir == data_dir:
            return directory
    mount = host.mount_of(PurePath(data_dir))
    for directory in measured.directories:
        if isinstance(mount, FileSystem) and mount.disks and mount.disks == directory.disks:
            return directory
    names = ", ".join(directory.data_dir for directory in measured.directories)
    hint = "give a directory on one of these disks, or measure again with this directory"
    raise UserError(f"--data-dir {data_dir}", f"lies on no disk that was measured: {names}", hint)


def _rates(rates: StreamRates, draw: Draw) -> Directory:
    read, write, copy = map(draw, (rates.read_bytes_per_s, rates.write_bytes_per_s, rates.copy_bytes_per_s))
    mixed_share = copy * (1 / read + 1 / write)
    return Directory(read_bytes_per_s=read, write_bytes_per_s=write, mixed_share=mixed_share)


def _program(job: Job, workload: Workload, measured: Measured, pool_bytes: int, draw: Draw) -> LocalProgram:
    match workload:
        case TeraGen():
            return LocalProgram(kind="teragen", rows=workload.rows, maps=workload.maps)
        case TeraSort():
            worker = job.plan.workers[0]
            slots = max(worker.map_slots, worker.reduce_slots)
            reduces = workload.reduces or 1
            _, in_memory = _native.terasort_needs(workload.rows or 0, reduces, slots)
            # What is spilled is merged out of the pool; what is not, out of as much of it as it needs.
            memory = min(in_memory, pool_bytes)
            return LocalProgram(
                kind="terasort",
                rows=workload.rows,
                maps=workload.maps,
                reduces=reduces,
                in_memory_bytes=in_memory,
                sort_s=sort_cost(measured.rows, draw),
                merge_s=merge_cost(measured.rows, memory, draw),
                codec=_packing(workload.codec, measured.rows, draw),
            )
        case TeraValidate():
            # It reads TeraSort's files, one for each reduce.
            sort = next(sort for sort in job.suite.workloads if isinstance(sort, TeraSort))
            return LocalProgram(kind="teravalidate", rows=workload.rows, files=sort.reduces or 1)
        case DfsioFiles():
            return LocalProgram(kind=workload.kind, files=workload.files, file_bytes=workload.file_bytes)
        case _:
            problem = f"{workload.kind} is not simulated on one machine"
            raise UserError("SUITE", problem, "give terasuite or dfsio")


def _packing(codec: Codec | None, rows: RowCosts, draw: Draw) -> Packing | None:
    if codec is None or codec is Codec.NONE:
        return None
    for measured in rows.codecs:
        if measured.codec is codec:
            pack_s, unpack_s = draw(measured.pack_s_per_byte), draw(measured.unpack_s_per_byte)
            return Packing(pack_s=pack_s, unpack_s=unpack_s, ratio=measured.ratio)
    raise UserError("--codec", f"{codec} was not measured", "howdah probe --measure measures every codec")
