"""The sizes of every program on a cluster, real or simulated: what the user left open is decided here."""

from __future__ import annotations

import math
from typing import Any

from howdah.errors import UserError
from howdah.model.placement import MASTER_MB, Container, counted_rooms, node_rooms
from howdah.model.plan import Plan, value_text
from howdah.model.workloads import hadoop_programs, spark, ycsb_options
from howdah.model.workloads import terasort as tera
from howdah.model.workloads.dfsio import DfsioRead, DfsioWrite
from howdah.model.workloads.hadoop_programs import OPERATIONS, Network, NNBench, Pi, Redundancy, UserCommand
from howdah.model.workloads.option import BLOCK_SIZE, ERASURE_CODING, MAPS, REPLICATION
from howdah.model.workloads.ycsb import PerformanceEvaluation, PeWrite, YcsbLoad, YcsbMix, YcsbOwnMix
from howdah.model.workloads.ycsb_options import MIX, P99, RECORDS, REGIONS, TARGET, Durability
from howdah.planner.budget import Executor, WorkerRoom, best_executor
from howdah.planner.suite.cluster import ClusterSizes, most_tasks
from howdah.releases.catalogue import spark_size
from howdah.releases.values import read_positive
from howdah.units import MIB

_STORED = (BLOCK_SIZE, REPLICATION, ERASURE_CODING)
_OF_TABLES = (ycsb_options.COMPRESSION, ycsb_options.BLOCK_ENCODING, ycsb_options.BLOOM_FILTER)
_MOST_ROUNDS = 32
_TURNS = 3  # A pair is measured one way, the other way, and both ways at once.
_ROUND_TRIPS_S = 1
_LONGEST_ALONE_S = 600
_REDUCE_BYTES_PER_S = 30e6
"""What one reduce fetches, merges and writes where no disk and no link holds it up."""
_REDUCE_S = 0.003
"""What each reduce more takes the masters, with the map of TeraValidate that reads its file: 1.5 ms of the
NameNode for each task in the study of small blocks (D1 83), more than YARN's ResourceManager takes."""


def teragen(sizes: ClusterSizes) -> tera.TeraGen:
    """One file for every map task at once."""
    rows = sizes.choose_rows()
    maps = sizes.decide("teragen maps", MAPS, min(sizes.capacity.maps, most_tasks(rows)))
    return tera.TeraGen(rows=rows, maps=maps, **sizes.request.fields_of(*_STORED))


def terasort(sizes: ClusterSizes) -> tera.TeraSort:
    """The plan's reduces, or one wave of them; Hadoop makes one map for every block of the input."""
    rows, request = sizes.rows_read(), sizes.request
    planned, at_once = sizes.capacity.job_reduces, sizes.capacity.reduces
    most = at_once if rows is None else _most_reduces(rows)
    words = "planned" if planned else "wave" if most >= at_once else "fewer"
    reduces = sizes.decide("terasort reduces", tera.REDUCES, planned or min(at_once, most), words=words)
    # Inputs are paths in HDFS, to be read as they were written.
    stored = (BLOCK_SIZE, tera.OUTPUT_REPLICATION, ERASURE_CODING, tera.INPUT)
    own = request.fields_of(tera.CODEC, tera.SLOWSTART, tera.PARTITION_SAMPLES, *stored)
    return tera.TeraSort(rows=rows, reduces=reduces, **own)


def _most_reduces(rows: int) -> int:
    """The reduces that sort so many rows in the least time on a cluster that could run any number at once.

    The masters start them one by one, and each sorts its part of the rows. Both together take least time if
    one takes as long as the other.
    """
    best = math.sqrt(rows * tera.ROW_BYTES / _REDUCE_BYTES_PER_S / _REDUCE_S)
    return min(most_tasks(rows), math.ceil(best))


def teravalidate(sizes: ClusterSizes) -> tera.TeraValidate:
    """It reads what is there."""
    return tera.TeraValidate(rows=sizes.rows_read(), inputs=sizes.request.of(tera.INPUT))


def dfsio_write(sizes: ClusterSizes) -> DfsioWrite:
    """One file for every map task at once."""
    files, file_bytes = sizes.files()
    return DfsioWrite(files=files, file_bytes=file_bytes, **sizes.request.fields_of(*_STORED))


def dfsio_read(sizes: ClusterSizes) -> DfsioRead:
    """On its own it reads whatever a kept dfsio-write left."""
    if sizes.alone and not sizes.simulated:
        return DfsioRead()
    files, file_bytes = sizes.files()
    return DfsioRead(files=files, file_bytes=file_bytes)


def redundancy(sizes: ClusterSizes) -> Redundancy:
    """It waits for what is lost."""
    return Redundancy()


