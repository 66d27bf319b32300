"""Laboratories of plans with HBase: Hadoop's daemons come up, with the masters that HBase needs of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.daemons import FETCH, LIB
from support.lab_command import Lab
from support.lab_hosts import can_build
from support.lab_traces import traces
from support.labs import lab_plan, save_plan, soon

pytestmark = [
    pytest.mark.xdist_group("laboratory"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"),
]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    one = Lab(tmp_path, f"hbase-{os.getpid()}")
    yield one
    one.try_to("down")


@pytest.mark.parametrize("jobs", [True, False], ids=["with-mapreduce", "alone"])
def test_hadoops_daemons_of_a_plan_with_hbase_come_up(lab: Lab, tmp_path: Path, jobs: bool) -> None:
    plan = save_plan(soon(lab_plan(workers_per_host=None, ycsb=True, jobs=jobs)), tmp_path)
    assert "HBase" in lab.up(plan)
    found = lab.status()
    assert (found["state"], found["missing"]) == ("up", [])
    assert found["health"]["datanodes"] == ["h1", "h2"]
    assert found["health"]["history_server"] is (True if jobs else None)
    lost = {one["what"]: one["how"] for one in found["laboratory"]["isolation"] if not one["kept"]}
    assert "its daemons are not started" in lost["HBase"]
    running = {one["name"] for machine in found["machines"] for one in machine["daemons"] if one["pid"]}
    assert "zookeeper" in running
    assert ("resourcemanager" in running) == jobs
    lab.on("client", "hdfs", "dfs", "-mkdir", "/tmp/there")
    if not jobs:
        refused = lab.try_to_run("pi", "--maps", "1")
        assert refused.returncode == 2
        assert "has no YARN to run programs on" in refused.stderr
    assert lab.do("down") == f"laboratory {lab.name}: nothing is left\n"
    assert traces(lab.name, lab.directory) == []
