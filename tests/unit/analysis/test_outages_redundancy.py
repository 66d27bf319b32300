"""Findings on lost and drained DataNodes, and on what HDFS copied or rebuilt for them."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pytest

from howdah.analysis.analyse import analyse
from howdah.model.cluster import Event
from howdah.model.comparison import Finding
from howdah.model.reported import ResultMetric
from howdah.model.run import Outcome, WorkloadResult
from howdah.model.tables import SAMPLES_SCHEMA, RunData
from howdah.model.workloads.hadoop_programs import Redundancy
from support.cluster_records import terasort_on, with_events
from support.cluster_scene import Scene
from support.findings import found

SEEN_S = 10.0
"""The last heartbeats; the DataNodes themselves answer until 13 s."""


def without_a_host(samples: Mapping[str, Mapping[float, float]]) -> RunData:
    """A sort during which a host with two DataNodes was lost; ``samples`` are of the NameNode, by metric."""
    run = terasort_on(Scene())
    rows = [
        {"time_s": time_s, "host": "m1", "metric": metric, "value": value}
        for metric, values in samples.items()
        for time_s, value in values.items()
    ]
    table = pa.concat_tables([run.samples, pa.Table.from_pylist(rows, schema=SAMPLES_SCHEMA)])
    events = [
        Event(time_s=SEEN_S + 4, worker=worker, kind="datanode-lost", text="no heartbeat", seen_s=SEEN_S)
        for worker in ("h2-1", "h2-2")
    ]
    return with_events(run._replace(samples=table.sort_by("time_s")), *events)


def finding_of(run: RunData) -> Finding:
    """The finding on HDFS's replicas."""
    (finding,) = (each for each in analyse(run).findings if each.id == "hdfs-rebuilt")
    return finding


def test_replicas_that_were_made_again() -> None:
    run = without_a_host(
        {
            "namenode/live_datanodes": {0.0: 4, 14.0: 4, 15.0: 2, 30.0: 2},
            "namenode/under_replicated": {0.0: 1, 14.0: 1, 15.0: 41, 20.0: 12, 25.0: 1, 30.0: 1},
        }
    )
    finding = finding_of(run)
    assert finding.severity == "note"
    assert "gave up the DataNodes of h2-1 and h2-2 2.00 s after the loss" in finding.text
    assert "up to 40 blocks had too few replicas, and all had theirs again 12.0 s" in finding.text


def test_replicas_that_are_still_missing() -> None:
    run = without_a_host(
        {
            "namenode/live_datanodes": {0.0: 4, 14.0: 4, 15.0: 2, 30.0: 2},
            "namenode/under_replicated": {0.0: 0, 14.0: 0, 15.0: 40, 30.0: 12},
        }
    )
    finding = finding_of(run)
    assert finding.severity == "warning"
    assert "not all had theirs again" in finding.text


def test_datanodes_that_were_not_given_up() -> None:
    run = without_a_host(
        {
            "namenode/live_datanodes": {0.0: 4, 30.0: 4},
            "namenode/under_replicated": {0.0: 0, 30.0: 0},
        }
    )
    finding = finding_of(run)
    assert "rebuilt nothing" in finding.text
    assert "dfs.namenode.heartbeat.recheck-interval" in finding.text


def test_nothing_is_concluded_without_samples_of_a_namenode() -> None:
    with pytest.raises(ValueError, match="not enough values"):
        finding_of(without_a_host({}))


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
    assert finding.workload == "terasort"
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
