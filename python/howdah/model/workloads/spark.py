"""Programs on Spark: TeraSort, word count, a skewed join, K-means and the 22 queries of TPC-H."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from howdah.errors import UserError
from howdah.model.base import Size
from howdah.model.workloads.base import Amount, Workload, sized_by
from howdah.model.workloads.option import (
    BLOCK_SIZE,
    MOST_TASKS,
    Option,
    Refusal,
    StudiedAs,
    choice,
    count,
    share,
    unless,
)
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
SPARK_TERASUITE: Final = "spark-terasuite"  # The suite of TeraGen, TeraSort on Spark and TeraValidate.
SPARK_WORDCOUNT: Final = "spark-wordcount"
SPARK_JOIN: Final = "spark-join"
SPARK_KMEANS: Final = "spark-kmeans"
SPARK_TPCH: Final = "spark-tpch"

_ON: Final = ("hadoop",)
_LEAST_HEAP = 450 * MIB  # Spark exits with a smaller heap: one and a half times the 300 MiB that it reserves.
_LEAST_OVERHEAD, _OVERHEAD = 384 * MIB, 0.1  # Outside of a heap (spark.executor.memoryOverheadFactor).


def executor_container_bytes(heap_bytes: int) -> int:
    """The memory that an executor of such a heap requests, with Spark's default overhead."""
    return heap_bytes + max(_LEAST_OVERHEAD, int(heap_bytes * _OVERHEAD))


class SparkApi(StrEnum):
    """What a program is written for: an interface of Spark, or MapReduce."""

    RDD = "rdd"
    DATAFRAME = "dataframe"
    SQL = "sql"
    MAPREDUCE = "mapreduce"  # No Spark at all: Hadoop's own TeraSort on the same rows, to compare Spark with.


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
    problem = f"{format_memory(heap_bytes)} is too small a heap for an executor"
    return Refusal(problem, f"give at least {format_memory(_LEAST_HEAP)}")


API: Final = choice(
    "api", "What sorts the rows: rdd, dataframe or sql of Spark, or Hadoop's mapreduce. Default: rdd.",
    SparkApi, engines=_ON, fact="API",
)  # fmt: skip
DEPLOY_MODE: Final = choice(
    "deploy_mode", "Where Spark's driver runs: with the client, or in the cluster. Default: client.",
    DeployMode, engines=_ON, fact="deploy mode",
)  # fmt: skip
ALLOCATION: Final = choice(
    "allocation", "Number of executors: fixed, or dynamic by shuffle tracking. Default: fixed.",
    ExecutorAllocation, engines=_ON, fact="allocation of executors",
)  # fmt: skip
EXECUTORS: Final = count(
    "executors", "Number of Spark's executors, or the most of them.", most=MOST_TASKS, engines=_ON,
    fact="executors",
)  # fmt: skip
EXECUTOR_CORES: Final = count(
    "executor_cores", "Number of tasks that an executor runs at once.", most=256, engines=_ON,
    fact="cores of an executor",
)  # fmt: skip
EXECUTOR_MEMORY: Final = Option[int](
    "executor_memory", "executor_bytes", "Heap of an executor, such as 2GiB.", "BYTES", parse_bytes,
    StudiedAs("executor_memory", Size), _ON, refuse=_refuse_heap, fact="heap of an executor",
)  # fmt: skip
PARTITIONS: Final = count(
    "partitions", "Number of partitions of Spark's shuffles.", most=MOST_TASKS, engines=_ON, fact="partitions"
)
SPARK: Final = (EXECUTORS, EXECUTOR_CORES, EXECUTOR_MEMORY, PARTITIONS, DEPLOY_MODE, ALLOCATION)
"""The options that every program on Spark has."""


class OnSpark(Workload):
    """A program that runs as an application of Spark on YARN."""

    executors: int | None = None  # Executors; with dynamic allocation the most of them.
    executor_cores: int | None = None  # Tasks that an executor runs at once (spark.executor.cores).
    executor_bytes: int | None = None  # Heap of an executor (spark.executor.memory).
    partitions: int | None = None
    """Partitions of shuffles (spark.sql.shuffle.partitions, spark.default.parallelism)."""
    deploy_mode: DeployMode | None = None  # Where the driver runs (spark.submit.deployMode).
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
    api: SparkApi | None = None  # What sorts.
    inputs: tuple[str, ...] | None = None  # Directory to read instead of the rows of an earlier workload.
    block_bytes: int | None = None  # HDFS block size of the files it writes (dfs.blocksize).
    replication: int | None = None  # Replicas of the files it writes; 1 by default, as of TeraSort.
    partition_samples: int | None = None  # Keys that it samples for its partitions, if the API is rdd.

    options = (API, *SPARK, INPUT, BLOCK_SIZE, OUTPUT_REPLICATION, PARTITION_SAMPLES)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.spark:terasort"}
    sizes: ClassVar = sized_by(hadoop="spark_terasort")
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

    def in_words(self) -> tuple[str, ...]:
        by = "MapReduce" if self.api is SparkApi.MAPREDUCE else self.executors_in_words()
        return tuple(filter(None, (*super().in_words(), by)))


