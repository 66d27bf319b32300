"""Sizes for a cluster that runs: what is left out is as large as the plan's workers can do at once.

What a cluster's own configuration decides (block size, replication, compression) is left to it.
"""

from __future__ import annotations

from typing import NamedTuple

from howdah.model.at_once import AtOnce
from howdah.model.plan import Setting
from howdah.model.workload import ROW_BYTES, Suite, Workload, WorkloadKind
from howdah.planner.suite.request import RunRequest
from howdah.planner.suite.settings import Settings
from howdah.planner.suite.suites import kinds_of
from howdah.units import MIB

ENGINE = "hadoop"
SIMULATED = "sim"
_ROWS_PER_GB = 1_000_000_000 // ROW_BYTES
_SLOTS_PER_GB = 4
_TASK_ROWS_LEAST = 100_000
_FILE_BYTES = 256 * MIB
_SAMPLES = 10_000_000
_OPERATIONS = 1_000
_INTERVAL_S = 1.0


class SizedSuite(NamedTuple):
    """A suite with every size decided, and the reasons."""

    suite: Suite
    settings: tuple[Setting, ...]
    sample_interval_s: float


def size_suite(
    request: RunRequest, capacity: AtOnce, *, engine: str = ENGINE, dataset_bytes: int | None = None
) -> SizedSuite:
    """Decide every size of the request's suite; raise UserError for what does not make sense.

    ``dataset_bytes`` is what the cluster was planned to sort, where the engine can be asked for so much.
    """
    kinds = kinds_of(request, engine)
    sizes = _Sizes(request, capacity, simulated=engine == SIMULATED, dataset_bytes=dataset_bytes)
    workloads = tuple(sizes.workload(kind, alone=len(kinds) == 1) for kind in kinds)
    interval_s = sizes.settings.choose(
        "sample interval",
        request.sample_interval_s,
        _INTERVAL_S,
        reason="1 Hz shows every phase at under 1 % of one core",
        source="howdah",
    )
    return SizedSuite(Suite(name=request.suite, workloads=workloads), sizes.settings.all(), interval_s)