def pi(sizes: ClusterSizes) -> Pi:
    """Seconds of computing for every map."""
    maps = choose_maps(sizes, "pi maps")
    return Pi(maps=maps, samples=sizes.decide("pi samples", hadoop_programs.SAMPLES))


def user_command(sizes: ClusterSizes) -> UserCommand:
    """The command as the user gave it."""
    words = sizes.request.of(hadoop_programs.COMMAND_LINE)
    if not words:
        raise UserError("SUITE", "command needs a command to run", "howdah run command -- hadoop jar app.jar")
    return UserCommand(words=words)


def nnbench(sizes: ClusterSizes) -> NNBench:
    """Seconds of calls to the NameNode for every map."""
    maps = choose_maps(sizes, "nnbench maps")
    operations = sizes.decide("nnbench operations", OPERATIONS)
    return NNBench(maps=maps, operations=operations, **sizes.request.fields_of(REPLICATION, BLOCK_SIZE))


def choose_maps(sizes: ClusterSizes, key: str) -> int:
    """As many map tasks as run at once."""
    return sizes.decide(key, MAPS, sizes.capacity.maps, row="maps")


def network(sizes: ClusterSizes) -> Network:
    """All pairs one after another while that takes minutes; else many pairs at once, and not all of them."""
    hosts = sizes.hosts
    streams = sizes.decide("network streams", hadoop_programs.STREAMS)
    seconds = sizes.decide("network seconds", hadoop_programs.SECONDS)
    words = "all" if hosts - 1 <= _MOST_ROUNDS else "most"
    rounds = sizes.decide("network rounds", hadoop_programs.ROUNDS, min(hosts - 1, _MOST_ROUNDS), words=words)
    alone_s = rounds * hosts / 2 * (_TURNS * (seconds + 1) + _ROUND_TRIPS_S)
    alone = alone_s <= _LONGEST_ALONE_S
    most, words = (1, "alone") if alone else (hosts // 2, "together")
    option, minutes = hadoop_programs.PAIRS_AT_ONCE, alone_s / 60
    pairs = sizes.decide("network pairs at once", option, most, words=words, minutes=minutes)
    return Network(streams=streams, seconds=seconds, rounds=min(rounds, hosts - 1), pairs_at_once=pairs)


_RECORDS_PER_SERVER = 100_000
_OPERATIONS_PER_SERVER = 100_000
_THREADS_PER_SERVER = 8
_REGIONS_PER_SERVER = 4


def ycsb_load(sizes: ClusterSizes) -> YcsbLoad:
    """The table, with regions on every RegionServer from the first record on."""
    regions = choose_regions(sizes)
    return YcsbLoad(**_common(sizes), regions=regions, **sizes.request.fields_of(*_OF_TABLES))


def ycsb_mix(sizes: ClusterSizes) -> YcsbMix:
    """One of the mixes, on all of the table."""
    program, request = sizes.program, sizes.request
    assert issubclass(program, YcsbMix)
    operations = sizes.decide("ycsb operations", OPERATIONS, _OPERATIONS_PER_SERVER * sizes.hosts)
    fields = {
        **_common(sizes),
        "operations": operations,
        "distribution": request.of(ycsb_options.DISTRIBUTION) or program.usual,
        **request.fields_of(ycsb_options.WARM_UP, ycsb_options.SETTLE, P99),
    }
    if issubclass(program, YcsbOwnMix):
        fields["mix"] = request.of(MIX)
        if fields["mix"] is None:
            hint = f"give {MIX.flag} read=0.7,update=0.3"
            raise UserError(MIX.flag, "is missing: it defines the mix", hint)
    if fields["p99_s"] is not None and fields["target"] is not None:
        problem = f"searches for a rate, but {TARGET.flag} sets one"
        raise UserError(P99.flag, problem, "leave one of them out")
    workload = program(**fields)
    if (workload.clients or 1) > 1 and "insert" in workload.shares:
        # Each client would number the records that it adds from the same one on.
        workload = workload.model_copy(update={"clients": 1})
    return workload


def choose_regions(sizes: ClusterSizes) -> int:
    """Regions that a table is made with."""
    regions = _REGIONS_PER_SERVER * sizes.hosts
    return sizes.decide("regions", REGIONS, regions, servers=sizes.hosts, each=_REGIONS_PER_SERVER)


def choose_records(sizes: ClusterSizes) -> int:
    """Records of a table."""
    if sizes.records is not None:
        return sizes.decide("records", RECORDS, sizes.records, words="planned")
    servers, records = sizes.hosts, _RECORDS_PER_SERVER
    return sizes.decide("records", RECORDS, records * servers, words="usual", servers=servers, each=records)


def choose_threads(sizes: ClusterSizes, *, clients: int) -> int:
    """Operations at once of each client."""
    threads = max(1, _THREADS_PER_SERVER * sizes.hosts // clients)
    return sizes.decide("threads", ycsb_options.THREADS, threads, each=_THREADS_PER_SERVER)


def _common(sizes: ClusterSizes) -> dict[str, Any]:
    """What all of YCSB's programs have."""
    return {
        "records": choose_records(sizes),
        "fields": sizes.decide("fields of a record", ycsb_options.FIELDS),
        "field_bytes": sizes.decide("size of a field", ycsb_options.FIELD_SIZE),
        "clients": (clients := sizes.decide("clients", ycsb_options.CLIENTS)),
        "threads": choose_threads(sizes, clients=clients),
        "target": sizes.request.of(TARGET),
        "durability": sizes.request.of(ycsb_options.DURABILITY) or Durability.SYNC_WAL,
    }


def evaluation(sizes: ClusterSizes) -> PerformanceEvaluation:
    """One of its commands, on all of the table."""
    program = sizes.program
    assert issubclass(program, PerformanceEvaluation)
    fields: dict[str, Any] = {
        "records": choose_records(sizes),
        "field_bytes": sizes.decide("size of a value", ycsb_options.FIELD_SIZE),
        "threads": choose_threads(sizes, clients=1),
    }
    if issubclass(program, PeWrite):
        fields |= {"regions": choose_regions(sizes), **sizes.request.fields_of(*_OF_TABLES)}
    return program(**fields)


_MASTER_MB = 1536
"""The container of an application master with Spark's default driver, 1 GiB and its overhead."""
_PARTITION_BYTES = 128 * MIB
_WAVES = 2
_WORDS_PER_TASK, _BYTES_PER_WORD = 5_000_000, 7
_ROWS_PER_TASK, _BYTES_PER_FACT = 1_000_000, 90
_POINTS_PER_TASK, _BYTES_PER_POINT = 250_000, 130
_BYTES_PER_SCALE = 360_000_000


def spark_terasort(sizes: ClusterSizes) -> spark.SparkTeraSort:
    """As many partitions as cores, or more if they would be large."""
    rows, request = sizes.rows_read(), sizes.request
    return spark.SparkTeraSort(
        rows=rows,
        api=request.of(spark.API) or spark.SparkApi.RDD,
        **request.fields_of(BLOCK_SIZE, tera.OUTPUT_REPLICATION, tera.INPUT, tera.PARTITION_SAMPLES),
        **application(sizes, None if rows is None else rows * tera.ROW_BYTES),
    )


def spark_wordcount(sizes: ClusterSizes) -> spark.SparkWordCount:
    """A text of tens of megabytes for each task at once."""
    words = sizes.decide("words", spark.WORDS, _WORDS_PER_TASK * sizes.capacity.maps, row="work")
    return spark.SparkWordCount(words=words, **application(sizes, words * _BYTES_PER_WORD))


def spark_join(sizes: ClusterSizes) -> spark.SparkJoin:
    """A third of the rows has the same key, so that one task has the most of the work."""
    rows = sizes.decide("join rows", spark.JOIN_ROWS, _ROWS_PER_TASK * sizes.capacity.maps, row="work")
    keys = sizes.decide("join keys", spark.JOIN_KEYS, max(1, rows // 100))
    skew = sizes.decide("skew", spark.SKEW)
    return spark.SparkJoin(
        join_rows=rows, join_keys=keys, skew=skew, **application(sizes, rows * _BYTES_PER_FACT)
    )


def spark_kmeans(sizes: ClusterSizes) -> spark.SparkKMeans:
    """Points that fit the executors' memory, read again by each iteration."""
    points = sizes.decide("points", spark.POINTS, _POINTS_PER_TASK * sizes.capacity.maps, row="work")
    return spark.SparkKMeans(
        points=points,
        clusters=sizes.decide("clusters", spark.CLUSTERS),
        iterations=sizes.decide("iterations", spark.ITERATIONS),
        **application(sizes, points * _BYTES_PER_POINT),
    )


def spark_tpch(sizes: ClusterSizes) -> spark.SparkTpch:
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
    workers = [
        WorkerRoom(room.memory_bytes // MIB, max(1, room.vcores or 1), count)
        for room, count in node_rooms(plan)
    ]
    return best_executor(workers, max(_MASTER_MB, read_positive(_planned(plan).get(MASTER_MB)) or 0))


def _planned(plan: Plan) -> dict[str, str]:
    return {setting.key: value_text(setting.value).strip() for setting in plan.settings}
