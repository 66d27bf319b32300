"""The bytes of a workload: what should move, what moved, from layer to layer, and where copies lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self

from howdah.model.cluster import ReplicaSpread


@dataclass(frozen=True)
class ByteExplanation:
    """A part of the difference between devices and counters, signed like it, and why it is there."""

    reason: str
    bytes: float
    sure: Literal["measured", "likely", "guess"]


@dataclass(frozen=True)
class ByteSide:
    """One direction (reading or writing) of a workload's byte account."""

    should: float | None  # Theory; None: nothing to compute it from, or the workload did not finish.
    reported: float  # By the workload's own counters.
    devices: float | None  # What the data disks counted; None: no samples.
    resolution: float  # Bounds the error that comes from samples not falling on the workload's ends.
    explained: tuple[ByteExplanation, ...]

    @property
    def remainder(self) -> float | None:
        """Bytes on the devices beyond those the workload reports; negative where there were fewer."""
        return None if self.devices is None else self.devices - self.reported

    @property
    def unexplained(self) -> float | None:
        """The part of the remainder for which there is no explanation."""
        parts = sum(part.bytes for part in self.explained)
        return None if self.remainder is None else self.remainder - parts


@dataclass(frozen=True)
class ByteAccount:
    """What a workload should move, reports, and what the data disks did meanwhile."""

    workload: str
    disks: tuple[str, ...]
    read: ByteSide
    write: ByteSide


FlowLayer = Literal["workload", "Hadoop", "HBase", "DataNodes", "network", "disks"]
"""Where bytes are counted: the workload's rows; Hadoop's job counters; RegionServers'; the DataNodes' own
counters; the network interfaces and the disks of the workers."""

Direction = Literal["read", "written", "received", "sent"]  # ``received`` and ``sent`` are the network's.


@dataclass(frozen=True)
class FlowNode:
    """A box of the flow picture: ``key`` is unique, ``label`` for people."""

    key: str
    label: str
    layer: FlowLayer
    column: int  # From 0 on the left, where data is read, to the right, where it is written.


@dataclass(frozen=True)
class Flow:
    """Bytes that go from one node to another, in theory, measured or both; None where nothing tells."""

    source: str
    target: str
    stream: str
    theory: float | None  # Those that the rows, the replication and the compression ratio ask for.
    measured: float | None
    by: str  # The counter or metric that measured them.

    @property
    def bytes(self) -> float:
        """The width to draw: what was measured, or else theory."""
        return self.measured if self.measured is not None else (self.theory or 0.0)


@dataclass(frozen=True)
class LayerAccount:
    """One layer and direction: what theory asks of it, what it counted, and what that leaves."""

    layer: FlowLayer
    direction: Direction
    theory: float
    counted: float
    by: str
    resolution: (
        float  # Bounds the error of samples beside the workload's ends, and of what is a matter of lot.
    )
    explained: tuple[ByteExplanation, ...]

    @property
    def remainder(self) -> float:
        """Bytes counted beyond theory; negative where there were fewer."""
        return self.counted - self.theory

    @property
    def unexplained(self) -> float:
        """The part of the remainder for which there is no explanation."""
        return self.remainder - sum(part.bytes for part in self.explained)


@dataclass(frozen=True)
class ByteFlow:
    """The bytes of one workload through all layers, for a flow picture, and layer by layer."""

    workload: str
    replication: float | None  # Of its files, of coded ones bytes on disks for each; None if unknown.
    nodes: tuple[FlowNode, ...]
    flows: tuple[Flow, ...]
    layers: tuple[LayerAccount, ...] = ()
    codec_ratio: float = 1.0  # Map output before compression over after; 1: none.
    map_spills: float = 1.0  # How often a record of intermediate data was written on the maps' side.
    reduce_spills: float = 1.0  # The same on the reduces' side.
    local_share: float | None = None  # The part of the input that was read by the worker that holds it.
    remote_share: float | None = None  # The part of the shuffle that crossed from one worker to another.

    @classmethod
    def of(
        cls,
        workload: str,
        replication: float | None,
        nodes: Iterable[FlowNode],
        flows: Iterable[Flow],
        **quantities: Any,
    ) -> Self:
        """The flows that have any bytes, with the boxes that they connect."""
        drawn = tuple(flow for flow in flows if flow.theory or flow.measured)
        return cls(workload, replication, connected(nodes, drawn), drawn, **quantities)


def connected(nodes: Iterable[FlowNode], flows: Iterable[Flow]) -> tuple[FlowNode, ...]:
    """The boxes at the ends of these flows."""
    ends = {end for flow in flows for end in (flow.source, flow.target)}
    return tuple(node for node in nodes if node.key in ends)


@dataclass(frozen=True)
class ReplicaBalance:
    """Replicas of one workload's output per DataNode, by fsck."""

    workload: str
    spread: ReplicaSpread
    kept_apart: bool
    """Whether the plan asks HDFS to keep replicas on different hosts, by node groups or upgrade domains; no
    blocks may then share a host."""

    @property
    def replicas(self) -> tuple[int, ...]:
        """Replicas on each DataNode."""
        return tuple(self.spread.per_worker.values())

    @property
    def mean(self) -> float:
        return sum(self.replicas) / max(1, len(self.replicas))

    @property
    def max_over_mean(self) -> float:
        """How many times the mean is on the fullest DataNode."""
        return max(self.replicas, default=0) / self.mean if self.mean else 1.0


@dataclass(frozen=True)
class DfsioFigures:
    """TestDFSIO's figures by its own definitions; MB is 2**20 bytes there.

    Throughput is all MB over the sum of the files' I/O seconds; the average is the mean of the files'
    own rates, the deviation sqrt(|mean of squared rates - squared mean|).
    """

    workload: str
    files: int
    total_mb: float
    throughput_mb_per_s: float
    average_mb_per_s: float
    deviation_mb_per_s: float
    exec_s: float


@dataclass(frozen=True)
class StorageZones:
    """Throughput of files written or read one after another on one data directory, first to last."""

    workload: str
    data_dir: str
    operation: Literal["write", "read"]
    rates_bytes_per_s: tuple[float, ...]
    drop: float  # The share lost from the outermost to the innermost files: medians of a tenth at each end.
