"""The sizes of every program on a cluster, real or simulated: what the user left open is decided here."""

from __future__ import annotations

import math
from typing import Any

from howdah.errors import UserError
from howdah.model.workloads import hadoop_programs, ycsb_options
from howdah.model.workloads import terasort as terasort_options
from howdah.model.workloads.dfsio import DfsioRead, DfsioWrite
from howdah.model.workloads.hadoop_programs import OPERATIONS, Network, NNBench, Pi, Redundancy, UserCommand
from howdah.model.workloads.option import BLOCK_SIZE, ERASURE_CODING, MAPS, REPLICATION
from howdah.model.workloads.terasort import CODEC, INPUT, REDUCES, ROW_BYTES, TeraGen, TeraSort, TeraValidate
from howdah.model.workloads.ycsb import PerformanceEvaluation, PeWrite, YcsbLoad, YcsbMix, YcsbOwnMix
from howdah.model.workloads.ycsb_options import MIX, P99, RECORDS, REGIONS, TARGET, Durability
from howdah.planner.suite.cluster import ClusterSizes, most_tasks

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


def teragen(sizes: ClusterSizes) -> TeraGen:
    """One file for every map task at once."""
    rows = sizes.choose_rows()
    maps = sizes.decide("teragen maps", MAPS, min(sizes.capacity.maps, most_tasks(rows)))
    return TeraGen(rows=rows, maps=maps, **sizes.request.fields_of(*_STORED))


def terasort(sizes: ClusterSizes) -> TeraSort:
    """The plan's reduces, or one wave of them; Hadoop makes one map for every block of the input."""
    rows, request = sizes.rows_read(), sizes.request
    planned, at_once = sizes.capacity.job_reduces, sizes.capacity.reduces
    most = at_once if rows is None else _most_reduces(rows)
    words = "planned" if planned else "wave" if most >= at_once else "fewer"
    reduces = sizes.decide("terasort reduces", REDUCES, planned or min(at_once, most), words=words)
    # Inputs are paths in HDFS, to be read as they were written.
    stored = (BLOCK_SIZE, terasort_options.OUTPUT_REPLICATION, ERASURE_CODING, INPUT)
    own = request.fields_of(CODEC, terasort_options.SLOWSTART, terasort_options.PARTITION_SAMPLES, *stored)
    return TeraSort(rows=rows, reduces=reduces, **own)


def _most_reduces(rows: int) -> int:
    """The reduces that sort so many rows in the least time on a cluster that could run any number at once.

    The masters start them one by one, and each sorts its part of the rows. Both together take least time if
    one takes as long as the other.
    """
    return min(most_tasks(rows), math.ceil(math.sqrt(rows * ROW_BYTES / _REDUCE_BYTES_PER_S / _REDUCE_S)))


def teravalidate(sizes: ClusterSizes) -> TeraValidate:
    """It reads what is there."""
    return TeraValidate(rows=sizes.rows_read(), inputs=sizes.request.of(INPUT))


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
