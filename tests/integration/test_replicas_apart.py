"""With the rendered node groups a real NameNode keeps the replicas of every block on different hosts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from howdah.model.plan import Placement, Plan, Role
from howdah.render import render
from howdah.render.directory import write
from support.daemons import FETCH, LIB, Daemons, change_properties
from support.network import Network, can_build
from support.plans import group, kind, master, plan, setting

pytestmark = [
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="only root can make a network with addresses of its own"),
]

HDFS = "org.apache.hadoop.hdfs.server"
BLOCKS = 20
WORKERS = ("h1-1", "h1-2", "h2-1", "h2-2")


def _plan() -> Plan:
    """Two hosts of two workers each: half of all pairs of workers share a host."""
    core, hdfs = "core-site.xml", "hdfs-site.xml"
    policy = "org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyWithNodeGroup"
    return plan(
        setting("fs.defaultFS", "hdfs://nn:8020", core),
        setting("net.topology.script.file.name", "/etc/hadoop/conf/topology.sh", core),
        setting("net.topology.impl", "org.apache.hadoop.net.NetworkTopologyWithNodeGroup", core),
        setting("dfs.use.dfs.network.topology", False, hdfs),
        setting("dfs.block.replicator.classname", policy, hdfs),
        setting("dfs.replication", 2, hdfs),
        setting("dfs.hosts", "/etc/hadoop/conf/dfs.include", hdfs),
        groups=[group(hosts=["h[1-2]"], count=2)],
        kinds=[kind(per_host=2)],
        places=["worker", "worker"],
        masters=[master("nn1", "h1", Role.NAMENODE, address="nn")],
        placement=Placement.NODE_GROUPS,
    )


def test_replicas_are_on_different_hosts(tmp_path: Path) -> None:
    write(render(_plan()), tmp_path / "rendered", force=False)
    conf = tmp_path / "rendered/hadoop"
    for path in conf.glob("*.xml"):
        path.write_text(path.read_text().replace("/etc/hadoop/conf", str(conf)))
    change_properties(conf / "hdfs-site.xml", {"dfs.namenode.name.dir": f"{tmp_path}/name"})
    files = tmp_path / "files"
    files.mkdir()
    for number in range(BLOCKS):
        (files / f"block-{number}").write_bytes(b"x" * 1000)

    with (
        Network(("nn", *WORKERS), tmp_path) as network,
        Daemons(conf, tmp_path / "logs") as daemons,
    ):
        master_side = network.inside("nn")
        daemons.run(f"{HDFS}.namenode.NameNode", "-format", "-nonInteractive", inside=master_side)
        daemons.start("namenode", f"{HDFS}.namenode.NameNode", inside=master_side)
        for worker in WORKERS:
            own = tmp_path / worker
            shutil.copytree(conf, own)
            change_properties(own / "hdfs-site.xml", {"dfs.datanode.data.dir": f"{tmp_path}/data-{worker}"})
            daemons.start(worker, f"{HDFS}.datanode.DataNode", conf=own, inside=network.inside(worker))
        daemons.wait("four DataNodes", lambda: _registered(tmp_path / "logs/namenode.log"))
        daemons.run("org.apache.hadoop.fs.FsShell", "-put", str(files), "/files", inside=master_side)
        told = daemons.run(
            "org.apache.hadoop.hdfs.tools.DFSck",
            "/files",
            "-files",
            "-blocks",
            "-locations",
            inside=master_side,
        )

    host_of = {address: worker[:2] for worker, address in network.addresses.items()}
    replicas = [
        [host_of[address] for address in re.findall(r"DatanodeInfoWithStorage\[([\d.]+):", line)]
        for line in told.splitlines()
        if "DatanodeInfoWithStorage" in line
    ]
    assert len(replicas) == BLOCKS
    assert [sorted(hosts) for hosts in replicas] == [["h1", "h2"]] * BLOCKS


def _registered(log: Path) -> bool | None:
    """Whether all DataNodes are in the topology, each in its host's node group."""
    added = set(re.findall(r"Adding a new node: (/rack-1/h[12])/", log.read_text()))
    count = len(re.findall(r"Adding a new node: ", log.read_text()))
    return True if count == len(WORKERS) and added == {"/rack-1/h1", "/rack-1/h2"} else None
