"""A run of YCSB while a RegionServer was killed: what was done, probed, logged and read back."""

from __future__ import annotations

import numpy as np

from howdah.model.faults import CELLS_LOST, CELLS_READ, FaultReport, ProbeOutage, ProbeReport, RecoveryStep
from howdah.model.reported import LatencyHistogram, ResultMetric, encoded
from howdah.model.run import Sample
from howdah.model.tables import LATENCIES_SCHEMA, SAMPLES_SCHEMA, RunData
from support.table_runs import TableScene, table, table_run

KILL = FaultReport(
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


def probe(of: str, *outages: ProbeOutage) -> ProbeReport:
    """What one saw that asked from second 5 to 44."""
    return ProbeReport(
        of=of, operation="write", start_s=5, end_s=44, asked=390, failed=3, longest_s=0.2, outages=outages
    )


def faulted(*faults: FaultReport, lost: int = 0, probes: tuple[ProbeReport, ...] = ()) -> RunData:
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


def stalled(run: RunData, start_s: float, end_s: float) -> RunData:
    """The run with clients that stood still for a while: requests of its beginning ended when it was over."""
    keep = [
        LatencyHistogram(*row)
        for row in zip(*(column.to_pylist() for column in run.latencies.columns), strict=True)
    ]
    rows = [row for row in keep if not start_s < row.end_s <= end_s]
    held = next(row for row in rows if row.start_s >= end_s)
    waited = held._replace(operations=1, histogram=encoded(np.array([end_s - start_s])))
    return run._replace(latencies=table([*rows, waited], LATENCIES_SCHEMA))


def busy_while(run: RunData, machine: str, start_s: float, end_s: float) -> RunData:
    """The run with a machine whose four CPUs had no time left in a stretch."""
    rows = [Sample(*row) for row in zip(*(column.to_pylist() for column in run.samples.columns), strict=True)]

    def full(row: Sample) -> Sample:
        idle = row.metric == "cpu/all/idle_s"
        if row.host != machine or not (idle or row.metric == "cpu/all/user_s"):
            return row
        spent_s = 4 * 0.55 * (min(max(row.time_s, start_s), end_s) - start_s)
        return row._replace(value=row.value - spent_s if idle else row.value + spent_s)

    return run._replace(samples=table([full(row) for row in rows], SAMPLES_SCHEMA))


def taken_over(run: RunData, lost: str, by: str, since_s: float) -> RunData:
    """The run with a RegionServer that answered nothing from a moment on, whose requests another had."""
    names = [f"regionserver/{what}_requests" for what in ("get", "mutate")]
    rows = [Sample(*row) for row in zip(*(column.to_pylist() for column in run.samples.columns), strict=True)]
    at = {(row.time_s, row.host, row.metric): row.value for row in rows}

    def moved(row: Sample) -> Sample:
        if row.metric not in names or row.time_s <= since_s or row.host not in (lost, by):
            return row
        had = at[since_s, lost, row.metric]
        value = had if row.host == lost else row.value + at[row.time_s, lost, row.metric] - had
        return row._replace(value=value)

    return run._replace(samples=table([moved(row) for row in rows], SAMPLES_SCHEMA))


OUT = (
    probe("region -", ProbeOutage(start_s=20.0, end_s=31.0, failed=11, said="ConnectException")),
    probe("region user3", ProbeOutage(start_s=20.1, end_s=29.1)),
    probe("region user6"),
)
