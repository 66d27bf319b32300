"""The attributes of daemons' beans that are sampled, and their metrics in a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from howdah.hadoop.daemons import BY_NAME, DAEMONS, PAIRED

MASTERS = tuple(DAEMONS[role].name for role in PAIRED)
"""Daemons that limit a whole cluster when they are busy."""
_PROCESSES = (*MASTERS, "regionserver")
"""Daemons whose CPU time is sampled apart from that of their machine."""
_METRICS = "Metrics"
_NANO, _MILLI = 1e-9, 1e-3


class BeanNumber(NamedTuple):
    """One attribute of a bean, its metric, and the factor to the metric's unit.

    ``total`` only grows, ``gauge`` is the value now. A ``mean`` is a pair of attributes that begin
    with this name: the total count (``NumOps``) and the mean duration since the last update
    (``AvgTime``); HBase calls the two ``_num_ops`` and ``_mean``.
    """

    attribute: str
    metric: str
    kind: Literal["total", "gauge", "mean"]
    factor: float = 1.0


class Bean(NamedTuple):
    """A bean by its name with ``*`` as a wildcard, and the attributes to read."""

    name: str
    numbers: tuple[BeanNumber, ...]

    @property
    def question(self) -> str:
        """The name to query: one query returns all the small beans whose names end with Metrics."""
        service, _, name = self.name.partition(",name=")
        return f"{service},name=*{_METRICS}" if name.endswith(_METRICS) else self.name


_HADOOPS: Mapping[str, tuple[Bean, ...]] = {
    "datanode": (
        Bean(
            "DataNodeActivity-*",
            (
                BeanNumber("BytesRead", "datanode/read_bytes", "total"),
                BeanNumber("BytesWritten", "datanode/written_bytes", "total"),
                BeanNumber("RemoteBytesRead", "datanode/remote_read_bytes", "total"),
                BeanNumber("RemoteBytesWritten", "datanode/remote_written_bytes", "total"),
                BeanNumber("PacketAckRoundTripTimeNanos", "datanode/packet_ack_s", "mean", _NANO),
                BeanNumber("FlushNanos", "datanode/flush_s", "mean", _NANO),
                BeanNumber("SendDataPacketBlockedOnNetworkNanos", "datanode/send_blocked_s", "mean", _NANO),
                BeanNumber("SendDataPacketTransferNanos", "datanode/send_transfer_s", "mean", _NANO),
                BeanNumber("BlocksReplicated", "datanode/copied_blocks", "total"),
                BeanNumber("EcReconstructionTasks", "datanode/rebuilt_units", "total"),
                BeanNumber("EcReconstructionBytesRead", "datanode/rebuild_read_bytes", "total"),
                BeanNumber("EcReconstructionBytesWritten", "datanode/rebuilt_bytes", "total"),
                BeanNumber("EcDecodingTimeNanos", "datanode/decoding_s", "total", _NANO),
            ),
        ),
    ),
    "nodemanager": (
        Bean("NodeManagerMetrics", (BeanNumber("ContainersRunning", "nodemanager/containers", "gauge"),)),
        Bean("ShuffleMetrics", (BeanNumber("ShuffleOutputBytes", "nodemanager/shuffled_bytes", "total"),)),
    ),
    "namenode": (
        Bean(
            "FSNamesystemState",
            (
                BeanNumber("NumLiveDataNodes", "namenode/live_datanodes", "gauge"),
                BeanNumber("BlocksTotal", "namenode/blocks", "gauge"),
                BeanNumber("UnderReplicatedBlocks", "namenode/under_replicated", "gauge"),
                BeanNumber("NumDecommissioningDataNodes", "namenode/draining_datanodes", "gauge"),
            ),
        ),
        Bean(
            "RpcActivityForPort*",
            (
                BeanNumber("RpcProcessingTimeNumOps", "namenode/calls", "total"),
                BeanNumber("RpcQueueTime", "namenode/queue_s", "mean", _MILLI),
                BeanNumber("RpcProcessingTime", "namenode/processing_s", "mean", _MILLI),
            ),
        ),
        Bean(
            "NameNodeActivity",
            (
                BeanNumber("TransactionsNumOps", "namenode/edits", "total"),
                BeanNumber("Syncs", "namenode/edit_sync_s", "mean", _MILLI),
                BeanNumber("AddBlockOps", "namenode/added_blocks", "total"),
            ),
        ),
    ),
    "journalnode": (
        Bean(
            "Journal-*",
            (
                BeanNumber("BytesWritten", "journalnode/written_bytes", "total"),
                BeanNumber("TxnsWritten", "journalnode/edits", "total"),
                BeanNumber("BatchesWritten", "journalnode/batches", "total"),
            ),
        ),
    ),
    "resourcemanager": (
        Bean("ClusterMetrics", (BeanNumber("NumActiveNMs", "resourcemanager/live_nodemanagers", "gauge"),)),
        Bean(
            "QueueMetrics,q0=root",
            (
                BeanNumber("AllocatedContainers", "resourcemanager/containers", "gauge"),
                BeanNumber("PendingContainers", "resourcemanager/pending_containers", "gauge"),
            ),
        ),
    ),
}

_HBASES: Mapping[str, tuple[Bean, ...]] = {
    "hmaster": (
        Bean(
            "Master,sub=Server",
            (
                BeanNumber("numRegionServers", "hmaster/live_regionservers", "gauge"),
                BeanNumber("numDeadRegionServers", "hmaster/dead_regionservers", "gauge"),
            ),
        ),
        Bean(
            "Master,sub=AssignmentManager",
            (
                BeanNumber("ritCount", "hmaster/regions_in_transition", "gauge"),
                BeanNumber("MoveSubmittedCount", "hmaster/moves", "total"),
                BeanNumber("SplitSubmittedCount", "hmaster/splits", "total"),
                BeanNumber("OpenSubmittedCount", "hmaster/opened_regions", "total"),
            ),
        ),
    ),
    "regionserver": (
        Bean(
            "RegionServer,sub=Server",
            (
                # Requests as clients sent them: the counts of rows read lag behind these by some per cent.
                BeanNumber("rpcGetRequestCount", "regionserver/get_requests", "total"),
                BeanNumber("rpcMutateRequestCount", "regionserver/mutate_requests", "total"),
                BeanNumber("rpcScanRequestCount", "regionserver/scan_requests", "total"),
                BeanNumber("rpcMultiRequestCount", "regionserver/multi_requests", "total"),
                BeanNumber("regionCount", "regionserver/regions", "gauge"),
                BeanNumber("percentFilesLocal", "regionserver/local_share", "gauge", 0.01),
                BeanNumber("blockCacheHitCount", "regionserver/cache_hits", "total"),
                BeanNumber("blockCacheMissCount", "regionserver/cache_misses", "total"),
                BeanNumber("blockCacheEvictionCount", "regionserver/cache_evictions", "total"),
                BeanNumber("blockCacheSize", "regionserver/cache_bytes", "gauge"),
                BeanNumber("memStoreSize", "regionserver/memstore_bytes", "gauge"),
                BeanNumber("storeFileCount", "regionserver/store_files", "gauge"),
                BeanNumber("storeFileSize", "regionserver/store_bytes", "gauge"),
                BeanNumber("FlushTime_num_ops", "regionserver/flushes", "total"),
                BeanNumber("flushedOutputBytes", "regionserver/flushed_bytes", "total"),
                BeanNumber("flushQueueLength", "regionserver/flush_queue", "gauge"),
                BeanNumber("CompactionTime_num_ops", "regionserver/compactions", "total"),
                BeanNumber("compactedInputBytes", "regionserver/compaction_read_bytes", "total"),
                BeanNumber("compactedOutputBytes", "regionserver/compacted_bytes", "total"),
                BeanNumber("compactionQueueLength", "regionserver/compaction_queue", "gauge"),
                BeanNumber("updatesBlockedTime", "regionserver/blocked_s", "total", _MILLI),
                BeanNumber("splitSuccessCount", "regionserver/splits", "total"),
            ),
        ),
        Bean(
            "RegionServer,sub=WAL",
            (
                BeanNumber("appendCount", "regionserver/wal_appends", "total"),
                BeanNumber("writtenBytes", "regionserver/wal_written_bytes", "total"),
                BeanNumber("SyncTime_num_ops", "regionserver/wal_syncs", "total"),
                BeanNumber("SyncTime", "regionserver/wal_sync_s", "mean", _MILLI),
                BeanNumber("SyncTime_99th_percentile", "regionserver/wal_sync_99_s", "gauge", _MILLI),
            ),
        ),
        Bean(
            "RegionServer,sub=IPC",
            (
                BeanNumber("ProcessCallTime_num_ops", "regionserver/calls", "total"),
                BeanNumber("QueueCallTime", "regionserver/queue_s", "mean", _MILLI),
                BeanNumber("ProcessCallTime", "regionserver/processing_s", "mean", _MILLI),
                BeanNumber("exceptions", "regionserver/exceptions", "total"),
                BeanNumber("exceptions.RegionTooBusyException", "regionserver/too_busy", "total"),
                BeanNumber("exceptions.NotServingRegionException", "regionserver/not_serving", "total"),
                BeanNumber("numActiveHandler", "regionserver/handlers", "gauge"),
                BeanNumber("numCallsInGeneralQueue", "regionserver/calls_queued", "gauge"),
            ),
        ),
    ),
}

_OWN: Mapping[str, tuple[Bean, ...]] = {**_HADOOPS, **_HBASES}


def hadoop_name(daemon: str) -> str:
    """Return Hadoop's spelling of a daemon (``datanode``), ``DataNode``."""
    role = BY_NAME.get(daemon)
    return role.value if role is not None and DAEMONS[role].service else daemon


def beans_of(daemon: str) -> tuple[Bean, ...]:
    """Return the beans of a daemon (``datanode``) and its JVM; none without a web server."""
    service = DAEMONS[BY_NAME[daemon]].service if daemon in BY_NAME else ""
    if not service:
        return ()
    memory = Bean(
        "JvmMetrics",
        (
            BeanNumber("GcTimeMillis", f"jvm/{daemon}/gc_s", "total", _MILLI),
            BeanNumber("MemHeapUsedM", f"jvm/{daemon}/heap_bytes", "gauge", float(2**20)),
        ),
    )
    process = Bean(
        "java.lang:type=OperatingSystem",
        (BeanNumber("ProcessCpuTime", f"jvm/{daemon}/cpu_s", "total", _NANO),),
    )
    own = tuple(
        bean._replace(name=f"Hadoop:service={service},name={bean.name}")
        for bean in (*_OWN.get(daemon, ()), memory)
    )
    return (*own, process) if daemon in _PROCESSES else own
