"""How much YCSB asks of an HBase: records, operations and threads for its RegionServers."""

from __future__ import annotations

from typing import Any

from howdah.errors import UserError
from howdah.model.workloads.hbase_pe import PerformanceEvaluation, PeWrite
from howdah.model.workloads.nnbench import OPERATIONS
from howdah.model.workloads.ycsb import YcsbLoad, YcsbMix, YcsbOwnMix
from howdah.model.workloads.ycsb_options import (
    BLOCK_ENCODING,
    BLOOM_FILTER,
    CLIENTS,
    COMPRESSION,
    DISTRIBUTION,
    DURABILITY,
    FIELD_SIZE,
    FIELDS,
    MIX,
    P99,
    RECORDS,
    REGIONS,
    SETTLE,
    TARGET,
    THREADS,
    WARM_UP,
    Durability,
)
from howdah.planner.suite.cluster import ClusterSizes

_FIELDS, _FIELD_BYTES = 10, 100
_RECORDS_PER_SERVER = 100_000
_OPERATIONS_PER_SERVER = 100_000
_THREADS_PER_SERVER = 8
_REGIONS_PER_SERVER = 4
_VALUE_BYTES = 1000


def load(sizes: ClusterSizes) -> YcsbLoad:
    """The table, with regions on every RegionServer from the first record on."""
    regions = choose_regions(sizes)
    request = sizes.request
    return YcsbLoad(
        **_common(sizes),
        regions=regions,
        compression=request.of(COMPRESSION),
        block_encoding=request.of(BLOCK_ENCODING),
        bloom_filter=request.of(BLOOM_FILTER),
    )


def mix(sizes: ClusterSizes) -> YcsbMix:
    """One of the mixes, on all of the table."""
    program, request = sizes.program, sizes.request
    assert issubclass(program, YcsbMix)
    operations = sizes.choose(
        "ycsb operations",
        OPERATIONS,
        _OPERATIONS_PER_SERVER * sizes.hosts,
        reason="of each mix: some tens of seconds, most of them after the JVMs have compiled what runs often",
        source="howdah",
    )
    given = {
        **_common(sizes),
        "operations": operations,
        "distribution": request.of(DISTRIBUTION) or program.usual,
        "warm_up_s": request.of(WARM_UP),
        "settle": request.of(SETTLE),
        "p99_s": request.of(P99),
    }
    if issubclass(program, YcsbOwnMix):
        given["mix"] = request.of(MIX)
        if given["mix"] is None:
            raise UserError(
                MIX.flag,
                "is missing: it defines the mix",
                f"give {MIX.flag} read=0.7,update=0.3",
            )
    if given["p99_s"] is not None and given["target"] is not None:
        problem = f"searches for a rate, but {TARGET.flag} sets one"
        raise UserError(P99.flag, problem, "leave one of them out")
    workload = program(**given)
    if (workload.clients or 1) > 1 and "insert" in workload.shares:
        # Each client would number the records that it adds from the same one on.
        workload = workload.model_copy(update={"clients": 1})
    return workload


def choose_regions(sizes: ClusterSizes) -> int:
    """Regions that a table is made with."""
    servers = sizes.hosts
    return sizes.choose(
        "regions",
        REGIONS,
        _REGIONS_PER_SERVER * servers,
        reason=f"{_REGIONS_PER_SERVER} for each of {servers} RegionServers, so that all take part at once",
        source="HBase reference guide: pre-splitting tables",
    )


def choose_records(sizes: ClusterSizes) -> int:
    """Records of a table."""
    servers = sizes.hosts
    if sizes.records is not None:
        return sizes.choose(
            "records",
            RECORDS,
            sizes.records,
            reason="the table that the cluster is planned for",
            source="plan",
        )
    return sizes.choose(
        "records",
        RECORDS,
        _RECORDS_PER_SERVER * servers,
        reason=f"{_RECORDS_PER_SERVER:,} for each of {servers} RegionServers: loaded in some tens of seconds",
        source="howdah; the HBase study has 300 million, more than all memory",
    )


def choose_threads(sizes: ClusterSizes, *, clients: int) -> int:
    """Operations at once of each client."""
    return sizes.choose(
        "threads",
        THREADS,
        max(1, _THREADS_PER_SERVER * sizes.hosts // clients),
        reason=f"{_THREADS_PER_SERVER} operations at once for each RegionServer, of all clients together",
        source="howdah: an operation waits for the network and the log most of its time",
    )


def _common(sizes: ClusterSizes) -> dict[str, Any]:
    """What all of YCSB's programs have."""
    request = sizes.request
    records = choose_records(sizes)
    fields = sizes.choose(
        "fields of a record", FIELDS, _FIELDS, reason="YCSB's default number", source="YCSB core properties"
    )
    field_bytes = sizes.choose(
        "size of a field",
        FIELD_SIZE,
        _FIELD_BYTES,
        reason="YCSB's default size",
        source="YCSB core properties",
    )
    clients = sizes.choose(
        "clients", CLIENTS, 1, reason="one client saturates a few RegionServers", source="howdah"
    )
    return {
        "records": records,
        "fields": fields,
        "field_bytes": field_bytes,
        "threads": choose_threads(sizes, clients=clients),
        "clients": clients,
        "target": request.of(TARGET),
        "durability": request.of(DURABILITY) or Durability.SYNC_WAL,
    }


def evaluation(sizes: ClusterSizes) -> PerformanceEvaluation:
    """One of its commands, on all of the table."""
    program, request = sizes.program, sizes.request
    assert issubclass(program, PerformanceEvaluation)
    given: dict[str, Any] = {
        "records": choose_records(sizes),
        "field_bytes": sizes.choose(
            "size of a value", FIELD_SIZE, _VALUE_BYTES, reason="what a record of YCSB holds", source="howdah"
        ),
        "threads": choose_threads(sizes, clients=1),
    }
    if issubclass(program, PeWrite):
        given |= {
            "regions": choose_regions(sizes),
            "compression": request.of(COMPRESSION),
            "block_encoding": request.of(BLOCK_ENCODING),
            "bloom_filter": request.of(BLOOM_FILTER),
        }
    return program(**given)
