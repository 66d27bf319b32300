"""Erasure-coded files on a lab for real: sorted and checked, a worker lost and rebuilt, a worker drained."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from howdah.model.request import CodedDirectory
from howdah.model.run import Outcome, RunRecord
from support.daemons import FETCH, LIB
from support.lab_command import Lab
from support.lab_hosts import can_build
from support.labs import lab_plan, save_plan, soon

pytestmark = [
    pytest.mark.exam("coding"),
    pytest.mark.xdist_group("laboratory"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"),
]

POLICY = "XOR-2-1-1024k"
"""Three units: as many as four workers can hold with one of them lost."""
SOON = {
    # A lost DataNode is given up after 2 × 10 s and 10 heartbeats.
    "dfs.namenode.heartbeat.recheck-interval": "10000",
    "dfs.namenode.decommission.interval": "5",
    "dfs.blocksize": "16777216",
}
FILES, FILE_BYTES = 4, 32 * 2**20


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("coding")
    plan = lab_plan(
        disk_bytes=2 * 10**9, settings=SOON, coded=(CodedDirectory(path="/coded", policy=POLICY),)
    )
    one = Lab(folder, f"test-{os.getpid()}")
    try:
        one.up(save_plan(soon(plan), folder))
        yield one
    finally:
        one.try_to("down")


def _ran(lab: Lab, *words: str) -> RunRecord:
    lab.run(*words)
    record = lab.last_run().record
    assert record.outcome is Outcome.SUCCEEDED, record.error
    return record


@pytest.mark.parametrize("coded", [True, False])
def test_a_lost_worker_is_rebuilt_and_the_files_are_read_back(lab: Lab, coded: bool) -> None:
    policy = ("--erasure-coding", POLICY) if coded else ("--replication", "2")
    record = _ran(
        lab,
        *("rebuild", "--files", str(FILES), "--file-size", str(FILE_BYTES), *policy),
        *("--fault", "lose worker:h2-2 at redundancy 0s"),
    )
    written, redundancy, read = record.workloads
    metrics = {metric.name: metric.value for metric in redundancy.metrics}
    assert written.replicas is not None
    per_worker = written.replicas.per_worker["h2-2"]
    assert metrics["blocks not rebuilt"] == 0
    assert metrics["rebuild time"] > 0
    # It is given up after 2 × 10 s and 10 heartbeats of 3 s.
    assert metrics["time until noticed"] > 40
    if coded:
        assert metrics["rebuilt units"] >= per_worker > 0
        # Each unit is computed from two others.
        assert metrics["bytes read to rebuild units"] == pytest.approx(
            2 * metrics["rebuilt bytes of units"], rel=0.05
        )
        assert metrics["decoding time"] > 0
    else:
        assert metrics["rebuilt units"] == 0
        assert metrics["copied blocks"] >= per_worker > 0
    assert read.counters.read_bytes == FILES * FILE_BYTES
    assert [fault.state for fault in record.faults] == ["undone"]
    assert any(event.kind == "datanode-given-up" and event.held_bytes for event in record.events)


@pytest.mark.parametrize("time", ["first", "second"])
def test_coded_rows_are_sorted_while_a_worker_is_drained(lab: Lab, time: str) -> None:
    """Coded rows take half a byte more for each, and the drained worker is a member again afterwards.

    With node groups the NameNode exits when it is drained for the second time.
    """
    record = _ran(
        lab,
        *("terasuite", "--rows", "200k", "--erasure-coding", POLICY),
        *("--fault", "drain worker:h2-2 at 15s"),
    )
    generated, sorted_rows, validated = record.workloads
    assert validated.checksum == validated.expected_checksum == generated.checksum
    for result in (generated, sorted_rows):
        assert result.replicas is not None
        assert result.replicas.policy == POLICY
        assert result.replicas.stored_bytes == pytest.approx(1.5 * result.replicas.bytes, rel=0.1)
    assert [fault.state for fault in record.faults] == ["undone"]
    drained = [event for event in record.events if event.kind == "datanode-drained"]
    assert [event.worker for event in drained] == ["h2-2"]
    assert drained[0].since_s is not None
    assert drained[0].since_s < drained[0].time_s
    report = lab.on("client", "hdfs", "dfsadmin", "-report", "-live")
    assert report.count("Decommission Status : Normal") == 4
