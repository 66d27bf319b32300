"""The sizes of Spark's programs on a cluster: executors that fit workers, partitions that fit data."""

from __future__ import annotations

from typing import Any

from howdah.model.placement import MASTER_MB, Container, counted_rooms, node_rooms
from howdah.model.plan import Plan, value_text
from howdah.model.workloads.option import BLOCK_SIZE
from howdah.model.workloads.spark import (
    ALLOCATION,
    API,
    CLUSTERS,
    DEPLOY_MODE,
    EXECUTOR_CORES,
    EXECUTOR_MEMORY,
    EXECUTORS,
    ITERATIONS,
    JOIN_KEYS,
    JOIN_ROWS,
    PARTITIONS,
    POINTS,
    SCALE,
    SKEW,
    WORDS,
    DeployMode,
    ExecutorAllocation,
    SparkApi,
    SparkJoin,
    SparkKMeans,
    SparkTeraSort,
    SparkTpch,
    SparkWordCount,
    executor_container_bytes,
)
from howdah.model.workloads.terasort import INPUT, OUTPUT_REPLICATION, PARTITION_SAMPLES, ROW_BYTES
from howdah.planner.budget import Executor, WorkerRoom, best_executor
from howdah.planner.suite.cluster import ClusterSizes
from howdah.releases.catalogue import spark_size
from howdah.units import MIB

_MASTER_MB = 1536
"""The container of an application master with Spark's default driver, 1 GiB and its overhead."""
_PARTITION_BYTES = 128 * MIB
_WAVES = 2
_WORDS_PER_TASK, _BYTES_PER_WORD = 5_000_000, 7
_ROWS_PER_TASK, _BYTES_PER_FACT, _SKEW = 1_000_000, 90, 0.3
_POINTS_PER_TASK, _BYTES_PER_POINT = 250_000, 130
_CLUSTERS, _ITERATIONS = 20, 20
_BYTES_PER_SCALE = 360_000_000


def terasort(sizes: ClusterSizes) -> SparkTeraSort:
    """As many partitions as cores, or more if they would be large."""
    rows = sizes.rows_read()
    request = sizes.request
    return SparkTeraSort(
        rows=rows,
        api=request.of(API) or SparkApi.RDD,
        block_bytes=request.of(BLOCK_SIZE),
        replication=request.of(OUTPUT_REPLICATION),
        inputs=request.of(INPUT),
        partition_samples=request.of(PARTITION_SAMPLES),
        **application(sizes, None if rows is None else rows * ROW_BYTES),
    )


def wordcount(sizes: ClusterSizes) -> SparkWordCount:
    """A text of tens of megabytes for each task at once."""
    words = sizes.choose(
        "words", WORDS, _WORDS_PER_TASK * sizes.capacity.maps, "seconds of work for every task at once"
    )
    return SparkWordCount(words=words, **application(sizes, words * _BYTES_PER_WORD))


def join(sizes: ClusterSizes) -> SparkJoin:
    """A third of the rows has the same key, so that one task has the most of the work."""
    rows = sizes.choose(
        "join rows", JOIN_ROWS, _ROWS_PER_TASK * sizes.capacity.maps, "seconds of work for every task at once"
    )
    keys = sizes.choose("join keys", JOIN_KEYS, max(1, rows // 100), "100 rows for a usual key")
    skew = sizes.choose("skew", SKEW, _SKEW, "one partition is many times as large as the others")
    return SparkJoin(join_rows=rows, join_keys=keys, skew=skew, **application(sizes, rows * _BYTES_PER_FACT))


def kmeans(sizes: ClusterSizes) -> SparkKMeans:
    """Points that fit the executors' memory, read again by each iteration."""
    points = sizes.choose(
        "points", POINTS, _POINTS_PER_TASK * sizes.capacity.maps, "seconds of work for every task at once"
    )
    clusters = sizes.choose("clusters", CLUSTERS, _CLUSTERS, "as many as there are centres")
    iterations = sizes.choose(
        "iterations", ITERATIONS, _ITERATIONS, "Spark's default", source="Spark 4.3.0: KMeans"
    )
    return SparkKMeans(
        points=points,
        clusters=clusters,
        iterations=iterations,
        **application(sizes, points * _BYTES_PER_POINT),
    )


def tpch(sizes: ClusterSizes) -> SparkTpch:
    """The scale factor whose answers TPC publishes."""
    scale = sizes.choose("scale factor", SCALE, 1.0, "TPC publishes the answers for it", source="TPC-H")
    return SparkTpch(scale=scale, **application(sizes, round(scale * _BYTES_PER_SCALE)))


def application(sizes: ClusterSizes, data_bytes: int | None) -> dict[str, Any]:
    """The values of the options that every program on Spark has, for so much data."""
    assert sizes.plan is not None
    option_of = sizes.request.of
    planned = _planned(sizes.plan)
    best, source = _executor(sizes.plan)
    cores = sizes.choose(
        "executor cores",
        EXECUTOR_CORES,
        _number(planned.get("spark.executor.cores")) or best.cores,
        "executors of four or five tasks use the memory best",
        source=source,
    )
    heap = sizes.choose(
        "executor memory",
        EXECUTOR_MEMORY,
        spark_size("spark.executor.memory", planned.get("spark.executor.memory", "")) or best.heap_mb * MIB,
        "its heap and overhead fill a worker next to an application master",
        source=source,
    )
    executors = sizes.choose(
        "executors",
        EXECUTORS,
        _number(planned.get("spark.executor.instances")) or _fitting(sizes.plan, cores, heap),
        "as many as fit next to an application master",
        source=source,
    )
    least = executors * cores * _WAVES
    partitions = sizes.choose(
        "partitions",
        PARTITIONS,
        max(least, -(-(data_bytes or 0) // _PARTITION_BYTES)),
        "two for each core, so that slow tasks matter less; at most 128 MiB each",
        source="Spark: tuning",
    )
    return {
        "executors": executors,
        "executor_cores": cores,
        "executor_bytes": heap,
        "partitions": partitions,
        "deploy_mode": option_of(DEPLOY_MODE) or DeployMode.CLIENT,
        "allocation": option_of(ALLOCATION) or ExecutorAllocation.FIXED,
    }


def _fitting(plan: Plan, cores: int, heap_bytes: int) -> int:
    """The executors that workers have room for, next to an application master where it costs most."""
    container = Container(executor_container_bytes(heap_bytes), cores)
    master = Container(_MASTER_MB * MIB)
    kinds = counted_rooms(plan)
    lost = [room.holds(container) - room.without(master).holds(container) for room, _ in kinds]
    return max(1, sum(room.holds(container) * count for room, count in kinds) - max(lost, default=0))


def _executor(plan: Plan) -> tuple[Executor, str]:
    """The executor that fits the plan's workers, and the source of its size."""
    workers = [
        WorkerRoom(room.memory_bytes // MIB, max(1, room.vcores or 1), count)
        for room, count in node_rooms(plan)
    ]
    planned = _planned(plan)
    master_mb = max(_MASTER_MB, _number(planned.get(MASTER_MB)) or 0)
    source = "plan" if "spark.executor.memory" in planned else "howdah"
    return best_executor(workers, master_mb), source


def _planned(plan: Plan) -> dict[str, str]:
    return {setting.key: value_text(setting.value).strip() for setting in plan.settings}


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() and int(text) else None
