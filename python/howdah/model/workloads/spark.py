"""Programs on Spark: TeraSort, word count, a skewed join, K-means and the 22 queries of TPC-H."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final, Literal

from howdah.model.counters import Counters
from howdah.model.quantity import Size
from howdah.model.workloads.base import Moved, Workload
from howdah.model.workloads.files import BLOCK_SIZE
from howdah.model.workloads.option import MOST_TASKS, Option, Refusal, StudiedAs, choice, count
from howdah.model.workloads.terasort import (
    INPUT,
    OUTPUT_REPLICATION,
    PARTITION_SAMPLES,
    TERAGEN,
    TERASORT,
    TeraRows,
)
from howdah.units import MIB, format_counted, format_memory, parse_bytes

SPARK_TERASORT: Final = "spark-terasort"
SPARK_TERASUITE: Final = "spark-terasuite"
"""The suite of TeraGen, TeraSort on Spark and TeraValidate."""

_ON: Final = ("hadoop",)
_LEAST_HEAP = 450 * MIB
"""Spark exits with a smaller heap: one and a half times the 300 MiB that it reserves."""
_LEAST_OVERHEAD, _OVERHEAD = 384 * MIB, 0.1
"""What an executor has outside of its heap by default (spark.executor.memoryOverheadFactor)."""


def executor_container_bytes(heap_bytes: int) -> int:
    """The memory that an executor of such a heap requests, with Spark's default overhead."""
    return heap_bytes + max(_LEAST_OVERHEAD, int(heap_bytes * _OVERHEAD))


class SparkApi(StrEnum):
    """What a program is written for: an interface of Spark, or MapReduce."""

    RDD = "rdd"
    DATAFRAME = "dataframe"
    SQL = "sql"
    MAPREDUCE = "mapreduce"
    """No Spark at all: Hadoop's own TeraSort on the same rows, to compare Spark with."""


class DeployMode(StrEnum):
    """Where the driver runs: in the client's process, or in a container of the cluster."""

    CLIENT = "client"
    CLUSTER = "cluster"


class ExecutorAllocation(StrEnum):
    """Whether the number of executors is fixed, or follows the number of waiting tasks."""

    FIXED = "fixed"
    DYNAMIC = "dynamic"


def _refuse_heap(heap_bytes: int, engine: str) -> Refusal | None:
    if heap_bytes >= _LEAST_HEAP:
        return None
    return Refusal(
        f"{format_memory(heap_bytes)} is too small a heap for an executor",
        f"give at least {format_memory(_LEAST_HEAP)}",
    )


API: Final = choice(
    "api",
    "What sorts the rows: rdd, dataframe or sql of Spark, or Hadoop's mapreduce. Default: rdd.",
    SparkApi,
    engines=_ON,
    fact="API",
)
DEPLOY_MODE: Final = choice(
    "deploy_mode",
    "Where Spark's driver runs: with the client, or in the cluster. Default: client.",
    DeployMode,
    engines=_ON,
    fact="deploy mode",
)
ALLOCATION: Final = choice(
    "allocation",
    "Number of executors: fixed, or dynamic by shuffle tracking. Default: fixed.",
    ExecutorAllocation,
    engines=_ON,
    fact="allocation of executors",
)
EXECUTORS: Final = count(
    "executors", "Number of Spark's executors, or the most of them.", most=MOST_TASKS, engines=_ON,
    fact="executors",
)  # fmt: skip
EXECUTOR_CORES: Final = count(
    "executor_cores", "Number of tasks that an executor runs at once.", most=256, engines=_ON,
    fact="cores of an executor",
)  # fmt: skip
EXECUTOR_MEMORY: Final = Option[int](
    name="executor_memory",
    field="executor_bytes",
    help="Heap of an executor, such as 2GiB.",
    metavar="BYTES",
    parse=parse_bytes,
    studied=StudiedAs("executor_memory", Size),
    engines=_ON,
    refuse=_refuse_heap,
    fact="heap of an executor",
)
PARTITIONS: Final = count(
    "partitions", "Number of partitions of Spark's shuffles.", most=MOST_TASKS, engines=_ON, fact="partitions"
)
SPARK: Final = (EXECUTORS, EXECUTOR_CORES, EXECUTOR_MEMORY, PARTITIONS, DEPLOY_MODE, ALLOCATION)
"""The options that every program on Spark has."""


