"""NNBench: how many operations on files a NameNode does in a second."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from howdah.model.reported import ResultMetric
from howdah.model.workloads.base import Amount, Workload
from howdah.model.workloads.files import BLOCK_SIZE, MAPS, REPLICATION
from howdah.model.workloads.option import count
from howdah.units import format_counted

NNBENCH: Final = "nnbench"

OPERATIONS: Final = count(
    "operations",
    "Number of files per map of nnbench; number of operations of each YCSB mix.",
    metavar="COUNT",
    engines=("hadoop", "local", "hbase", "sim"),
)


class NNBench(Workload):
    """Creates, opens, renames and deletes empty files."""

    kind: Literal["nnbench"] = NNBENCH
    maps: int | None = None
    """Map tasks."""
    operations: int | None = None
    """Files that each map creates, opens, renames and deletes."""
    block_bytes: int | None = None
    """HDFS block size of its files."""
    replication: int | None = None
    """Replicas of its files."""

    options = (MAPS, OPERATIONS, BLOCK_SIZE, REPLICATION)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.programs.benchmarks:nnbench"}
    sizes: ClassVar = {"hadoop": "howdah.planner.suite.programs:nnbench"}
    not_on: ClassVar = {
        "local": "it measures a NameNode, and this engine has none",
        "sim": "it measures a real NameNode",
    }
    log = "NNBench_results.log"
    primary_metric = "create_write"

    @property
    def asked(self) -> Amount | None:
        return Amount((self.maps or 0) * (self.operations or 0), "file")

    def in_words(self) -> tuple[str, ...]:
        maps = format_counted(self.maps or 0, "map")
        return (f"{maps} × {format_counted(self.operations or 0, 'file')}",)

    def progress_bytes(self) -> int:
        return 0


def operations_per_s(operation: str, per_s: float) -> ResultMetric:
    """How often a NameNode did one kind of operation in a second, as NNBench counts it."""
    return ResultMetric(name=operation, value=per_s, unit="1/s", better="higher", over="all maps together")
