"""Masters that take over from one another, in a laboratory: do jobs run, and is the next loss survived?"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.model.run import RunRecord
from support.daemons import FETCH, LIB
from support.lab_command import Lab
from support.lab_hosts import can_build
from support.lab_traces import traces
from support.labs import save_plan, soon, trio_plan
from support.patience import PATIENCE_S

pytestmark = [
    pytest.mark.xdist_group("laboratory"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"),
]

# One task beside its application master: to start more takes longer than all that they do.
JOB = ("teragen", "--rows", "1000", "--maps", "1")
# No new segment of the edit log begins while the test looks.
NO_ROLL = ("dfs.ha.log-roll.period", "36000")
# A NameNode that was started again is waited for after each of the schedules.
SOON_LEFT = ("dfs.namenode.safemode.extension", "1000")
ON_H3 = ["zookeeper on h3", "journalnode on h3", "datanode on h3", "nodemanager on h3"]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    one = Lab(tmp_path, f"test-{os.getpid()}")
    yield one
    one.try_to("down")


def _state_becomes(lab: Lab, wanted: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while (found := lab.status())["state"] != wanted:
        assert time.monotonic() < deadline, (found["state"], found["missing"], found["health"])
        time.sleep(1)


def _managers(lab: Lab) -> dict[str, str]:
    """The state of each ResourceManager by its host."""
    told = lab.status()["health"]["resource_managers"]
    return {url.removeprefix("http://").partition(":")[0]: said for url, said in told.items()}


def _nothing_was_lost(record: RunRecord) -> None:
    """The other NameNode took over, which is told, and HDFS has all that it acknowledged."""
    (fault,) = record.faults
    assert fault.state == "undone"
    assert fault.hit[0].startswith("namenode on ")
    assert {(probe.of, probe.operation) for probe in record.probes} == {
        ("HDFS", "stat"),
        ("HDFS", "read"),
        ("HDFS", "write"),
    }
    assert "NameNode active" in {step.name for step in record.recovery}
    assert record.ledger is not None
    assert record.ledger.sound
    assert record.ledger.acknowledged > 0
    assert record.ledger.files > 0


def _a_resourcemanager_takes_over(lab: Lab) -> None:
    # What is said of nodes is in HDFS, where the ResourceManager that takes over finds it.
    lab.on("client", "hdfs", "dfs", "-test", "-e", "/yarn/node-attributes/nodeattribute.mirror")
    states = _managers(lab)
    (active,) = (host for host, said in states.items() if said == "active")
    (other,) = states.keys() - {active}
    lab.do("kill", active, "resourcemanager")
    deadline = time.monotonic() + PATIENCE_S
    while _managers(lab)[other] != "active":
        assert time.monotonic() < deadline
        time.sleep(1)
    lab.do("start", active)
    _state_becomes(lab, "up")


def _nothing_is_lost_by_random_faults(lab: Lab) -> None:
    """Schedules from seeds beside a job: what HDFS acknowledged is there when all is healed."""
    for seed in (11, 12, 13, 14):
        done = lab.try_to_run(*JOB, "--fault", f"random 2 seed {seed} within 10s")
        record = lab.last_run().record
        assert done.returncode in (0, 1), done.stderr
        assert {fault.state for fault in record.faults} <= {"undone", "not happened"}
        assert record.ledger is not None
        assert record.ledger.sound, (seed, record.faults, record.ledger)
        # A standby that was started again leaves safe mode once it has read of every block, which it does
        # in segments that are closed.
        lab.on("client", "hdfs", "dfsadmin", "-rollEdits")
        _state_becomes(lab, "up")


def _up(lab: Lab, folder: Path) -> None:
    lab.up(save_plan(soon(trio_plan(NO_ROLL, SOON_LEFT)), folder))
    if lab.status()["health"]["behind"]:
        # A JournalNode that started after the first segment of the edit log joins with the next one, which
        # begins only here.
        lab.on("client", "hdfs", "dfsadmin", "-rollEdits")
    _state_becomes(lab, "up")
    found = lab.status()
    assert (found["missing"], found["health"]["behind"]) == ([], [])
    assert found["health"]["journalnodes"] == ["h1", "h2", "h3"]
    assert sorted(found["health"]["zookeepers"].values()) == ["follower", "follower", "leader"]
    assert sorted(found["health"]["namenodes"].values()) == ["active", "standby"]
    assert sorted(found["health"]["resource_managers"].values()) == ["active", "standby"]


def test_a_job_runs_while_a_namenode_is_killed(lab: Lab, tmp_path: Path) -> None:
    _up(lab, tmp_path)
    told = lab.run(*JOB, "--fault", "kill namenode:active at teragen 1s")
    assert told["run"]["outcome"] == "succeeded"
    _nothing_was_lost(lab.last_run().record)


@pytest.mark.exam("failover")
def test_a_resourcemanager_takes_over_nothing_is_lost_and_up_is_what_survives_the_next_loss(
    lab: Lab, tmp_path: Path
) -> None:
    _up(lab, tmp_path)
    _a_resourcemanager_takes_over(lab)
    _nothing_is_lost_by_random_faults(lab)

    lab.do("kill", "h3", "--how", "process")
    # The two other ZooKeepers may be choosing a leader.
    assert lab.status()["missing"][:4] == ON_H3
    lab.on("client", "hdfs", "dfs", "-mkdir", "-p", *(f"/tmp/{number}" for number in range(20)))
    back = lab.do("start", "h3")
    assert back.startswith("h3: started zookeeper, journalnode, datanode, nodemanager\n")
    assert re.search(r"^behind   JournalNode on h3 is \d+ transactions behind$", back, re.MULTILINE)

    asked = lab.try_to("status")
    assert asked.returncode == 1
    assert "up, but another loss may stop it, Hadoop" in asked.stdout
    found = lab.status()
    assert (found["state"], found["missing"]) == ("not redundant", [])
    (behind,) = found["health"]["behind"]
    lag = re.fullmatch(r"JournalNode on h3 is (\d+) transactions behind", behind["what"])
    assert lag is not None
    assert int(lag[1]) >= 20

    _, remedy = behind["remedy"].split(f"howdah lab ssh client --name {lab.name} -- ")
    lab.on("client", *remedy.split())
    _state_becomes(lab, "up")
    # What it said is true: of the others one may be lost now.
    lab.do("kill", "h2", "journalnode")
    lab.on("client", "hdfs", "dfs", "-mkdir", "/tmp/after")
    assert lab.status()["missing"] == ["journalnode on h2"]

    lab.do("down")
    assert traces(lab.name, lab.directory) == []
