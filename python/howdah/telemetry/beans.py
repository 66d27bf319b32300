"""The attributes of daemons' beans that are sampled, and their metrics in a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, cast

from howdah.hadoop.daemons import BY_NAME, DAEMONS, PAIRED
from howdah.model.plan import Role

MASTERS = tuple(DAEMONS[role].name for role in PAIRED)  # Daemons that limit a whole cluster if busy.
_PROCESSES = (*MASTERS, DAEMONS[Role.REGIONSERVER].name)
"""Daemons whose CPU time is sampled apart from that of their machine."""
_METRICS = "Metrics"


Kind = Literal["total", "gauge", "mean"]


class BeanNumber(NamedTuple):
    """One attribute of a bean, and its metric.

    A ``mean`` is a pair of attributes that begin with this name: the total count (``NumOps``, in HBase
    ``_num_ops``) and the mean duration since the last update (``AvgTime``, ``_mean``).
    """

    attribute: str
    metric: str
    kind: Kind
    factor: float = 1.0  # To the metric's unit.


class Bean(NamedTuple):
    """A bean by its name with ``*`` as a wildcard, and the attributes to read."""

    name: str
    numbers: tuple[BeanNumber, ...]

    @property
    def question(self) -> str:
        """The name to query: one query returns all the small beans whose names end with Metrics."""
        service, _, name = self.name.partition(",name=")
        return f"{service},name=*{_METRICS}" if name.endswith(_METRICS) else self.name


_FACTORS = {"ns": 1e-9, "ms": 1e-3, "%": 0.01, "MiB": float(2**20)}
_TABLE = """
datanode DataNodeActivity-*
    BytesRead datanode/read_bytes total
    BytesWritten datanode/written_bytes total
    RemoteBytesRead datanode/remote_read_bytes total
    RemoteBytesWritten datanode/remote_written_bytes total
    PacketAckRoundTripTimeNanos datanode/packet_ack_s mean ns
    FlushNanos datanode/flush_s mean ns
    SendDataPacketBlockedOnNetworkNanos datanode/send_blocked_s mean ns
    SendDataPacketTransferNanos datanode/send_transfer_s mean ns
    BlocksReplicated datanode/copied_blocks total
    EcReconstructionTasks datanode/rebuilt_units total
    EcReconstructionBytesRead datanode/rebuild_read_bytes total
    EcReconstructionBytesWritten datanode/rebuilt_bytes total
    EcDecodingTimeNanos datanode/decoding_s total ns
nodemanager NodeManagerMetrics
    ContainersRunning nodemanager/containers gauge
nodemanager ShuffleMetrics
    ShuffleOutputBytes nodemanager/shuffled_bytes total
namenode FSNamesystemState
    NumLiveDataNodes namenode/live_datanodes gauge
    BlocksTotal namenode/blocks gauge
    UnderReplicatedBlocks namenode/under_replicated gauge
    NumDecommissioningDataNodes namenode/draining_datanodes gauge
namenode RpcActivityForPort*
    RpcProcessingTimeNumOps namenode/calls total
    RpcQueueTime namenode/queue_s mean ms
    RpcProcessingTime namenode/processing_s mean ms
namenode NameNodeActivity
    TransactionsNumOps namenode/edits total
    Syncs namenode/edit_sync_s mean ms
    AddBlockOps namenode/added_blocks total
journalnode Journal-*
    BytesWritten journalnode/written_bytes total
    TxnsWritten journalnode/edits total
    BatchesWritten journalnode/batches total
resourcemanager ClusterMetrics
    NumActiveNMs resourcemanager/live_nodemanagers gauge
resourcemanager QueueMetrics,q0=root
    AllocatedContainers resourcemanager/containers gauge
    PendingContainers resourcemanager/pending_containers gauge
hmaster Master,sub=Server
    numRegionServers hmaster/live_regionservers gauge
    numDeadRegionServers hmaster/dead_regionservers gauge
hmaster Master,sub=AssignmentManager
    ritCount hmaster/regions_in_transition gauge
    MoveSubmittedCount hmaster/moves total
    SplitSubmittedCount hmaster/splits total
    OpenSubmittedCount hmaster/opened_regions total