_BYTES_PER_WORD = 7
_BYTES_PER_FACT = 90
_BYTES_PER_POINT = 130
_BYTES_PER_SCALE = 360_000_000  # TPC-H's tables in Parquet, for each unit of the scale factor.
_LEAST_SCALE, _MOST_SCALE = 0.001, 100_000.0
_QUERIES = 22


def _scale(text: str, flag: str) -> float:
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        raise UserError(f"{flag} {text}", "is not a scale factor", "give a number, such as 0.1, 1 or 100")
    return float(text)


WORDS: Final = count("words", "Number of words to count, such as 10M.", metavar="COUNT", engines=_ON)
JOIN_ROWS: Final = count("join_rows", "Number of rows of the larger joined table, such as 10M.",
                         metavar="COUNT", engines=_ON)  # fmt: skip
JOIN_KEYS: Final = count("join_keys", "Number of different keys of the join.", metavar="COUNT", engines=_ON,
                         fact="join keys")  # fmt: skip
SKEW: Final = share("skew", "Fraction of the larger table's rows that have the same key, such as 0.3.",
                    of="the rows", engines=_ON, fact="skew")  # fmt: skip
POINTS: Final = count("points", "Number of points to cluster, such as 1M.", metavar="COUNT", engines=_ON)
CLUSTERS: Final = count("clusters", "Number of clusters to find.", most=10_000, engines=_ON, fact="clusters")
ITERATIONS: Final = count("iterations", "Most iterations of K-means.", most=10_000, engines=_ON,
                          fact="iterations")  # fmt: skip
SCALE: Final = Option[float](
    "scale", "scale", "Scale factor of TPC-H's tables: 1 is 1 GB of text, 0.36 GB of Parquet.", "FACTOR",
    _scale, StudiedAs("scale", Annotated[float, Field(ge=_LEAST_SCALE, le=_MOST_SCALE)]), _ON,
    refuse=unless(lambda scale: _LEAST_SCALE <= scale <= _MOST_SCALE, "scale factor {:g} cannot be run",
                  f"give from {_LEAST_SCALE:g} to {_MOST_SCALE:g}"),
    fact="scale factor",
)  # fmt: skip


class _Checked(OnSpark):
    """A program whose amount of work is counted in something else than bytes."""

    unit = "operations"
    bytes_each: ClassVar[int] = 0  # What it writes for each thing that it counts.

    @property
    def written_bytes(self) -> int:
        return self.asked.number * self.bytes_each if self.asked is not None else 0

    def in_words(self) -> tuple[str, ...]:
        asked = self.asked
        words = format_counted(asked.number, asked.unit) if asked is not None else ""
        return tuple(filter(None, (words, self.executors_in_words())))


class SparkWordCount(_Checked):
    """Writes a text, counts its words, and adds the counts up again."""

    kind: Literal["spark-wordcount"] = SPARK_WORDCOUNT
    words: int | None = None  # Words of the text.

    options = (WORDS, *SPARK)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.spark:wordcount"}
    sizes: ClassVar = sized_by(hadoop="spark_wordcount")
    primary_metric = "count"
    counted = "words", "word"
    bytes_each = _BYTES_PER_WORD


class SparkJoin(_Checked):
    """Joins a table in which one key is frequent with a table of all keys, through a shuffle."""

    kind: Literal["spark-join"] = SPARK_JOIN
    join_rows: int | None = None  # Rows of the larger table.
    join_keys: int | None = None  # Rows of the smaller table, one for each key.
    skew: float | None = None  # Fraction of the larger table's rows that have the same key.

    options = (JOIN_ROWS, JOIN_KEYS, SKEW, *SPARK)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.spark:join"}
    sizes: ClassVar = sized_by(hadoop="spark_join")
    primary_metric = "join"
    counted = "join_rows", "row"
    bytes_each = 2 * _BYTES_PER_FACT


class SparkKMeans(_Checked):
    """Clusters points that lie around known centres."""

    kind: Literal["spark-kmeans"] = SPARK_KMEANS
    points: int | None = None  # Points of 16 dimensions.
    clusters: int | None = None  # Clusters to find, as many as there are centres.
    iterations: int | None = None  # Most iterations.

    options = (POINTS, CLUSTERS, ITERATIONS, *SPARK)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.spark:kmeans"}
    sizes: ClassVar = sized_by(hadoop="spark_kmeans")
    primary_metric = "cluster"
    counted = "points", "point"
    bytes_each = _BYTES_PER_POINT


class SparkTpch(_Checked):
    """Runs TPC-H's 22 queries on Parquet in HDFS, and compares their answers with the reference."""

    kind: Literal["spark-tpch"] = SPARK_TPCH
    scale: float | None = None  # Scale factor of the tables.

    options = (SCALE, *SPARK)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.spark:tpch"}
    sizes: ClassVar = sized_by(hadoop="spark_tpch")
    extras = ("spark",)
    primary_metric = "all queries"

    @property
    def asked(self) -> Amount | None:
        return Amount(_QUERIES, "query run")

    def in_words(self) -> tuple[str, ...]:
        scale = "" if self.scale is None else f"22 queries at scale factor {self.scale:g}"
        return tuple(filter(None, (scale, self.executors_in_words())))

    @property
    def written_bytes(self) -> int:
        return round((self.scale or 0) * _BYTES_PER_SCALE)


EVERY: Final = (SparkTeraSort, SparkWordCount, SparkJoin, SparkKMeans, SparkTpch)
