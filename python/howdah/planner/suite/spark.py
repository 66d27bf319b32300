"""The sizes of Spark's programs on a cluster: executors that fit workers, partitions that fit data."""

from __future__ import annotations

from typing import Any

from howdah.model.placement import MASTER_MB, Container, counted_rooms, node_rooms
from howdah.model.plan import Plan, value_text
from howdah.model.workloads import spark
from howdah.model.workloads.option import BLOCK_SIZE
from howdah.model.workloads.terasort import INPUT, OUTPUT_REPLICATION, PARTITION_SAMPLES, ROW_BYTES
from howdah.planner.budget import Executor, WorkerRoom, best_executor
from howdah.planner.suite.cluster import ClusterSizes
from howdah.releases.catalogue import spark_size
from howdah.releases.values import read_positive
from howdah.units import MIB

_MASTER_MB = 1536
"""The container of an application master with Spark's default driver, 1 GiB and its overhead."""
_PARTITION_BYTES = 128 * MIB
_WAVES = 2
_WORDS_PER_TASK, _BYTES_PER_WORD = 5_000_000, 7
_ROWS_PER_TASK, _BYTES_PER_FACT = 1_000_000, 90
_POINTS_PER_TASK, _BYTES_PER_POINT = 250_000, 130
_BYTES_PER_SCALE = 360_000_000


def terasort(sizes: ClusterSizes) -> spark.SparkTeraSort:
    """As many partitions as cores, or more if they would be large."""
    rows, request = sizes.rows_read(), sizes.request
    return spark.SparkTeraSort(
        rows=rows,
        api=request.of(spark.API) or spark.SparkApi.RDD,
        **request.fields_of(BLOCK_SIZE, OUTPUT_REPLICATION, INPUT, PARTITION_SAMPLES),
        **application(sizes, None if rows is None else rows * ROW_BYTES),
    )


def wordcount(sizes: ClusterSizes) -> spark.SparkWordCount:
    """A text of tens of megabytes for each task at once."""
    words = sizes.decide("words", spark.WORDS, _WORDS_PER_TASK * sizes.capacity.maps, row="work")
    return spark.SparkWordCount(words=words, **application(sizes, words * _BYTES_PER_WORD))


def join(sizes: ClusterSizes) -> spark.SparkJoin:
    """A third of the rows has the same key, so that one task has the most of the work."""
    rows = sizes.decide("join rows", spark.JOIN_ROWS, _ROWS_PER_TASK * sizes.capacity.maps, row="work")
    keys = sizes.decide("join keys", spark.JOIN_KEYS, max(1, rows // 100))
    skew = sizes.decide("skew", spark.SKEW)
    return spark.SparkJoin(
        join_rows=rows, join_keys=keys, skew=skew, **application(sizes, rows * _BYTES_PER_FACT)
    )


def kmeans(sizes: ClusterSizes) -> spark.SparkKMeans:
    """Points that fit the executors' memory, read again by each iteration."""
    points = sizes.decide("points", spark.POINTS, _POINTS_PER_TASK * sizes.capacity.maps, row="work")
    return spark.SparkKMeans(
        points=points,
        clusters=sizes.decide("clusters", spark.CLUSTERS),
        iterations=sizes.decide("iterations", spark.ITERATIONS),
        **application(sizes, points * _BYTES_PER_POINT),
    )


def tpch(sizes: ClusterSizes) -> spark.SparkTpch:
    """The scale factor whose answers TPC publishes."""
    scale = sizes.decide("scale factor", spark.SCALE)
    return spark.SparkTpch(scale=scale, **application(sizes, round(scale * _BYTES_PER_SCALE)))


def application(sizes: ClusterSizes, data_bytes: int | None) -> dict[str, Any]:
    """The values of the options that every program on Spark has, for so much data."""
    assert sizes.plan is not None
    option_of = sizes.request.of
    planned = _planned(sizes.plan)
    best, memory = _executor(sizes.plan), planned.get("spark.executor.memory")
    source = "howdah" if memory is None else "plan"
    usual = read_positive(planned.get("spark.executor.cores")) or best.cores
    cores = sizes.decide("executor cores", spark.EXECUTOR_CORES, usual, words=source)
    usual = spark_size("spark.executor.memory", memory or "") or best.heap_mb * MIB
    heap = sizes.decide("executor memory", spark.EXECUTOR_MEMORY, usual, words=source)
    usual = read_positive(planned.get("spark.executor.instances")) or _fitting(sizes.plan, cores, heap)
    executors = sizes.decide("executors", spark.EXECUTORS, usual, words=source)
    usual = max(executors * cores * _WAVES, -(-(data_bytes or 0) // _PARTITION_BYTES))
    partitions = sizes.decide("partitions", spark.PARTITIONS, usual)
    return {
        "executors": executors,
        "executor_cores": cores,
        "executor_bytes": heap,
        "partitions": partitions,
        "deploy_mode": option_of(spark.DEPLOY_MODE) or spark.DeployMode.CLIENT,
        "allocation": option_of(spark.ALLOCATION) or spark.ExecutorAllocation.FIXED,
    }


def _fitting(plan: Plan, cores: int, heap_bytes: int) -> int:
    """The executors that workers have room for, next to an application master where it costs most."""
    container = Container(spark.executor_container_bytes(heap_bytes), cores)
    master = Container(_MASTER_MB * MIB)
    kinds = counted_rooms(plan)
    lost = [room.holds(container) - room.without(master).holds(container) for room, _ in kinds]
    return max(1, sum(room.holds(container) * count for room, count in kinds) - max(lost, default=0))


def _executor(plan: Plan) -> Executor:
    """The executor that fits the plan's workers."""
    workers = [
        WorkerRoom(room.memory_bytes // MIB, max(1, room.vcores or 1), count)
        for room, count in node_rooms(plan)
    ]
    return best_executor(workers, max(_MASTER_MB, read_positive(_planned(plan).get(MASTER_MB)) or 0))


def _planned(plan: Plan) -> dict[str, str]:
    return {setting.key: value_text(setting.value).strip() for setting in plan.settings}
