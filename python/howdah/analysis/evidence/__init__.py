"""What analysis derives from a run: the data its findings stand on and the report's figures show.

Everything is in SI base units; times are seconds since the start of the run. A share runs from 0 to 1.
What a run does not hold (no samples, no limits, no tasks) leaves its tuple empty or its field None.
"""

from __future__ import annotations

from dataclasses import dataclass

from howdah.analysis.evidence.losses import (
    FaultEffect,
    JournalLoad,
    MasterLoad,
    MasterLoss,
    Rebuild,
    SparkLoss,
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
    ThroughputLimit,
)
from howdah.analysis.evidence.times import (
    Balance,
    FloorDistance,
    JobOverhead,
    KnownTime,
    LimitShare,
    Spills,
    Starvation,
    Straggler,
    TaskSpread,
    WorkloadTime,
)
from howdah.analysis.evidence.use import (
    Gauge,
    MachineOfRun,
    NeighbourUse,
    OthersUse,
    Series,
    SparkUse,
    StretchUse,
)
from howdah.analysis.evidence.volumes import ByteAccount, ByteFlow, DfsioFigures, ReplicaBalance, StorageZones
from howdah.model.comparison import Finding
from howdah.model.tables import ServerEvent


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
    known_times: tuple[KnownTime, ...] = ()
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
        return next(time for time in self.workloads if time.workload == workload)

    def series_of(self, subject: str, *quantities: str) -> list[Series]:
        """The series of some quantities of a subject, all of them if none are named, without the loopback."""
        return [
            series
            for series in self.series
            if series.subject == subject
            and (not quantities or series.quantity in quantities)
            and series.instance != "lo"
        ]


@dataclass(frozen=True, eq=False)
class Analysis:
    """The findings in the order a reader should meet them (the answer first), and their evidence."""

    findings: tuple[Finding, ...]
    evidence: Evidence
