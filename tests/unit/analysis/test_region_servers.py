"""What RegionServers did: held against clients' counts, and one that is asked more than others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.machines import Timeline
from howdah.analysis.region_servers import asked_for, server_events
from howdah.analysis.table_flows import find_table_flows, rewrites
from howdah.model.reported import OperationCount
from howdah.model.tables import RunData
from support.findings import found
from support.table_runs import FIELD_BYTES, KEY_BYTES, RATE, TableScene, table_run

SECONDS = 40
EACH = RATE * SECONDS / 3
"""Gets of each server, and as many mutations."""


@pytest.fixture(scope="module")
def run() -> RunData:
    return table_run(TableScene(cause="collector", seconds=SECONDS))


def test_what_each_server_did(run: RunData) -> None:
    servers = analyse(run).evidence.region_servers
    assert [use.machine for use in servers] == ["w1", "w2", "w3"]
    for use in servers:
        assert use.gets == pytest.approx(EACH)
        assert use.mutations == use.wal_appends == pytest.approx(EACH)
        assert use.requests / use.seconds == pytest.approx(2 * RATE / 3)
        assert use.hit_share == pytest.approx(0.99)
        assert use.sync_s == pytest.approx(0.001)
        assert use.flushes == 2
        assert use.memstore_bytes == 40_000_000
    assert [use.longest_pause_s for use in servers] == pytest.approx([0.003, 0.12, 0.003])


def test_servers_that_counted_what_clients_asked_for(run: RunData) -> None:
    (told,) = found(run, "request-accounting")
    assert told.severity == "note"
    assert "16,000 gets, 16,000 mutations and 16,000 entries in the WAL" in told.text


def test_servers_that_counted_more_than_was_asked_for(run: RunData) -> None:
    (result,) = run.record.workloads
    fewer = tuple(OperationCount(operation=one.operation, done=one.done // 2) for one in result.operations)
    record = run.record.model_copy(update={"workloads": (result.model_copy(update={"operations": fewer}),)})
    (told,) = found(run._replace(record=record), "request-accounting")
    assert told.severity == "warning"
    assert "+100 %" in told.text


def test_requests_spread_evenly_and_not(run: RunData) -> None:
    (even,) = found(run, "request-skew")
    assert even.severity == "note"
    assert "evenly" in even.text
    (hot,) = found(table_run(TableScene(steady="hot server", seconds=SECONDS)), "request-skew")
    assert hot.severity == "warning"
    assert "w1 had 80 % of the requests of 3 RegionServers" in hot.text


def test_bytes_from_clients_to_disks(run: RunData) -> None:
    (flow,) = analyse(run).evidence.table_flows
    updates = RATE * SECONDS
    assert flow.cells == updates
    assert flow.client_bytes == updates * FIELD_BYTES
    assert flow.wal_bytes == pytest.approx(updates * (FIELD_BYTES + KEY_BYTES))
    assert flow.flushed_share == pytest.approx(1.0)
    # Three replicas each of the WAL and of what is flushed; two files are not merged.
    assert flow.expected == pytest.approx(6 * (FIELD_BYTES + KEY_BYTES) / FIELD_BYTES)
    assert flow.amplification == pytest.approx(flow.expected)
    streams = {(stream.source, stream.target): stream for stream in flow.picture.flows}
    assert streams["servers", "wal"].measured == pytest.approx(flow.wal_bytes)
    into = sum(stream.measured or 0 for (_, target), stream in streams.items() if target == "blocks")
    assert into == pytest.approx(flow.datanode_bytes)


def test_files_are_merged_as_often_as_threes_go_into_them() -> None:
    assert rewrites(8, 4) == 0
    assert rewrites(12, 4) == pytest.approx(1)
    assert rewrites(36, 4) == pytest.approx(2)
    assert rewrites(5, 0) == 0


def test_counters_tell_of_events_where_no_log_was_read() -> None:
    bare = table_run(TableScene(cause="compactions", seconds=SECONDS, logs=False))
    told = server_events(bare, Timeline(bare.samples))
    compactions = [event for event in told if event.kind == "compaction"]
    assert {event.machine for event in compactions} == {"w1"}
    assert all(event.seconds == 1 and "between two samples" in event.detail for event in compactions)
    assert [event.start_s for event in told] == sorted(event.start_s for event in told)


def test_what_limits_requests() -> None:
    """Nothing full, then a client's CPU, and a target that was met."""
    quiet = analyse(table_run(TableScene(seconds=SECONDS))).evidence.throughput_limits[0]
    assert (quiet.bound, quiet.at_once) == ("waiting", 2)
    assert quiet.per_s == pytest.approx(2 * RATE)
    assert quiet.mean_s == pytest.approx(0.0015, rel=0.5)
    busy = table_run(TableScene(steady="client CPU", seconds=SECONDS))
    limit = analyse(busy).evidence.throughput_limits[0]
    assert (limit.bound, limit.machine) == ("client CPU", "c2")
    assert limit.value == pytest.approx(0.97)
    (result,) = busy.record.workloads
    asked = result.model_copy(update={"workload": result.workload.model_copy(update={"target": 2 * RATE})})
    record = busy.record.model_copy(update={"workloads": (asked,)})
    assert analyse(busy._replace(record=record)).evidence.throughput_limits[0].bound == "the target"


def test_the_hottest_region_is_named(run: RunData) -> None:
    (even,) = found(run, "hot-region")
    assert even.severity == "note"
    assert "to 12 regions: it was spread evenly" in even.text
    (hot,) = found(table_run(TableScene(steady="hot server", seconds=SECONDS)), "hot-region")
    assert hot.severity == "warning"
    assert "region usertable w1r2 on w1 had 45 % of the requests to 12 regions, 5.4 × the mean" in hot.text


def test_answers_count_what_was_asked_while_warming_up_too() -> None:
    counts = [
        OperationCount(operation="read", done=80, returns={"OK": 99, "NOT_FOUND": 1}),
        OperationCount(operation="update", done=5),
    ]
    assert asked_for(counts, ("read",)) == 100
    assert asked_for(counts, ("read", "update")) == 105
    assert asked_for(counts, ("scan",)) == 0


def test_bytes_far_from_theory_have_a_reason_and_few_of_them_no_ratio() -> None:
    run = table_run(TableScene(seconds=SECONDS))
    evidence = analyse(run).evidence
    (flow,) = evidence.table_flows

    def told(**values: Any) -> str:
        changed = replace(evidence, table_flows=(replace(flow, **values),))
        (finding,) = find_table_flows(run.record, changed)
        return finding.text

    assert f"wrote {flow.expected:.1f} × the " in told()
    few = told(amplification=217.0, client_bytes=3e6)
    assert "HDFS wrote 651 MB while clients wrote 3.00 MB, too little to compare with theory: WAL " in few
    bytes_ = {"client_bytes": 1e9, "wal_bytes": 1.1e9, "flushed_bytes": 1e9, "datanode_bytes": 30e9}
    much = told(amplification=30.0, expected=6.0, **bytes_)
    assert "wrote 30.0 × the 1.00 GB that the clients wrote, 6.0 × in theory (23.7 GB of it" in much
