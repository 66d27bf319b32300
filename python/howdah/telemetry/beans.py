"""Which numbers of which beans tell what a daemon does, as Hadoop 3.5.0 names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple


class Number(NamedTuple):
    """One attribute of a bean, its metric, and the factor to the metric's unit.

    ``total`` only grows, ``gauge`` is the value now. A ``mean`` is a pair of attributes that begin
    with this name: how many there were in all (``NumOps``) and how long they took on average since
    it was last worked out (``AvgTime``).
    """

    attribute: str
    metric: str
    kind: Literal["total", "gauge", "mean"]
    factor: float = 1.0


class Bean(NamedTuple):
    """A bean by its name, in which ``*`` stands for anything, and what is read of it."""

    name: str
    numbers: tuple[Number, ...]

    @property
    def question(self) -> str:
        """What to ask for: one question gives all the small beans that are called metrics of something."""
        service, _, name = self.name.partition(",name=")
        return f"{service},name=*{_METRICS}" if name.endswith(_METRICS) else self.name


_MASTERS = ("namenode", "resourcemanager")
"""What limits a whole cluster when it is busy, and so is asked for its CPU time."""
_NANO, _MILLI = 1e-9, 1e-3
_METRICS = "Metrics"

_SERVICES = {
    "namenode": "NameNode",
    "secondarynamenode": "SecondaryNameNode",
    "datanode": "DataNode",
    "journalnode": "JournalNode",
    "resourcemanager": "ResourceManager",
    "nodemanager": "NodeManager",
    "historyserver": "JobHistoryServer",
}

_OWN: Mapping[str, tuple[Bean, ...]] = {
    "datanode": (
        Bean(
            "DataNodeActivity-*",
            (
                Number("BytesRead", "datanode/read_bytes", "total"),
                Number("BytesWritten", "datanode/written_bytes", "total"),
                Number("RemoteBytesRead", "datanode/remote_read_bytes", "total"),
                Number("RemoteBytesWritten", "datanode/remote_written_bytes", "total"),
                Number("PacketAckRoundTripTimeNanos", "datanode/packet_ack_s", "mean", _NANO),
                Number("FlushNanos", "datanode/flush_s", "mean", _NANO),
                Number("SendDataPacketBlockedOnNetworkNanos", "datanode/send_blocked_s", "mean", _NANO),
                Number("SendDataPacketTransferNanos", "datanode/send_transfer_s", "mean", _NANO),
            ),
        ),
    ),
    "nodemanager": (
        Bean("NodeManagerMetrics", (Number("ContainersRunning", "nodemanager/containers", "gauge"),)),
        Bean("ShuffleMetrics", (Number("ShuffleOutputBytes", "nodemanager/shuffled_bytes", "total"),)),
    ),
    "namenode": (
        Bean(
            "FSNamesystemState",
            (
                Number("NumLiveDataNodes", "namenode/live_datanodes", "gauge"),
                Number("BlocksTotal", "namenode/blocks", "gauge"),
                Number("UnderReplicatedBlocks", "namenode/under_replicated", "gauge"),
            ),
        ),
        Bean(
            "RpcActivityForPort*",
            (
                Number("RpcProcessingTimeNumOps", "namenode/calls", "total"),
                Number("RpcQueueTime", "namenode/queue_s", "mean", _MILLI),
                Number("RpcProcessingTime", "namenode/processing_s", "mean", _MILLI),
            ),
        ),
    ),
    "resourcemanager": (
        Bean("ClusterMetrics", (Number("NumActiveNMs", "resourcemanager/live_nodemanagers", "gauge"),)),
        Bean(
            "QueueMetrics,q0=root",
            (
                Number("AllocatedContainers", "resourcemanager/containers", "gauge"),
                Number("PendingContainers", "resourcemanager/pending_containers", "gauge"),
            ),
        ),
    ),
}


def called(daemon: str) -> str:
    """A daemon (``datanode``) as Hadoop writes it, ``DataNode``."""
    return _SERVICES.get(daemon, daemon)


def beans_of(daemon: str) -> tuple[Bean, ...]:
    """What is read of a daemon (``datanode``): its own beans and its JVM's, none without a web server."""
    service = _SERVICES.get(daemon)
    if service is None:
        return ()
    memory = Bean(
        "JvmMetrics",
        (
            Number("GcTimeMillis", f"jvm/{daemon}/gc_s", "total", _MILLI),
            Number("MemHeapUsedM", f"jvm/{daemon}/heap_bytes", "gauge", float(2**20)),
        ),
    )
    process = Bean(
        "java.lang:type=OperatingSystem", (Number("ProcessCpuTime", f"jvm/{daemon}/cpu_s", "total", _NANO),)
    )
    hadoops = tuple(
        bean._replace(name=f"Hadoop:service={service},name={bean.name}")
        for bean in (*_OWN.get(daemon, ()), memory)
    )
    return (*hadoops, process) if daemon in _MASTERS else hadoops