class _Sizes:
    def __init__(
        self, request: RunRequest, capacity: AtOnce, *, simulated: bool, dataset_bytes: int | None
    ) -> None:
        self._request = request
        self._capacity = capacity
        self._simulated = simulated
        self._dataset_bytes = dataset_bytes
        self.settings = Settings()
        self._rows: int | None = None
        # Paths in HDFS, to be read as they were written.
        self._inputs = tuple(str(path) for path in request.inputs) or None
        self._files: tuple[int, int] | None = None

    def workload(self, kind: WorkloadKind, *, alone: bool) -> Workload:
        """One workload of the suite; ``alone`` where no earlier one leaves data for it."""
        match kind:
            case WorkloadKind.TERAGEN:
                return self._generate()
            case WorkloadKind.TERASORT:
                return self._sort()
            case WorkloadKind.TERAVALIDATE:
                return Workload(kind=kind, rows=self._rows_read(), inputs=self._inputs)
            case WorkloadKind.DFSIO_WRITE | WorkloadKind.DFSIO_READ:
                return self._files_of(kind, alone=alone)
            case WorkloadKind.PI | WorkloadKind.NNBENCH:
                return self._small(kind)
            case WorkloadKind.STORAGE:
                raise AssertionError("kinds_of refuses it on this engine")

    def _generate(self) -> Workload:
        self._rows = self._choose_rows()
        return Workload(
            kind=WorkloadKind.TERAGEN,
            rows=self._rows,
            maps=self._choose_generators(self._rows),
            block_bytes=self._request.block_bytes,
            replication=self._request.replication,
        )

    def _sort(self) -> Workload:
        # Hadoop makes one map for every block of the input.
        rows = self._rows_read()
        return Workload(
            kind=WorkloadKind.TERASORT,
            rows=rows,
            reduces=self._choose_reduces(),
            codec=self._request.codec,
            block_bytes=self._request.block_bytes,
            replication=self._request.output_replication,
            slowstart=self._request.slowstart,
            inputs=self._inputs,
            partition_samples=self._request.partition_samples,
        )

    def _files_of(self, kind: WorkloadKind, *, alone: bool) -> Workload:
        writes = kind is WorkloadKind.DFSIO_WRITE
        if alone and not writes and not self._simulated:
            # On its own it reads whatever a kept dfsio-write left.
            return Workload(kind=kind)
        files, file_bytes = self._files = self._files or self._choose_files()
        return Workload(
            kind=kind,
            files=files,
            file_bytes=file_bytes,
            block_bytes=self._request.block_bytes if writes else None,
            replication=self._request.replication if writes else None,
        )

    def _small(self, kind: WorkloadKind) -> Workload:
        maps = self._choose_maps(f"{kind} maps")
        if kind is WorkloadKind.PI:
            return Workload(kind=kind, maps=maps, samples=self._choose_samples())
        return Workload(
            kind=kind,
            maps=maps,
            operations=self._choose_operations(),
            replication=self._request.replication,
            block_bytes=self._request.block_bytes,
        )

    def _rows_read(self) -> int | None:
        """The rows of a program that reads; None where they are counted where an earlier run left them."""
        if self._rows is None and self._simulated:
            self._rows = self._choose_rows()
        return self._rows

    def _choose_rows(self) -> int:
        if self._dataset_bytes is not None:
            return self.settings.choose(
                "rows",
                self._request.rows,
                max(1, self._dataset_bytes // ROW_BYTES),
                reason="the dataset that the cluster is planned for",
                source="plan",
            )
        return self.settings.choose(
            "rows",
            self._request.rows,
            _ROWS_PER_GB * max(1, self._capacity.maps // _SLOTS_PER_GB),
            reason=f"1 GB for every four of {self._capacity.maps} map tasks at once, at least 1 GB",
            source="D0 67: start-up costs fade as the dataset grows",
        )

    def _choose_generators(self, rows: int) -> int:
        return self.settings.choose(
            "teragen maps",
            self._request.maps,
            min(self._capacity.maps, most_tasks(rows)),
            reason="one file for every map task the cluster runs at once, all of one size",
            source="D0 64a",
        )

    def _choose_reduces(self) -> int:
        most = self._capacity.reduces if self._rows is None else most_tasks(self._rows)
        return self.settings.choose(
            "terasort reduces",
            self._request.reduces,
            min(self._capacity.reduces, most),
            reason="as many as the cluster runs at once: partitions are balanced, so one wave suffices",
            source="D0 50",
        )

    def _choose_maps(self, key: str) -> int:
        return self.settings.choose(
            key,
            self._request.maps,
            self._capacity.maps,
            reason="as many as the cluster runs at once",
            source="D2 108: as many as there are CPUs",
        )

    def _choose_files(self) -> tuple[int, int]:
        files = self.settings.choose(
            "files",
            self._request.files,
            self._capacity.maps,
            reason="one for every map task the cluster runs at once",
            source="D2 108: heavy-I/O tests are not sensitive to the count",
        )
        file_bytes = self.settings.choose(
            "file size",
            self._request.file_bytes,
            _FILE_BYTES,
            reason="two blocks of the usual size, written in one stream",
            source="D0 49",
        )
        return files, file_bytes

    def _choose_samples(self) -> int:
        return self.settings.choose(
            "pi samples",
            self._request.samples,
            _SAMPLES,
            reason="seconds of pure CPU work for every map",
            source="howdah",
        )

    def _choose_operations(self) -> int:
        return self.settings.choose(
            "nnbench operations",
            self._request.operations,
            _OPERATIONS,
            reason="seconds of calls to the NameNode for every map",
            source="howdah",
        )


def most_tasks(rows: int) -> int:
    """How many tasks so many rows are worth: with fewer rows each they would measure their own start."""
    return max(1, rows // _TASK_ROWS_LEAST)
