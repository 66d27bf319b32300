"""The bytes of one workload on a cluster, from layer to layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from howdah.analysis.evidence.account import Explanation

FlowLayer = Literal["workload", "Hadoop", "DataNodes", "network", "disks"]
"""Where bytes are counted: the workload's rows; Hadoop's job counters; the DataNodes' own counters; the
network interfaces and the disks of the workers."""

Direction = Literal["read", "written", "received", "sent"]
"""Which way bytes went; ``received`` and ``sent`` are the network's."""


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
    what: str
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
    explained: tuple[Explanation, ...]

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

    ``replication`` is that of the files it wrote (None: it wrote none, or nobody says), ``codec_ratio`` the
    map output before compression over after (1: none), ``map_spills`` and ``reduce_spills`` how often a
    record of intermediate data was written on either side, ``local_share`` the part of the input that
    was read by the worker that holds it, ``remote_share`` the part of the shuffle that crossed from one
    worker to another.
    """

    workload: str
    replication: int | None
    codec_ratio: float
    map_spills: float
    reduce_spills: float
    local_share: float | None
    remote_share: float | None
    nodes: tuple[FlowNode, ...]
    flows: tuple[Flow, ...]
    layers: tuple[LayerAccount, ...]
