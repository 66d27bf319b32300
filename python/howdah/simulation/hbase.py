"""A planned HBase under YCSB: plan and suite become servers, a table and its programs."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.model.placement import AtOnce
from howdah.model.plan import ClusterPlan, Role, Worker
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.ycsb import KEY_BYTES, MOST_SCANNED, Ycsb, YcsbLoad, YcsbMix
from howdah.model.workloads.ycsb_options import Distribution, Durability
from howdah.releases.values import direct_bytes, heap_bytes
from howdah.simulation.scenario import AskingProgram, Hosts, OperationShares, SimulatedHBase
from howdah.simulation.settings import PlannedSettings, translator
from howdah.units import MIB, format_bytes, format_count_short, format_counted

REGIONS_PER_SERVER = 4  # What a table has that the suite does not make: as many as howdah makes one with.
_HEAP_SHARE = 0.4  # Of block cache and of memstores, where nothing is set: the release's own.
_FILLED = 0.9  # Of the data disks: HDFS is as good as full then, and a compaction has no room for its result.
_SCANNED = (1 + MOST_SCANNED) / 2
_PIPELINE = "filesystem"  # The log whose replicas are a chain of DataNodes (``hbase.wal.provider``).


def asks_hbase(suite: Suite) -> bool:
    """Whether the suite consists of operations on a table rather than of jobs."""
    return any(isinstance(workload, Ycsb) for workload in suite.workloads)


def no_tasks(kind: Worker) -> AtOnce:
    """A worker's places for tasks, of which none runs; raises UserError for one without a RegionServer."""
    if Role.REGIONSERVER not in kind.roles:
        problem = "has no RegionServer, but the simulator needs one on every worker"
        hint = "plan hosts for HBase only, with --workload ycsb"
        raise UserError(f"plan: worker {kind.name}", problem, hint)
    return AtOnce(1, 1)


def hbase_of(
    plan: ClusterPlan, suite: Suite, hosts: tuple[Hosts, ...], cpu_quota: float | None
) -> SimulatedHBase:
    """HBase as planned, and the suite's programs; ``cpu_quota`` is the part of CPU time within limits."""
    # If kinds differ, the smallest represents all: its cache is the first to be too small.
    kind = min(plan.workers, key=lambda worker: worker.memory_bytes)
    planned = PlannedSettings(plan, kind)
    servers = sum(group.count * sum(workers.count for workers in group.workers) for group in hosts)
    heap, outside = _memory(planned, kind)
    cache_mb = planned.number_or("hbase.bucketcache.size", 0.0)
    return SimulatedHBase(
        handlers=int(planned.number("hbase.regionserver.handler.count")),
        # With a cache outside the heap, that in the heap holds indexes alone.
        block_cache_bytes=cache_mb * MIB
        if cache_mb
        else heap * planned.number_or("hfile.block.cache.size", _HEAP_SHARE),
        page_cache_bytes=float(max(0, kind.memory_bytes - heap - outside)),
        memstore_bytes=heap * planned.number_or("hbase.regionserver.global.memstore.size", _HEAP_SHARE),
        flush_bytes=planned.number("hbase.hregion.memstore.flush.size"),
        compacted_files=int(
            planned.number_or(
                "hbase.hstore.compaction.min", planned.number("hbase.hstore.compactionThreshold")
            )
        ),
        log="pipeline" if planned.text("hbase.wal.provider") == _PIPELINE else "fan-out",
        replication=int(planned.number("dfs.replication")),
        client_cpus=plan.cluster.inventory.worker_groups[0].cpu.threads,
        cpu_quota=cpu_quota,
        programs=_programs(suite, servers),
    )


def _memory(planned: PlannedSettings, kind: Worker) -> tuple[int, int]:
    """A RegionServer's heap, and what it and the worker's other daemons have outside of it, bytes."""
    options = planned.text("HBASE_REGIONSERVER_OPTS")
    heap = heap_bytes(options)
    if heap is None:
        problem = f"{options!r} sets no heap, so the sizes of caches are unknown"
        raise UserError("plan: HBASE_REGIONSERVER_OPTS", problem, "give -Xmx, or plan again")
    neighbours = heap_bytes(planned.text("HDFS_DATANODE_OPTS")) or 0
    if Role.NODEMANAGER in kind.roles:
        neighbours += int(planned.number("yarn.nodemanager.resource.memory-mb")) * MIB
    return heap, neighbours + (direct_bytes(options) or 0)


def _programs(suite: Suite, servers: int) -> tuple[AskingProgram, ...]:
    made = next((workload.regions for workload in suite.workloads if isinstance(workload, YcsbLoad)), None)
    regions = made or REGIONS_PER_SERVER * servers
    return tuple(
        translator(workload, "run it with --engine hbase")(workload, regions) for workload in suite.workloads
    )


def check_table(hbase: SimulatedHBase, free_bytes: int) -> None:
    """Raise UserError where the planned disks have no room for the table."""
    table = max(program.records * program.record_bytes for program in hbase.programs)
    records = max(program.records for program in hbase.programs)
    needed = table * hbase.replication
    if needed > _FILLED * free_bytes:
        fitting = int(records * _FILLED * free_bytes / needed)
        raise UserError(
            "--records",
            f"{format_count_short(records)} records take {format_bytes(needed)} with their keys, in "
            f"{format_counted(hbase.replication, 'replica')}; the planned data disks have "
            f"{format_bytes(free_bytes)}",
            f"give at most --records {format_count_short(fitting)}, fewer replicas, or plan for more disks",
        )


def load(workload: YcsbLoad, regions: int) -> AskingProgram:
    """Records that are inserted, each into any region: their names are hashed."""
    return _program(workload, regions, workload.records or 1, Distribution.UNIFORM)


def mix(workload: YcsbMix, regions: int) -> AskingProgram:
    """Operations on the whole table."""
    return _program(workload, regions, workload.operations or 1, workload.distribution or workload.usual)


def _program(workload: Ycsb, regions: int, operations: int, distribution: Distribution) -> AskingProgram:
    fields = workload.fields or 1
    stored_bytes = (workload.field_bytes or 0) + KEY_BYTES
    return AskingProgram(
        kind=workload.kind,
        records=workload.records or 1,
        record_bytes=float(fields * stored_bytes),
        update_bytes=float((fields if workload.replaces_whole else 1) * stored_bytes),
        scanned=_SCANNED,
        regions=regions,
        operations=operations,
        shares=OperationShares.model_validate(dict(workload.shares)),
        distribution=distribution,
        durability=workload.durability or Durability.SYNC_WAL,
        clients=workload.clients or 1,
        threads=workload.threads or 1,
        target_per_s=workload.target,
    )
