"""What analysis derives from a run: the data its findings stand on and the report's figures show.

Everything is in SI base units; times are seconds since the start of the run. A share runs from 0 to 1.
What a run does not hold (no samples, no limits, no tasks) leaves its tuple empty or its field None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from howdah.analysis.evidence.losses import FaultEffect, JournalLoad, MasterLoad, MasterLoss, WorkerLoss
from howdah.analysis.evidence.operations import (
    LatencyCourse,
    OperationLatency,
    RegionServerUse,
    RegionUse,
    TableFlow,
    Tail,
    ThroughputLimit,
)
from howdah.analysis.evidence.times import (
    FloorDistance,
    JobOverhead,
    KnownTime,
    LimitShare,
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

if TYPE_CHECKING:
    from howdah.analysis.operation_steps import TimedRun


@dataclass(frozen=True, eq=False)
class Evidence:
    """All derived data of one run.

    From ``machines`` on, a run on one machine without Hadoop has nothing but that machine.
    """

    timed: TimedRun  # The run itself, for findings on what no figure shows.
    workloads: tuple[WorkloadTime, ...]
    data_disks: tuple[str, ...]  # The devices that carry data directories.
    use: tuple[StretchUse, ...]
    series: tuple[Series, ...]
    gauges: tuple[Gauge, ...]
    accounts: tuple[ByteAccount, ...]
    spreads: tuple[TaskSpread, ...]
    limits: tuple[LimitShare, ...]
    dfsio: tuple[DfsioFigures, ...]
    storage: tuple[StorageZones, ...]
    machines: tuple[MachineOfRun, ...] = ()
    flows: tuple[ByteFlow, ...] = ()
    replicas: tuple[ReplicaBalance, ...] = ()
    stragglers: tuple[Straggler, ...] = ()
    losses: tuple[WorkerLoss, ...] = ()
    overheads: tuple[JobOverhead, ...] = ()
    masters: tuple[MasterLoad, ...] = ()
    master_losses: tuple[MasterLoss, ...] = ()
    journals: tuple[JournalLoad, ...] = ()
    floors: tuple[FloorDistance, ...] = ()
    known_times: tuple[KnownTime, ...] = ()
    others: tuple[OthersUse, ...] = ()
    neighbours: tuple[NeighbourUse, ...] = ()
    latencies: tuple[OperationLatency, ...] = ()
    courses: tuple[LatencyCourse, ...] = ()
    tails: tuple[Tail, ...] = ()
    throughput_limits: tuple[ThroughputLimit, ...] = ()
    region_servers: tuple[RegionServerUse, ...] = ()
    regions: tuple[RegionUse, ...] = ()
    table_flows: tuple[TableFlow, ...] = ()
    server_events: tuple[ServerEvent, ...] = ()
    fault_effects: tuple[FaultEffect, ...] = ()
    spark: tuple[SparkUse, ...] = ()

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
