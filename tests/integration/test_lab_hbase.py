"""A laboratory that runs HBase: it comes up, keeps rows, loses a RegionServer and has it back."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.hadoop.daemons import DAEMONS
from howdah.model.faults import CELLS_LOST, CELLS_READ
from howdah.model.plan import Role
from howdah.model.run import WorkloadResult
from support.daemons import FETCH, HBASE_LIB, LIB, ROOT
from support.lab_command import Lab
from support.lab_hosts import can_build
from support.lab_traces import traces
from support.labs import lab_plan, save_plan, soon
from support.patience import PATIENCE_S

CLIENT = ROOT / "tests/data/hbase/PutGetScan.java"
pytestmark = [
    pytest.mark.exam("regions"),
    pytest.mark.xdist_group("laboratory"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not HBASE_LIB.exists(), reason=f"HBase's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"),
]

ROWS, RECORDS = 1000, 200
# As small as it can be: all of a RegionServer's heap is touched when it starts.
SMALL = {
    "HBASE_REGIONSERVER_OPTS": "-Xms512m -Xmx512m -XX:+UseG1GC",
    # A RegionServer that was killed is missed soon.
    "zookeeper.session.timeout": "10000",
}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    one = Lab(tmp_path, f"hbase-{os.getpid()}")
    yield one
    one.try_to("down")


def _run(lab: Lab, *words: str) -> WorkloadResult:
    """One of YCSB's programs on the laboratory, every row of its table read back."""
    done = lab.try_to_run(*words, engine="hbase")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (result,) = lab.last_run().record.workloads
    (read_back,) = (one for one in result.metrics if one.name == "rows read back")
    assert read_back.value == RECORDS
    return result


def _lose_a_regionserver(lab: Lab) -> None:
    """Killed under load: clients wait, regions go elsewhere, and nothing acknowledged is lost."""
    refused = lab.try_to_run("ycsb-a", "--fault", "kill regionserver@h9", engine="hbase")
    assert refused.returncode == 2
    assert "regionserver runs on h1, h2" in refused.stderr
    asked = ("--operations", "2000", "--fault", "kill regionserver@h2 at ycsb-a 30%")
    done = lab.try_to_run("ycsb-a", *asked, engine="hbase")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "after kill regionserver@h2: up to " in done.stdout
    record = lab.last_run().record
    (told,) = record.faults
    assert (told.state, told.hit) == ("undone", ("regionserver on h2",))
    # A busy machine answers late, too: that is no outage in which anything failed.
    failed = [outage for probe in record.probes for outage in probe.outages if outage.failed]
    assert failed
    assert all(outage.ended and outage.said for outage in failed)
    longest_s = [max((one.elapsed_s for one in probe.outages), default=0.0) for probe in record.probes]
    assert min(longest_s) < max(longest_s) / 2, "the other RegionServer answered"
    assert {"RegionServer missed", "logs split", "regions open"} <= {step.name for step in record.recovery}
    metrics = {metric.name: metric.value for metric in record.workloads[0].metrics}
    assert metrics[CELLS_READ] > 0
    assert metrics[CELLS_LOST] == 0

    assert lab.do("fault", "pause regionserver@h1 for 1s").splitlines() == [
        "pause regionserver@h1 for 1s: regionserver on h1",
        "pause regionserver@h1 for 1s: undone",
    ]
    assert lab.do("fault", "kill regionserver@h1") == "kill regionserver@h1: regionserver on h1\n"
    broken = lab.status()
    assert broken["missing"] == ["regionserver on h1"]
    assert broken["faults"] == ["kill regionserver@h1"]
    assert lab.do("heal") == "kill regionserver@h1: undone\n"
    assert lab.status()["missing"] == []
    assert lab.do("heal") == "no fault is active\n"


def test_hbase_keeps_its_rows_when_a_regionserver_is_lost(lab: Lab, tmp_path: Path) -> None:
    plan = lab_plan(workers_per_host=None, ycsb=True, jobs=False, settings=SMALL)
    assert "8 daemons started" in lab.up(save_plan(soon(plan), tmp_path))
    found = lab.status()
    assert (found["state"], found["missing"]) == ("up", [])
    assert found["hbase"] == "2.6.4"
    said = found["health"]["hbase"]
    assert (said["masters"], said["dead"]) == ({"m1": "active"}, [])
    assert sorted(said["regionservers"]) == ["h1", "h2"]
    assert sum(said["regionservers"].values()) >= 2, "hbase:meta and hbase:namespace"
    options = next(entry.value for entry in plan.settings if entry.key == DAEMONS[Role.ZOOKEEPER].options)
    commands = (path.read_text() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists())
    (zookeeper,) = (text for text in commands if str(lab.directory) in text and "QuorumPeerMain" in text)
    assert set(str(options).split()) <= set(zookeeper.split("\0"))
    changed = {one["key"]: one["why"] for one in found["laboratory"]["deviations"]}
    assert "libhadoop" in changed["dfs.client.read.shortcircuit"]
    assert "hbase.tmp.dir" in changed
    # It needs no YARN, and a plan of HBase alone has none.
    refused = lab.try_to_run("pi", "--maps", "1")
    assert refused.returncode == 2
    assert "has no YARN to run programs on" in refused.stderr

    out = lab.on("client", "hbase", str(CLIENT), str(ROWS))
    assert f"got value {ROWS // 2}" in out
    assert f"scanned {ROWS}" in out
    loaded = _run(lab, "ycsb-load", "--records", str(RECORDS), "--keep-data", "--clients", "2")
    assert [(one.operation, one.done) for one in loaded.operations] == [("insert", RECORDS)]

    _lose_a_regionserver(lab)
    # One that was started again is asked for work once it has told the master.
    end = time.monotonic() + PATIENCE_S
    while sorted(lab.status()["health"]["hbase"]["regionservers"]) != ["h1", "h2"]:
        assert time.monotonic() < end
        time.sleep(1)
    read = _run(lab, "ycsb-b", "--operations", str(RECORDS))
    assert sum(one.done for one in read.operations) == RECORDS
    assert all({*one.returns} == {"OK"} for one in read.operations)
    sampled = {*lab.last_run().samples.column("metric").to_pylist()}
    assert {"regionserver/get_requests", "regionserver/wal_appends", "hmaster/live_regionservers"} <= sampled
    assert any(str(name).startswith("region/howdah-") for name in sampled)

    assert lab.do("down") == f'lab "{lab.name}": nothing is left\n'
    assert traces(lab.name, lab.directory) == []
