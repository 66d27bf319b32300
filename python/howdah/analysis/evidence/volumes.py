"""The bytes of a workload: what should move, what moved, from layer to layer, and where copies lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from howdah.model.cluster import ReplicaSpread


@dataclass(frozen=True)
class ByteExplanation:
    """A part of the difference between devices and counters, signed like it, and why it is there."""

    reason: str
    bytes: float
    sure: Literal["measured", "likely", "guess"]


@dataclass(frozen=True)
class ByteSide:
    """One direction (reading or writing) of a workload's byte account.

    ``should`` is theory (None: nothing to compute it from, or the workload did not finish); ``reported``
    are the workload's own counters; ``devices`` is what the data disks counted (None: no samples);
    ``resolution`` bounds the error that comes from samples not falling on the workload's ends.
    """

    should: float | None
    reported: float
    devices: float | None
    resolution: float
    explained: tuple[ByteExplanation, ...]

    @property
    def remainder(self) -> float | None:
        """Bytes on the devices beyond those the workload reports; negative where there were fewer."""
        return None if self.devices is None else self.devices - self.reported

    @property
    def unexplained(self) -> float | None:
        """The part of the remainder for which there is no explanation."""
        if self.remainder is None:
            return None
        return self.remainder - sum(part.bytes for part in self.explained)


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
    """A box of the flow picture: ``key`` is unique, ``label`` for people.

    ``column`` counts from 0 on the left, where data is read, to the right, where it is written.
    """

    key: str
    label: str
    layer: FlowLayer
    column: int


@dataclass(frozen=True)
class Flow:
    """Bytes that go from one node to another.

    ``measured`` are the bytes somebody counted, ``by`` whom (a counter or metric by name); ``theory`` are
    those the rows, the replication and the compression ratio ask for. Either is None where nothing
    tells it; at least one is there.
    """

    source: str
    target: str
    stream: str
    theory: float | None
    measured: float | None
    by: str

    @property
    def bytes(self) -> float:
        """The width to draw: what was measured, or else theory."""
        return self.measured if self.measured is not None else (self.theory or 0.0)


@dataclass(frozen=True)
class LayerAccount:
    """One layer and direction: what theory asks of it, what it counted, and what that leaves.

    ``resolution`` bounds the error that comes from samples not falling on the workload's ends, and from
    what is a matter of lot.
    """

    layer: FlowLayer
    direction: Direction
    theory: float
    counted: float
    by: str
    resolution: float
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
    """The bytes of one workload through all layers, for a flow picture, and layer by layer.

    ``replication`` is that of the files it wrote, of coded ones the bytes on disks for each (None: it wrote
    none, or nobody says), ``codec_ratio`` the map output before compression over after (1: none),
    ``map_spills`` and ``reduce_spills`` how often a record of intermediate data was written on either
    side, ``local_share`` the part of the input that was read by the worker that holds it, ``remote_share``
    the part of the shuffle that crossed from one worker to another.
    """

    workload: str
    replication: float | None
    codec_ratio: float
    map_spills: float
    reduce_spills: float
    local_share: float | None
    remote_share: float | None
    nodes: tuple[FlowNode, ...]
    flows: tuple[Flow, ...]
    layers: tuple[LayerAccount, ...]


@dataclass(frozen=True)
class ReplicaBalance:
    """Replicas of one workload's output per DataNode, by fsck.

    ``kept_apart`` says whether the plan asks HDFS to keep replicas on different hosts, by node groups or
    upgrade domains; no blocks may then share a host.
    """

    workload: str
    spread: ReplicaSpread
    kept_apart: bool

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
    """Throughput of files written or read one after another on one data directory, first to last.

    ``drop`` is the share lost between the outermost and the innermost files (robustly: medians of the
    first and last tenth).
    """

    workload: str
    data_dir: str
    operation: Literal["write", "read"]
    rates_bytes_per_s: tuple[float, ...]
    drop: float