regionserver RegionServer,sub=Server
    rpcGetRequestCount regionserver/get_requests total
    rpcMutateRequestCount regionserver/mutate_requests total
    rpcScanRequestCount regionserver/scan_requests total
    rpcMultiRequestCount regionserver/multi_requests total
    regionCount regionserver/regions gauge
    percentFilesLocal regionserver/local_share gauge %
    blockCacheHitCount regionserver/cache_hits total
    blockCacheMissCount regionserver/cache_misses total
    blockCacheEvictionCount regionserver/cache_evictions total
    blockCacheSize regionserver/cache_bytes gauge
    memStoreSize regionserver/memstore_bytes gauge
    storeFileCount regionserver/store_files gauge
    storeFileSize regionserver/store_bytes gauge
    FlushTime_num_ops regionserver/flushes total
    flushedOutputBytes regionserver/flushed_bytes total
    flushQueueLength regionserver/flush_queue gauge
    CompactionTime_num_ops regionserver/compactions total
    compactedInputBytes regionserver/compaction_read_bytes total
    compactedOutputBytes regionserver/compacted_bytes total
    compactionQueueLength regionserver/compaction_queue gauge
    updatesBlockedTime regionserver/blocked_s total ms
    splitSuccessCount regionserver/splits total
regionserver RegionServer,sub=WAL
    appendCount regionserver/wal_appends total
    writtenBytes regionserver/wal_written_bytes total
    SyncTime_num_ops regionserver/wal_syncs total
    SyncTime regionserver/wal_sync_s mean ms
    SyncTime_99th_percentile regionserver/wal_sync_99_s gauge ms
regionserver RegionServer,sub=IPC
    ProcessCallTime_num_ops regionserver/calls total
    QueueCallTime regionserver/queue_s mean ms
    ProcessCallTime regionserver/processing_s mean ms
    exceptions regionserver/exceptions total
    exceptions.RegionTooBusyException regionserver/too_busy total
    exceptions.NotServingRegionException regionserver/not_serving total
    numActiveHandler regionserver/handlers gauge
    numCallsInGeneralQueue regionserver/calls_queued gauge
jvm JvmMetrics
    GcTimeMillis jvm/{}/gc_s total ms
    MemHeapUsedM jvm/{}/heap_bytes gauge MiB
process java.lang:type=OperatingSystem
    ProcessCpuTime jvm/{}/cpu_s total ns
"""
"""By daemon and bean the attributes, each with its metric, its kind and the unit that it is counted in.

HBase's requests are counted as clients sent them: the counts of rows read lag behind these by some per cent.
"""


def _read_table() -> Mapping[str, Sequence[Bean]]:
    beans: dict[str, list[Bean]] = {}
    for line in _TABLE.strip().splitlines():
        if not line.startswith(" "):
            daemon, name = line.split()
            beans.setdefault(daemon, []).append(Bean(name, ()))
            continue
        attribute, metric, kind, *unit = line.split()
        number = BeanNumber(attribute, metric, cast(Kind, kind), _FACTORS[unit[0]] if unit else 1.0)
        own = beans[daemon]
        own[-1] = own[-1]._replace(numbers=(*own[-1].numbers, number))
    return beans


_OWN = _read_table()


def hadoop_name(daemon: str) -> str:
    """Return Hadoop's spelling of a daemon (``datanode``), ``DataNode``."""
    role = BY_NAME.get(daemon)
    return role.value if role is not None and DAEMONS[role].service else daemon


def beans_of(daemon: str) -> tuple[Bean, ...]:
    """Return the beans of a daemon (``datanode``) and its JVM; none without a web server."""
    if daemon not in BY_NAME or not DAEMONS[BY_NAME[daemon]].service:
        return ()
    beans = []
    for bean in (*_OWN.get(daemon, ()), *_OWN["jvm"], *(_OWN["process"] if daemon in _PROCESSES else ())):
        name = bean.name if ":" in bean.name else DAEMONS[BY_NAME[daemon]].bean(bean.name)
        numbers = (number._replace(metric=number.metric.format(daemon)) for number in bean.numbers)
        beans.append(Bean(name, tuple(numbers)))
    return tuple(beans)
