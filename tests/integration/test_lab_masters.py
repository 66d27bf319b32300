"""Laboratories whose masters are not one of each: two for failover, and those that HBase needs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.model.request import Protection
from support.daemons import FETCH, LIB
from support.lab_command import Lab
from support.lab_hosts import can_build
from support.lab_traces import traces
from support.labs import lab_plan, save_plan

pytestmark = [
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"),
]

_FAILOVER_S = 120


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    one = Lab(tmp_path, f"masters-{os.getpid()}")
    yield one
    one.try_to("down")


def _managers(lab: Lab) -> dict[str, str]:
    """The state of each ResourceManager by its host."""
    told = lab.status()["health"]["resource_managers"]
    return {url.removeprefix("http://").partition(":")[0]: said for url, said in told.items()}


def test_a_job_runs_with_two_resourcemanagers_and_one_takes_over(lab: Lab, tmp_path: Path) -> None:
    plan = lab_plan(workers_per_host=None, protection=Protection.HA, masters=3)
    lab.up(save_plan(plan, tmp_path))
    assert sorted(_managers(lab).values()) == ["active", "standby"]

    told = lab.run("pi", "--maps", "2", "--samples", "1000")
    assert told["run"]["outcome"] == "succeeded"

    # What is said of nodes is in HDFS, where the ResourceManager that takes over finds it.
    store = "/yarn/node-attributes/nodeattribute.mirror"
    lab.on("client", "hdfs", "dfs", "-test", "-e", store)
    states = _managers(lab)
    (active,) = (host for host, said in states.items() if said == "active")
    (other,) = states.keys() - {active}
    lab.do("kill", active, "resourcemanager")
    end = time.monotonic() + _FAILOVER_S
    while (states := _managers(lab))[other] != "active" and time.monotonic() < end:
        time.sleep(1)
    assert states[other] == "active"


@pytest.mark.parametrize("jobs", [True, False], ids=["with-mapreduce", "alone"])
def test_hadoops_daemons_of_a_plan_with_hbase_come_up(lab: Lab, tmp_path: Path, jobs: bool) -> None:
    plan = save_plan(lab_plan(workers_per_host=None, ycsb=True, jobs=jobs), tmp_path)
    assert "HBase" in lab.up(plan)
    found = lab.status()
    assert (found["state"], found["awaited"]) == ("up", None)
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