class OnSpark(Workload):
    """A program that runs as an application of Spark on YARN."""

    executors: int | None = None
    """Executors; with dynamic allocation the most of them."""
    executor_cores: int | None = None
    """Tasks that an executor runs at once (spark.executor.cores)."""
    executor_bytes: int | None = None
    """Heap of an executor (spark.executor.memory)."""
    partitions: int | None = None
    """Partitions of shuffles (spark.sql.shuffle.partitions, spark.default.parallelism)."""
    deploy_mode: DeployMode | None = None
    """Where the driver runs (spark.submit.deployMode)."""
    allocation: ExecutorAllocation | None = None
    """Whether executors are allocated dynamically (spark.dynamicAllocation.enabled)."""

    not_on: ClassVar = dict.fromkeys(("local", "sim"), "Spark's programs run on a cluster: --engine hadoop")
    # What is shown until the driver reports its stages.
    map_phases = ("start", "start")
    reported_phases: ClassVar[tuple[str, ...] | None] = ("start", "stages")

    def executors_in_words(self) -> str:
        """The executors, ``4 executors of 2 cores and 1 GiB``; empty while they are undecided."""
        if self.executors is None or self.executor_cores is None or self.executor_bytes is None:
            return ""
        return (
            f"{format_counted(self.executors, 'executor')} of {format_counted(self.executor_cores, 'core')} "
            f"and {format_memory(self.executor_bytes)}"
        )


class SparkTeraSort(OnSpark, TeraRows):
    """Sorts TeraGen's rows by their keys, as TeraSort does; TeraValidate checks them."""

    kind: Literal["spark-terasort"] = SPARK_TERASORT
    api: SparkApi | None = None
    """What sorts."""
    inputs: tuple[str, ...] | None = None
    """Directory to read instead of the rows of an earlier workload."""
    block_bytes: int | None = None
    """HDFS block size of the files it writes (dfs.blocksize)."""
    replication: int | None = None
    """Replicas of the files it writes; 1 by default, as of TeraSort."""
    partition_samples: int | None = None
    """Keys that it samples for its partitions, if the API is rdd."""

    options = (API, *SPARK, INPUT, BLOCK_SIZE, OUTPUT_REPLICATION, PARTITION_SAMPLES)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.programs.spark:terasort"}
    sizes: ClassVar = {"hadoop": "howdah.planner.suite.spark:terasort"}
    reads = TERAGEN
    floor = TERASORT
    # TeraValidate reads the same folder, whichever program sorted the rows.
    folder = TERASORT
    replication_key = "mapreduce.terasort.output.replication"
    # Those of MapReduce; Spark's phases are its stages.
    map_phases = ("map-shuffle", "reduce-merge")
    reported_phases = (*map_phases, "stages")
    rated_over = "rows sorted, each read once and written once"
    importance = 2

    @property
    def is_shuffled(self) -> bool:
        return self.api is SparkApi.MAPREDUCE

    @property
    def written_bytes(self) -> int:
        return self.progress_bytes()

    def in_words(self) -> tuple[str, ...]:
        by = "MapReduce" if self.api is SparkApi.MAPREDUCE else self.executors_in_words()
        return tuple(filter(None, (*super().in_words(), by)))

    def moved(self, done: Counters) -> Moved | None:
        size_bytes = self.data_bytes(done)
        return None if size_bytes is None else Moved(size_bytes, size_bytes)


EVERY: Final = (SparkTeraSort,)
