"""A laboratory's status as the terminal shows it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from howdah.cli.lab_table import back_text, lost_text, status_text
from howdah.lab.commands import Back, Lost
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.health import Health
from howdah.lab.hadoop.reports import Behind, HBaseHealth
from howdah.lab.kernel.processes import Process
from howdah.lab.status import DaemonStatus, DiskStatus, LabStatus, MachineStatus
from howdah.model.cluster import Deviation, Isolation, KillMode, Laboratory, Scaling
from howdah.model.plan import Role
from howdah.units import GIB
from support.labs import lab_state


def test_with_whom_hosts_are_shared_is_said() -> None:
    assert "h1, h2 with lab b, which uses the same uplinks" in _shown(_status(shared={"b": ("h1", "h2")}))


def _status(**changes: object) -> LabStatus:
    machine = MachineStatus(
        name="h1-1",
        kind="worker",
        host="h1",
        address="10.77.0.2",
        cpus=1 / 3,
        memory_bytes=13 * GIB // 2,
        uplink_bits_per_s=10**9,
        link="up",
        disks=tuple(
            DiskStatus(
                mount=Path(f"/lab/{number}"), device="loop0", size_bytes=8 * 10**9, bytes_per_s=150 * 10**6
            )
            for number in range(2)
        ),
        daemons=(
            DaemonStatus(name="datanode", pid=4711, log=Path("/lab/datanode.log")),
            DaemonStatus(name="nodemanager", pid=None, log=Path("/lab/nodemanager.log")),
        ),
    )
    status = LabStatus(
        name="lab",
        directory=Path("/lab"),
        plan="plan.yaml",
        hadoop="3.5.0",
        state="degraded",
        missing=("nodemanager on h1-1", "an active ResourceManager"),
        machines=(machine,),
        health=Health(
            namenodes={"http://m1:9870": "active"},
            safe_mode="",
            datanodes=("h1-1",),
            resource_managers={"http://m1:8088": ""},
            nodemanagers=(),
            history_server=True,
            journalnodes=(),
            zookeepers={},
            behind=(),
        ),
        laboratory=Laboratory(
            name="lab",
            rootless=False,
            isolation=(
                Isolation(what="CPU", kept=True, how="a third"),
                Isolation(what="NUMA", kept=False, how="one node"),
            ),
            scaling=(Scaling(what="memory per host of w", planned=256 * GIB, lab=16 * GIB, unit="B"),),
            deviations=(
                Deviation(key="a", planned="1", used="2", why="since it is so"),
                Deviation(key="b", planned="1", used="2", why="since it is so"),
            ),
        ),
        notes=("hosts of old are left out",),
    )
    return status.model_copy(update=changes)


def _shown(status: LabStatus) -> str:
    text = io.StringIO()
    Console(width=200, file=text).print(status_text(status))
    return text.getvalue()


@pytest.mark.parametrize(
    "said",
    [
        "degraded, Hadoop 3.5.0; missing: nodemanager on h1-1, an active ResourceManager",
        "m1:9870 active, 1 DataNode",
        "m1:8088 does not answer, 0 NodeManagers; history server answers",
        "0.33  6.5 GiB  1.00 Gb/s  2 × 8.00 GB at 150 MB/s  datanode 4711, nodemanager down",
        "kept      CPU: a third",
        "not kept  NUMA: one node",
        "scaled    memory per host of w: 256 GiB planned, 16 GiB here",
        "          hosts of old are left out",
        "changed   a, b: since it is so",
    ],
)
def test_everything_is_said(said: str) -> None:
    assert said in _shown(_status())


def test_faults_in_force_are_said() -> None:
    said = _shown(_status(faults=("kill namenode", "slow-link worker:h1-1 to 10Mb/s")))
    lines = [line.rstrip() for line in said.splitlines()]
    assert lines[1:3] == ["active  kill namenode", "        slow-link worker:h1-1 to 10Mb/s"]
    assert "active  kill" not in _shown(_status())


def test_hbase_says_who_leads_and_who_serves() -> None:
    health = _status().health
    assert health is not None
    said = HBaseHealth(
        masters={"m1": "backup", "m2": "active"}, regionservers={"h1-1": 3, "h1-2": 0}, dead=("h2-1",)
    )
    shown = _shown(_status(hbase="2.6.4", health=health.model_copy(update={"hbase": said})))
    assert "degraded, Hadoop 3.5.0, HBase 2.6.4; missing: " in shown
    line = "m1 backup, m2 active; 2 RegionServers, regions: h1-1 3, h1-2 0; dead: h2-1"
    assert f"HBase  {line}" in shown
    none = HBaseHealth(masters={}, regionservers={}, dead=())
    shown = _shown(_status(health=health.model_copy(update={"hbase": none})))
    assert "HBase  no HMaster answers; 0 RegionServers" in shown
    assert "regions: " not in shown


def test_a_network_that_is_gone_is_said() -> None:
    assert "hadoop  does not answer" in _shown(_status(health=None))


def test_a_link_that_is_down_is_said_before_the_daemons() -> None:
    machine = _status().machines[0].model_copy(update={"link": "down"})
    assert "link down, datanode 4711, nodemanager down" in _shown(_status(machines=(machine,)))


def test_what_could_not_stand_in_for_another_is_said_with_what_helps() -> None:
    health = _status().health
    assert health is not None
    lags = tuple(Behind(what=f"JournalNode on {name} lags", remedy="roll the log") for name in ("m1", "m2"))
    behind = health.model_copy(update={"behind": lags})
    shown = _shown(_status(state="not redundant", missing=(), health=behind))
    assert "lab     up, but another loss may stop it, Hadoop 3.5.0" in shown
    assert "behind  JournalNode on m1 lags" in shown
    assert "        JournalNode on m2 lags" in shown
    assert shown.count("roll the log") == 1


def test_plain_directories_have_no_size() -> None:
    disk = DiskStatus(mount=Path("/lab/1"), device=None, size_bytes=None, bytes_per_s=None)
    machine = _status().machines[0].model_copy(update={"disks": (disk,), "cpus": None, "memory_bytes": None})
    assert "–       –  1.00 Gb/s  1 plain, unlimited" in _shown(_status(machines=(machine,)))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("h1-1", "h1-1: link up, started datanode"),
        ("h1", "h1: link of h1-1 up, started datanode on h1-1"),
    ],
)
def test_what_is_back_is_said_by_machine_where_a_host_was_named(tmp_path: Path, name: str, said: str) -> None:
    machine = lab_state(tmp_path).machine("h1-1")
    text = io.StringIO()
    Console(file=text).print(back_text(name, Back((machine,), (Daemon(machine, Role.DATANODE),), ())))
    assert text.getvalue() == f"{said}\n"


@pytest.mark.parametrize(
    ("name", "how", "said"),
    [
        ("h1", KillMode.HOST, "h1: 2 links down, 1 process ended"),
        ("h1-1", KillMode.HOST, "h1-1: link down, 1 process ended"),
        ("h1-1", KillMode.PROCESS, "h1-1: 1 process ended"),
    ],
)
def test_what_was_lost_is_said(tmp_path: Path, name: str, how: KillMode, said: str) -> None:
    machines = lab_state(tmp_path).machines_of(name)
    assert lost_text(name, Lost(how, machines, (Process(1, 2, "h1-1", "datanode"),))) == said
