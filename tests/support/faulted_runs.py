"""A run of YCSB while a RegionServer was killed: what was done, probed, logged and read back."""

from __future__ import annotations

from howdah.model.faults import CELLS_LOST, CELLS_READ, FaultTold, ProbeOutage, ProbeTold, RecoveryStep
from howdah.model.reported import ResultMetric
from howdah.model.tables import RunData
from support.table_runs import TableScene, table_run

KILL = FaultTold(
    fault="kill regionserver@w1 at ycsb-a 40%",
    state="undone",
    came_s=20.0,
    begun_s=20.1,
    ended_s=44.0,
    hit=("regionserver on w1",),
)
LINES = (
    ("RegionServer missed", 26.1),
    ("regions open", 29.0),
    ("regions open", 31.0),
    ("regions open", 43.0),
)


def probe(of: str, *outages: ProbeOutage) -> ProbeTold:
    """What one saw that asked from second 5 to 44."""
    return ProbeTold(
        of=of, operation="write", start_s=5, end_s=44, asked=390, failed=3, longest_s=0.2, outages=outages
    )


def faulted(*faults: FaultTold, lost: int = 0, probes: tuple[ProbeTold, ...] = ()) -> RunData:
    """The run; ``lost`` of a thousand acknowledged writes are lost."""
    run = table_run(TableScene(seconds=40))
    (result,) = run.record.workloads
    metrics = (
        ResultMetric(name=CELLS_READ, value=1000.0, unit="1"),
        ResultMetric(name=CELLS_LOST, value=float(lost), unit="1", better="lower"),
    )
    steps = tuple(
        RecoveryStep(time_s=time_s, name=name, machine="m1", daemon="hmaster", line=name)
        for name, time_s in LINES
    )
    update = {
        "faults": faults,
        "probes": probes,
        "recovery": steps,
        "workloads": (result.model_copy(update={"metrics": (*result.metrics, *metrics)}),),
    }
    return run._replace(record=run.record.model_copy(update=update))


OUT = (
    probe("region -", ProbeOutage(start_s=20.0, end_s=31.0, failed=11, said="ConnectException")),
    probe("region user3", ProbeOutage(start_s=20.1, end_s=29.1)),
    probe("region user6"),
)
