"""Sizes for one machine without Hadoop: tasks, slots, memory and data directories, and those of programs.

A value the user gave is kept and marked as theirs. Sources are the numbered recommendations and
measurements of the papers (D0 is VMware's vSphere 6 study, D2 its seven-node case study).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from howdah.errors import UserError
from howdah.model.engines import DATA_DIR, LOCAL, MAP_SLOTS, MEMORY, REDUCE_SLOTS, SAMPLE_INTERVAL
from howdah.model.host import Host
from howdah.model.plan import Plan, Worker, WorkerPlan
from howdah.model.run_request import RunRequest
from howdah.model.workloads import terasort as tera
from howdah.model.workloads import ycsb_options
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import FILE_SIZE, FILES, DfsioRead, DfsioWrite, Storage
from howdah.model.workloads.hadoop_programs import OPERATIONS, SAMPLES, Pi
from howdah.model.workloads.option import MAPS
from howdah.model.workloads.suite import Suite, programs
from howdah.model.workloads.ycsb import TableShape, Ycsb, YcsbLoad, YcsbMix, YcsbOwnMix, check_shape
from howdah.model.workloads.ycsb_options import MIX, Distribution, Durability
from howdah.planner.suite.request import Sizes, requested_programs
from howdah.units import GIB, MIB, format_memory

DEFAULT_DATA_DIR = Path("howdah-data")

_ROWS_PER_GB = 10_000_000
_TASK_ROWS_LEAST = 100_000
_SHORT_RUN_ROWS = 100_000_000
_SHORT_INTERVAL_S = 0.1
_MEMORY_STEP = 256 * MIB
_BUFFERS_PER_SLOT = 32 * MIB
_DEFAULT_MEMORY_MOST = 64 * GIB

StoreNeeds = Callable[[int, int], int]
"""(bytes of a table, data directories) -> the memory in which the embedded store has it in its cache."""

SortNeeds = Callable[[int, int, int], tuple[int, int]]
"""(rows, reduces, slots) -> (least memory that sorts, least that sorts without spilling), bytes."""


class LocalPlanner(Sizes):
    """Plans one request on one host.

    ``sort_needs`` returns the memory of a sort; ``input_rows`` is the number of rows that
    already lie ready for a terasort without a teragen, ``table`` what is ready for a mix without a load.
    """

    section = "local"

    def __init__(
        self,
        request: RunRequest,
        host: Host,
        sort_needs: SortNeeds,
        input_rows: int | None = None,
        *,
        table: TableShape | None = None,
        store_needs: StoreNeeds = lambda table_bytes, data_dirs: table_bytes,
    ) -> None:
        super().__init__(request)
        self._host = host
        self._sort_needs = sort_needs
        self._store_needs = store_needs
        self.rows = input_rows
        self.table = table
        self.cpus = math.ceil(host.usable_cpus)
        """Processors that a run may use."""
        self.memory_bytes = host.memory.total_bytes
        self.map_slots = self.reduce_slots = 0
        """Tasks at once."""
        self.alone = False
        """Whether no earlier program of the suite leaves data for a later one."""

    @property
    def most_tasks(self) -> int:
        """Tasks below a hundred thousand rows would measure their own start."""
        return max(1, (self.rows or 0) // _TASK_ROWS_LEAST)

    def plan(self) -> tuple[WorkerPlan, Suite]:
        """Decide everything; raise UserError where the request cannot be met."""
        requested = requested_programs(self.request)
        data_dirs = self._data_dirs()
        self.map_slots = self.decide("map slots", MAP_SLOTS, 2 * self.cpus, cpus=self.cpus)
        if any(program.shuffles for program in requested):
            self.reduce_slots = self.decide("reduce slots", REDUCE_SLOTS, 2 * self.cpus, cpus=self.cpus)
        self.alone = len(requested) == 1
        workloads = tuple(self.sized(program, LOCAL) for program in requested)
        worker = Worker(
            name=self._host.name,
            map_slots=self.map_slots,
            reduce_slots=self.reduce_slots,
            memory_bytes=self._choose_memory(workloads, len(data_dirs)),
            data_dirs=data_dirs,
        )
        rows = (item.rows or 0 for item in workloads if isinstance(item, tera.TeraRows))
        short = all(row <= _SHORT_RUN_ROWS for row in rows)
        usual_s, words = (_SHORT_INTERVAL_S, "short") if short else (1.0, "usual")
        self.decide("sample interval", SAMPLE_INTERVAL, usual_s, words=words)
        plan = WorkerPlan(platform="native", workers=(worker,), settings=self.settings)
        return plan, Suite(name=self.request.suite, workloads=workloads)

    def _data_dirs(self) -> tuple[str, ...]:
        requested = self.request.of(DATA_DIR)
        chosen = requested or (DEFAULT_DATA_DIR,)
        if requested:
            self.note("data directories", tuple(map(str, chosen)), by_user=True)
        else:
            reason = "below the working directory; give --data-dir once for each disk (JBOD)"
            source = "D0 30: one per disk, no striping"
            self.note("data directories", tuple(map(str, chosen)), reason=reason, source=source)
        return tuple(str(path.resolve()) for path in chosen)

    def choose_rows(self) -> int:
        """Rows to generate."""
        rows = _ROWS_PER_GB * max(1, self.cpus // 4)
        fits = max(_ROWS_PER_GB // 100, self.memory_bytes // 8 // tera.ROW_BYTES)
        self.rows = self.decide("rows", tera.ROWS, min(rows, fits), cpus=self.cpus)
        return self.rows

    def _choose_memory(self, workloads: tuple[Workload, ...], data_dirs: int) -> int:
        requested = self.request.of(MEMORY)
        available = self._host.usable_memory_bytes
        if requested is not None and requested > available:
            problem = f"{format_memory(requested)} is more than the {format_memory(available)} available"
            hint = f"give at most {format_memory(available // 2)}, which leaves room for the page cache"
            raise UserError("--memory", problem, hint)
        table = next((item for item in workloads if isinstance(item, Ycsb)), None)
        if table is not None:
            needed = _round_up(self._store_needs((table.records or 0) * table.record_bytes, data_dirs))
            half = available // 2
            words = "table" if needed <= half else "half-table"
            return self.decide("memory", MEMORY, min(needed, half), words=words)
        slots = max(self.map_slots, self.reduce_slots)
        sort = next((item for item in workloads if isinstance(item, tera.TeraSort)), None)
        if sort is None or sort.rows is None or sort.reduces is None:
            buffers = _round_up(slots * _BUFFERS_PER_SLOT + _MEMORY_STEP)
            most = max(_MEMORY_STEP, available // 2)
            return self.decide("memory", MEMORY, min(buffers, most), words="buffers")
        least, in_memory = self._sort_needs(sort.rows, sort.reduces, slots)
        half = min(available // 2, _DEFAULT_MEMORY_MOST)
        fits = _round_up(in_memory) <= half
        usual, words = (_round_up(in_memory), "sort") if fits else (half, "half-sort")
        memory = self.decide("memory", MEMORY, usual, words=words)
        if memory < least:
            problem = f"{format_memory(memory)} is too little to sort {sort.rows:,} rows"
            hint = f"give at least {format_memory(-(-least // MIB) * MIB)}, or sort fewer rows"
            raise UserError("--memory", problem, hint)
        return memory


def sample_interval_s(plan: Plan) -> float:
    """The telemetry interval a plan settled on, seconds."""
    return next(float(str(setting.value)) for setting in plan.settings if setting.key == "sample interval")


def _round_up(size_bytes: int) -> int:
    return -(-size_bytes // _MEMORY_STEP) * _MEMORY_STEP


_RECORDS = 200_000
_FIELDS = 10
_FIELD_BYTES = 100
_MOST = 2
_SCANNED_AT_ONCE = 10
_MEMORY_PARTS = 16


def teragen(sizes: LocalPlanner) -> tera.TeraGen:
    """One file for every map slot."""
    rows = sizes.choose_rows()
    maps = sizes.decide("teragen maps", MAPS, min(sizes.map_slots, sizes.most_tasks))
    return tera.TeraGen(rows=rows, maps=maps)


def terasort(sizes: LocalPlanner) -> tera.TeraSort:
    """Several maps for every slot, and one wave of reduces."""
    maps = sizes.decide("terasort maps", MAPS, min(4 * sizes.map_slots, sizes.most_tasks))
    reduces = sizes.decide("terasort reduces", tera.REDUCES, min(sizes.reduce_slots, sizes.most_tasks))
    requested, none = _word(sizes.request.of(tera.CODEC)), tera.Codec.NONE.value
    codec = tera.Codec(sizes.decide("intermediate compression", requested, none))
    return tera.TeraSort(rows=sizes.rows, maps=maps, reduces=reduces, codec=codec, inputs=_inputs(sizes))


def _word(word: tera.Codec | Durability | Distribution | None) -> str | None:
    return None if word is None else str(word)


def teravalidate(sizes: LocalPlanner) -> tera.TeraValidate:
    """It reads what is there."""
    return tera.TeraValidate(rows=sizes.rows, inputs=_inputs(sizes))


def _inputs(sizes: LocalPlanner) -> tuple[str, ...] | None:
    inputs = sizes.request.of(tera.INPUT)
    return tuple(str(Path(path).absolute()) for path in inputs) if inputs else None


def dfsio_write(sizes: LocalPlanner) -> DfsioWrite:
    """Two files for every map slot."""
    files, file_bytes = _dfsio_files(sizes)
    return DfsioWrite(files=files, file_bytes=file_bytes)


def dfsio_read(sizes: LocalPlanner) -> DfsioRead:
    """On its own it reads whatever a kept dfsio-write left."""
    if sizes.alone:
        return DfsioRead()
    files, file_bytes = _dfsio_files(sizes)
    return DfsioRead(files=files, file_bytes=file_bytes)


def _dfsio_files(sizes: LocalPlanner) -> tuple[int, int]:
    files = sizes.decide("files", FILES, 2 * sizes.map_slots)
    return files, sizes.decide("file size", FILE_SIZE)


def storage(sizes: LocalPlanner) -> Storage:
    """So many files on every data directory."""
    files = sizes.decide("files", FILES, row="storage files")
    return Storage(files=files, file_bytes=sizes.decide("file size", FILE_SIZE))


def pi(sizes: LocalPlanner) -> Pi:
    """Seconds of computing for every map slot."""
    maps = sizes.decide("pi maps", MAPS, sizes.map_slots)
    return Pi(maps=maps, samples=sizes.decide("pi samples", SAMPLES))


def load(sizes: LocalPlanner) -> YcsbLoad:
    """A table that is loaded within seconds."""
    return YcsbLoad(**_record(sizes))


def mix(sizes: LocalPlanner) -> YcsbMix:
    """The current program; alone, it reads the table of a kept load."""
    program = sizes.program
    assert issubclass(program, YcsbMix)
    record, kind = _record(sizes), next(name for name, mix in programs().items() if mix is program)
    scans = program.own_shares.get("scan", 0) > 0
    count = max(1, _MOST * record["records"] // (_SCANNED_AT_ONCE if scans else 1))
    words = "scans" if scans else "usual"
    operations = sizes.decide(f"{kind} operations", OPERATIONS, count, row="operations", words=words)
    requested, usual = _word(sizes.request.of(ycsb_options.DISTRIBUTION)), program.usual.value
    distribution = sizes.decide(f"{kind} distribution", requested, usual, row="distribution")
    warm_up_s = sizes.decide("warm-up", ycsb_options.WARM_UP)
    own = sizes.request.fields_of(MIX) if program is YcsbOwnMix else {}
    own |= {"operations": operations, "distribution": Distribution(distribution), "warm_up_s": warm_up_s}
    return program.model_validate({"kind": kind, **record, **own})


def _record(sizes: LocalPlanner) -> dict[str, Any]:
    """What all of YCSB's programs have; no option makes another table of the one that was kept."""
    most = max(_RECORDS // 100, sizes.memory_bytes // _MEMORY_PARTS // (_FIELDS * _FIELD_BYTES))
    fitting = min(_RECORDS * max(1, sizes.cpus // 4), most)
    shape = sizes.table or TableShape(fitting, _FIELDS, _FIELD_BYTES)
    if sizes.table is not None:
        check_shape(sizes.request.of, shape)
    record: dict[str, Any] = {}
    options = (ycsb_options.RECORDS, ycsb_options.FIELDS, ycsb_options.FIELD_SIZE)
    for option, size in zip(options, shape, strict=True):
        key, record[option.field] = option.name.replace("_", " "), size
        if sizes.table is None:
            record[option.field] = sizes.decide(key, option, size)
        else:
            sizes.note(key, size, reason="of the table that was kept", source="the data directories")
    durability = _word(sizes.request.of(ycsb_options.DURABILITY))
    return record | {
        "threads": sizes.decide("threads", ycsb_options.THREADS, sizes.cpus, cpus=sizes.cpus),
        "target": sizes.request.of(ycsb_options.TARGET),
        "durability": Durability(sizes.decide("durability", durability, Durability.SYNC_WAL.value)),
    }
