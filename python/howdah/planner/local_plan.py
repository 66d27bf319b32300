"""Sizes for one machine without Hadoop: dataset, tasks, slots, memory and data directories.

A value the user gave is kept and marked as theirs. Sources are the numbered recommendations and
measurements of the papers (D0 is VMware's vSphere 6 study, D2 its seven-node case study).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from howdah.errors import UserError
from howdah.model.engines import DATA_DIR, LOCAL, MAP_SLOTS, MEMORY, REDUCE_SLOTS, SAMPLE_INTERVAL
from howdah.model.host import Host
from howdah.model.plan import Plan, Worker, WorkerPlan
from howdah.model.run_request import RunRequest
from howdah.model.workloads.base import Workload
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS, TeraRows, TeraSort
from howdah.model.workloads.ycsb import TableShape, Ycsb
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
        rows = (item.rows or 0 for item in workloads if isinstance(item, TeraRows))
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
        fits = max(_ROWS_PER_GB // 100, self.memory_bytes // 8 // ROW_BYTES)
        self.rows = self.decide("rows", ROWS, min(rows, fits), cpus=self.cpus)
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
        sort = next((item for item in workloads if isinstance(item, TeraSort)), None)
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
