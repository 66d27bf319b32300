"""What a report tells of drained workers, and of what HDFS rebuilt."""

from __future__ import annotations

import pytest

from howdah.analysis import analyse
from howdah.model.cluster import Event
from howdah.model.reported import ResultMetric
from howdah.model.run import Outcome, WorkloadResult
from howdah.model.tables import RunData
from howdah.model.workloads.redundancy import Redundancy
from support.cluster_records import terasort_on
from support.cluster_scene import Scene
from support.findings import found


def _with(**changes: object) -> RunData:
    run = terasort_on(Scene())
    return run._replace(record=run.record.model_copy(update=changes))


def test_a_drained_worker_is_told_with_its_time_its_bytes_and_the_workload() -> None:
    event = Event(
        time_s=42.0, worker="h2-2", kind="datanode-drained", text="", held_bytes=3 * 10**8, since_s=12.0
    )
    (finding,) = found(_with(events=(event,)), "worker-drained")
    assert finding.severity == "note"
    assert finding.text == (
        "h2-2 was drained in 30.0 s with 300 MB on its disks, while terasort ran; maps took 4.62 s then, and "
        "4.50 s otherwise"
    )
    (drain,) = analyse(_with(events=(event,))).evidence.drains
    assert drain.workloads == ("terasort",)
    # It was not lost.
    assert analyse(_with(events=(event,))).evidence.losses == ()


def _rebuilt(**counted: float) -> WorkloadResult:
    metrics = {
        "rebuild time": 20.0,
        "time until noticed": 55.0,
        "blocks not rebuilt": 0,
        "copied blocks": 0,
        "copied bytes": 0,
        "rebuilt units": 12,
        "rebuilt bytes of units": 10**8,
        "bytes read to rebuild units": 2 * 10**8,
        "rebuild rate": 5 * 10**6,
    } | {name.replace("_", " "): value for name, value in counted.items()}
    return WorkloadResult(
        workload=Redundancy(),
        start_s=0.0,
        end_s=80.0,
        outcome=Outcome.SUCCEEDED,
        metrics=tuple(
            ResultMetric(name=name, value=value, unit="s" if "time" in name else "1")
            for name, value in metrics.items()
        ),
    )


@pytest.mark.parametrize(
    ("counted", "severity", "text"),
    [
        (
            {},
            "note",
            "redundancy: HDFS was redundant again after 20.0 s: 12 units of coded blocks (100 MB) were "
            "computed from 200 MB, 5.00 MB/s; the NameNode began 55.0 s after the start",
        ),
        (
            {"rebuilt_units": 0, "copied_blocks": 9, "copied_bytes": 10**8, "blocks_not_rebuilt": 2},
            "warning",
            "redundancy: 2 blocks were not rebuilt; HDFS was redundant again after 20.0 s: 9 blocks (100 MB) "
            "copied, 5.00 MB/s; the NameNode began 55.0 s after the start",
        ),
    ],
)
def test_a_rebuild_is_told_with_time_and_bytes(counted: dict[str, float], severity: str, text: str) -> None:
    (finding,) = found(_with(workloads=(_rebuilt(**counted),)), "rebuild")
    assert (finding.severity, finding.text) == (severity, text)
