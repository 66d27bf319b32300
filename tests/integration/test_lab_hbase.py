"""A laboratory that runs HBase: it comes up, keeps rows, loses a RegionServer and has it back."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.installation.cache import cache_folder
from howdah.lab.state import read_state
from howdah.session.cluster.hbase import HBaseClient, hbase_client
from support.daemons import FETCH, LIB, ROOT
from support.lab_command import CACHE, Lab
from support.lab_hosts import can_build
from support.lab_traces import traces
from support.labs import lab_plan, save_plan, soon

HBASE_LIB = ROOT / "build/hbase/2.6.4/lib"
CLIENT = ROOT / "tests/data/hbase/PutGetScan.java"
BINDING = ROOT / "hadoop/ycsb/HBaseBinding.java"
pytestmark = [
    pytest.mark.xdist_group("laboratory"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not HBASE_LIB.exists(), reason=f"HBase's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"),
]

ROWS, RECORDS = 1000, 200
# The table that the client above made.
YCSB = (
    *("-db", "HBaseBinding", "-p", "workload=site.ycsb.workloads.CoreWorkload", "-threads", "2"),
    *("-p", "table=rows", "-p", "columnfamily=f", "-p", "dataintegrity=true", "-p", "readproportion=1"),
    *("-p", "updateproportion=0", "-p", f"recordcount={RECORDS}", "-p", f"operationcount={RECORDS}"),
)
# As small as it can be: all of a RegionServer's heap is touched when it starts.
SMALL = {"HBASE_REGIONSERVER_OPTS": "-Xms512m -Xmx512m -XX:+UseG1GC"}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    one = Lab(tmp_path, f"hbase-{os.getpid()}")
    yield one
    one.try_to("down")


@pytest.fixture
def client(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HBaseClient:
    """A client of a laboratory that is up."""
    monkeypatch.setenv("HOWDAH_CACHE", str(CACHE))
    assert cache_folder() == CACHE
    plan = lab_plan(workers_per_host=None, ycsb=True, jobs=False, settings=SMALL)
    assert "8 daemons started" in lab.up(save_plan(soon(plan), tmp_path))
    state = read_state(lab.directory)
    assert state is not None
    return hbase_client(state)


def _binding(folder: Path) -> Path:
    classes = folder / "classes"
    command = [
        "javac",
        "-d",
        str(classes),
        "-cp",
        f"{HBASE_LIB}/*",
        "-Werror",
        "-sourcepath",
        str(BINDING.parent),
        str(BINDING),
    ]
    subprocess.run(command, check=True, timeout=60)
    return classes


def _ycsb(client: HBaseClient, classes: Path, mode: str) -> dict[tuple[str, str], int]:
    """What YCSB counted, by the operation and what of it: ``Operations``, ``Return=OK``."""
    done = subprocess.run(
        client.command("site.ycsb.Client", mode, *YCSB, classes=[classes]),
        env=dict(client.environment),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = re.findall(r"^\[([A-Z-]+)\], (Operations|Return=\w+), (\d+)$", done.stdout, re.MULTILINE)
    return {(operation, what): int(number) for operation, what, number in lines}


def test_hbase_keeps_its_rows_when_a_regionserver_is_lost(
    lab: Lab, client: HBaseClient, tmp_path: Path
) -> None:
    found = lab.status()
    assert (found["state"], found["missing"]) == ("up", [])
    assert found["hbase"] == "2.6.4"
    said = found["health"]["hbase"]
    assert (said["masters"], said["dead"]) == ({"m1": "active"}, [])
    assert sorted(said["regionservers"]) == ["h1", "h2"]
    assert sum(said["regionservers"].values()) >= 2, "hbase:meta and hbase:namespace"
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
    classes = _binding(tmp_path)
    loaded = _ycsb(client, classes, "-load")
    assert loaded["INSERT", "Operations"] == loaded["INSERT", "Return=OK"] == RECORDS

    assert lab.do("kill", "h2", "regionserver") == "h2: 1 process ended\n"
    assert lab.status()["missing"] == ["regionserver on h2"]
    assert lab.do("start", "h2") == "h2: started regionserver\n"
    assert sorted(lab.status()["health"]["hbase"]["regionservers"]) == ["h1", "h2"]
    read = _ycsb(client, classes, "-t")
    assert read["READ", "Return=OK"] == read["VERIFY", "Return=OK"] == RECORDS

    assert lab.do("down") == f"laboratory {lab.name}: nothing is left\n"
    assert traces(lab.name, lab.directory) == []
