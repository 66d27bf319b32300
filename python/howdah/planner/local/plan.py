"""Sizes for one machine without Hadoop: dataset, tasks, slots, memory and data directories.

A value the user gave is kept and marked as theirs. Sources are the numbered recommendations and
measurements of the papers (D0 is VMware's vSphere 6 study, D2 its seven-node case study).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from howdah.errors import UserError
from howdah.model.host import Host
from howdah.model.plan import Plan, Worker
from howdah.model.workload import ROW_BYTES, Codec, Suite, Workload, WorkloadKind
from howdah.planner.suite.request import RunRequest
from howdah.planner.suite.settings import Settings
from howdah.planner.suite.suites import kinds_of
from howdah.units import GIB, MIB, format_memory

DEFAULT_DATA_DIR = Path("build/data")

_ROWS_PER_GB = 10_000_000
_TASK_ROWS_LEAST = 100_000
_FILE_BYTES = 256 * MIB
_SHORT_RUN_ROWS = 100_000_000
_SHORT_INTERVAL_S = 0.1
_MEMORY_STEP = 256 * MIB
_BUFFERS_PER_SLOT = 32 * MIB
_DEFAULT_MEMORY_MOST = 64 * GIB

SortNeeds = Callable[[int, int, int], tuple[int, int]]
"""(rows, reduces, slots) -> (least memory that sorts, least that sorts without spilling), bytes."""


class LocalPlanner:
    """Plans one request on one host.

    ``sort_needs`` tells how much memory a sort takes; ``input_rows`` is the number of rows that
    already lie ready for a terasort without a teragen.
    """

    def __init__(
        self, request: RunRequest, host: Host, sort_needs: SortNeeds, input_rows: int | None = None
    ) -> None:
        self._request = request
        self._host = host
        self._sort_needs = sort_needs
        self._rows = input_rows
        self._cpus = math.ceil(host.usable_cpus)
        self._settings = Settings()
        self._slots = {"map": 0, "reduce": 0}

    def plan(self) -> tuple[Plan, Suite]:
        """Decide everything; raise UserError where the request cannot be met."""
        kinds = kinds_of(self._request)
        data_dirs = self._data_dirs()
        self._slots["map"] = self._choose_slots("map", self._request.map_slots, "computes")
        if WorkloadKind.TERASORT in kinds:
            self._slots["reduce"] = self._choose_slots("reduce", self._request.reduce_slots, "sorts")
        if WorkloadKind.TERAGEN in kinds:
            self._rows = self._choose_rows()
        workloads = tuple(self._workload(kind) for kind in kinds)
        worker = Worker(
            name=self._host.name,
            map_slots=self._slots["map"],
            reduce_slots=self._slots["reduce"],
            memory_bytes=self._choose_memory(workloads),
            data_dirs=data_dirs,
        )
        self._choose_interval(workloads)
        plan = Plan(platform="native", workers=(worker,), settings=self._settings.all())
        return plan, Suite(name=self._request.suite, workloads=workloads)

    def _data_dirs(self) -> tuple[str, ...]:
        chosen = self._request.data_dirs or (DEFAULT_DATA_DIR,)
        self._settings.note(
            "data directories",
            tuple(str(path) for path in chosen),
            reason="given by the user"
            if self._request.data_dirs
            else "below the working directory; give --data-dir once for each disk (JBOD)",
            source="command line" if self._request.data_dirs else "D0 30: one per disk, no striping",
            by_user=bool(self._request.data_dirs),
        )
        return tuple(str(path.resolve()) for path in chosen)

    def _choose_slots(self, kind: str, given: int | None, works: str) -> int:
        return self._settings.choose(
            f"{kind} slots",
            given,
            2 * self._cpus,
            reason=f"two for each of {self._cpus} CPUs: one {works} while the other waits for the disk",
            source=f"D0 50: at least one {kind} task per core",
        )

    def _choose_rows(self) -> int:
        wanted = _ROWS_PER_GB * max(1, self._cpus // 4)
        fits = max(_ROWS_PER_GB // 100, self._host.memory.total_bytes // 8 // ROW_BYTES)
        return self._settings.choose(
            "rows",
            self._request.rows,
            min(wanted, fits),
            reason=f"1 GB for every four of {self._cpus} CPUs, at least 1 GB, at most an eighth of memory: "
            "seconds for each phase, minutes on a slow disk",
            source="D0 67: start-up costs fade as the dataset grows",
        )

    def _workload(self, kind: WorkloadKind) -> Workload:
        inputs = tuple(str(path.absolute()) for path in self._request.inputs) or None
        match kind:
            case WorkloadKind.TERAGEN:
                return Workload(kind=kind, rows=self._rows, maps=self._choose_generators())
            case WorkloadKind.TERASORT:
                maps, reduces, codec = self._choose_sort_tasks()
                return Workload(
                    kind=kind, rows=self._rows, maps=maps, reduces=reduces, codec=codec, inputs=inputs
                )
            case WorkloadKind.TERAVALIDATE:
                return Workload(kind=kind, rows=self._rows, inputs=inputs)
            case WorkloadKind.PI:
                maps, samples = self._choose_pi()
                return Workload(kind=kind, maps=maps, samples=samples)
            case WorkloadKind.NNBENCH:
                raise AssertionError("kinds_of refuses it on this engine")
            case WorkloadKind.DFSIO_READ if len(kinds_of(self._request)) == 1:
                # On its own it reads whatever a kept dfsio-write left.
                return Workload(kind=kind)
            case WorkloadKind.DFSIO_WRITE | WorkloadKind.DFSIO_READ | WorkloadKind.STORAGE:
                files, file_bytes = self._choose_files(storage=kind is WorkloadKind.STORAGE)
                return Workload(kind=kind, files=files, file_bytes=file_bytes)

    def _choose_generators(self) -> int:
        return self._settings.choose(
            "teragen maps",
            self._request.maps,
            min(self._slots["map"], self._most_tasks()),
            reason="one file for every map slot, all of one size",
            source="D0 64a",
        )

    def _choose_sort_tasks(self) -> tuple[int, int, Codec]:
        maps = self._settings.choose(
            "terasort maps",
            self._request.maps,
            min(4 * self._slots["map"], self._most_tasks()),
            reason="four for every slot, so that one slow task cannot hold up the phase",
            source="D0 65: many blocks per map slot",
        )
        reduces = self._settings.choose(
            "terasort reduces",
            self._request.reduces,
            min(self._slots["reduce"], self._most_tasks()),
            reason="one for every slot: partitions are balanced, so one wave suffices",
            source="D0 50",
        )
        codec = self._settings.choose(
            "intermediate compression",
            self._request.codec.value if self._request.codec else None,
            Codec.NONE.value,
            reason="TeraSort's random keys leave little to gain on a local disk",
            source="D0 51: to be considered for highly compressible data",
        )
        return maps, reduces, Codec(codec)

    def _most_tasks(self) -> int:
        """Tasks below a hundred thousand rows would measure their own start."""
        return max(1, (self._rows or 0) // _TASK_ROWS_LEAST)

    def _choose_pi(self) -> tuple[int, int]:
        maps = self._settings.choose(
            "pi maps",
            self._request.maps,
            self._slots["map"],
            reason="one for every map slot",
            source="D2 108: as many as there are CPUs",
        )
        samples = self._settings.choose(
            "pi samples",
            self._request.samples,
            100_000_000,
            reason="seconds of pure CPU work for every map",
            source="howdah",
        )
        return maps, samples

    def _choose_files(self, *, storage: bool) -> tuple[int, int]:
        files = self._settings.choose(
            "files",
            self._request.files,
            8 if storage else 2 * self._slots["map"],
            reason="for each data directory, written one after another from the first zone free"
            if storage
            else "two for every map slot",
            source="D0 Appendix B" if storage else "D2 108: heavy-I/O tests are not sensitive to the count",
        )
        file_bytes = self._settings.choose(
            "file size",
            self._request.file_bytes,
            _FILE_BYTES,
            reason="one HDFS block, written in one stream",
            source="D0 49",
        )
        return files, file_bytes

    def _choose_memory(self, workloads: tuple[Workload, ...]) -> int:
        given = self._request.memory_bytes
        available = self._host.usable_memory_bytes
        if given is not None and given > available:
            raise UserError(
                "--memory",
                f"{format_memory(given)} is more than the {format_memory(available)} available",
                f"give at most {format_memory(available // 2)}, which leaves room for the page cache",
            )
        slots = max(self._slots.values())
        sort = next((item for item in workloads if item.kind is WorkloadKind.TERASORT), None)
        if sort is None or sort.rows is None or sort.reduces is None:
            return self._settings.choose(
                "memory",
                given,
                min(_round_up(slots * _BUFFERS_PER_SLOT + _MEMORY_STEP), max(_MEMORY_STEP, available // 2)),
                reason="buffers only: this suite keeps no data in memory",
                source="howdah",
            )
        least, in_memory = self._sort_needs(sort.rows, sort.reduces, slots)
        half = min(available // 2, _DEFAULT_MEMORY_MOST)
        fits = _round_up(in_memory) <= half
        memory = self._settings.choose(
            "memory",
            given,
            _round_up(in_memory) if fits else half,
            reason="the whole dataset and its keys fit"
            if fits
            else "half of what is available; the rest of the dataset is spilled",
            source="D0 24, 25: less than half for tasks, the rest for the page cache",
        )
        if memory < least:
            raise UserError(
                "--memory",
                f"{format_memory(memory)} is too little to sort {sort.rows:,} rows",
                f"give at least {format_memory(-(-least // MIB) * MIB)}, or sort fewer rows",
            )
        return memory

    def _choose_interval(self, workloads: tuple[Workload, ...]) -> None:
        short = all((item.rows or 0) <= _SHORT_RUN_ROWS for item in workloads)
        self._settings.choose(
            "sample interval",
            self._request.sample_interval_s,
            _SHORT_INTERVAL_S if short else 1.0,
            reason="phases last about a second: at 1 Hz they would fall between two samples"
            if short
            else "1 Hz shows every phase at under 1 % of one core",
            source="howdah",
        )


def sample_interval_s(plan: Plan) -> float:
    """The telemetry interval a plan settled on, seconds."""
    return next(float(str(setting.value)) for setting in plan.settings if setting.key == "sample interval")


def _round_up(size_bytes: int) -> int:
    return -(-size_bytes // _MEMORY_STEP) * _MEMORY_STEP
