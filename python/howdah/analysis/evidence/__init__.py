"""What analysis derives from a run: the data its findings stand on and the report's figures show.

Everything is in SI base units; times are seconds since the start of the run. A share runs from 0 to 1.
What a run does not hold (no samples, no limits, no tasks) leaves its tuple empty or its field None.
"""

from __future__ import annotations

from dataclasses import dataclass

from howdah.analysis.evidence.losses import (
    ClientWait,
    FaultEffect,
    JournalLoad,
    MasterLoad,
    MasterLoss,
    Rebuild,
    Stall,
    Wait,
    WorkerDrain,
    WorkerLoss,
)
from howdah.analysis.evidence.operations import (
    LatencyCourse,
    OperationLatency,
    RegionServerUse,
    RegionUse,
    RequestCheck,
    TableFlow,
    Tail,
    TailCause,
    TailKind,
    ThroughputBound,
    ThroughputLimit,
)
from howdah.analysis.evidence.spark import ExecutorEstimate, ExecutorUse, SparkLoss, SparkUse
from howdah.analysis.evidence.times import (
    Balance,
    Bound,
    Cause,
    FloorDistance,
    JobOverhead,
    KnownTime,
    LimitShare,
    PhaseTime,
    Rate,
    Sign,
    Spills,
    Starvation,
    Straggler,
    TaskSpread,
    WorkloadTime,
)
from howdah.analysis.evidence.use import (
    CpuShare,
    DiskShare,
    DiskUse,
    FloatArray,
    Gauge,
    HostUse,
    Level,
    MachineOfRun,
    NeighbourUse,
    NicUse,
    OthersUse,
    Series,
    StretchUse,
)
from howdah.analysis.evidence.volumes import (
    ByteAccount,
    ByteExplanation,
    ByteFlow,
    ByteSide,
    DfsioFigures,
    Direction,
    Flow,
    FlowLayer,
    FlowNode,
    LayerAccount,
    ReplicaBalance,
    StorageZones,
)
from howdah.model.finding import Finding
from howdah.model.tables import ServerEvent

__all__ = [
    "Analysis",
    "Balance",
    "Bound",
    "ByteAccount",
    "ByteExplanation",
    "ByteFlow",
    "ByteSide",
    "Cause",
    "ClientWait",
    "CpuShare",
    "DfsioFigures",
    "Direction",
    "DiskShare",
    "DiskUse",
    "Evidence",
    "ExecutorEstimate",
    "ExecutorUse",
    "FaultEffect",
    "FloatArray",
    "FloorDistance",
    "Flow",
    "FlowLayer",
    "FlowNode",
    "Gauge",
    "HostUse",
    "JobOverhead",
    "JournalLoad",
    "KnownTime",
    "LatencyCourse",
    "LayerAccount",
    "Level",
    "LimitShare",
    "MachineOfRun",
    "MasterLoad",
    "MasterLoss",
    "NeighbourUse",
    "NicUse",
    "OperationLatency",
    "OthersUse",
    "PhaseTime",
    "Rate",
    "Rebuild",
    "RegionServerUse",
    "RegionUse",
    "ReplicaBalance",
    "RequestCheck",
    "Series",
    "Sign",
    "SparkLoss",
    "SparkUse",
    "Spills",
    "Stall",
    "Starvation",
    "StorageZones",
    "Straggler",
    "StretchUse",
    "TableFlow",
    "Tail",
    "TailCause",
    "TailKind",
    "TaskSpread",
    "ThroughputBound",
    "ThroughputLimit",
    "Wait",
    "WorkerDrain",
    "WorkerLoss",
    "WorkloadTime",
]


@dataclass(frozen=True, eq=False)
class Evidence:
    """All derived data of one run.

    ``data_disks`` are the devices that carry data directories. From ``machines`` on, a run on one
    machine without Hadoop has nothing but that machine.
    """

    workloads: tuple[WorkloadTime, ...]
    data_disks: tuple[str, ...]
    use: tuple[StretchUse, ...]
    series: tuple[Series, ...]
    gauges: tuple[Gauge, ...]
    accounts: tuple[ByteAccount, ...]
    spreads: tuple[TaskSpread, ...]
    balances: tuple[Balance, ...]
    spills: tuple[Spills, ...]
    limits: tuple[LimitShare, ...]
    dfsio: tuple[DfsioFigures, ...]
    storage: tuple[StorageZones, ...]
    machines: tuple[MachineOfRun, ...] = ()
    flows: tuple[ByteFlow, ...] = ()
    replicas: tuple[ReplicaBalance, ...] = ()
    stragglers: tuple[Straggler, ...] = ()
    losses: tuple[WorkerLoss, ...] = ()
    drains: tuple[WorkerDrain, ...] = ()
    overheads: tuple[JobOverhead, ...] = ()
    masters: tuple[MasterLoad, ...] = ()
    master_losses: tuple[MasterLoss, ...] = ()
    journals: tuple[JournalLoad, ...] = ()
    floors: tuple[FloorDistance, ...] = ()
    beside: tuple[KnownTime, ...] = ()
    others: tuple[OthersUse, ...] = ()
    neighbours: tuple[NeighbourUse, ...] = ()
    latencies: tuple[OperationLatency, ...] = ()
    starvations: tuple[Starvation, ...] = ()
    courses: tuple[LatencyCourse, ...] = ()
    tails: tuple[Tail, ...] = ()
    throughput_limits: tuple[ThroughputLimit, ...] = ()
    region_servers: tuple[RegionServerUse, ...] = ()
    regions: tuple[RegionUse, ...] = ()
    request_checks: tuple[RequestCheck, ...] = ()
    table_flows: tuple[TableFlow, ...] = ()
    server_events: tuple[ServerEvent, ...] = ()
    fault_effects: tuple[FaultEffect, ...] = ()
    spark: tuple[SparkUse, ...] = ()
    spark_losses: tuple[SparkLoss, ...] = ()
    rebuilds: tuple[Rebuild, ...] = ()

    def time_of(self, workload: str) -> WorkloadTime:
        """The times of a workload by its name in this evidence."""
        return next(time for time in self.workloads if time.workload == workload)


@dataclass(frozen=True, eq=False)
class Analysis:
    """The findings in the order a reader should meet them (the answer first), and their evidence."""

    findings: tuple[Finding, ...]
    evidence: Evidence
