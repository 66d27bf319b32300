"""When HDFS gave up lost DataNodes, and when all blocks had their replicas again."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pytest

from howdah.analysis import analyse
from howdah.model.cluster import Event
from howdah.model.finding import Finding
from howdah.model.tables import SAMPLES_SCHEMA, RunData
from support.cluster_records import terasort_on, with_events
from support.cluster_scene import Scene

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
