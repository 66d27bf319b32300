"""With the rendered node groups a real NameNode keeps the replicas of every block on different hosts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from howdah.model.inventory import Inventory
from howdah.model.placement import placed_workers
from howdah.model.plan import Placement, Role
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from howdah.session.plan_checks import write_rendered
from support.daemons import FETCH, LIB, Daemons, change_properties, move_paths
from support.network import Network, can_build
from support.plans import group

pytestmark = [
    pytest.mark.exam("placement"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="only root can make a network with addresses of its own"),
]

HDFS = "org.apache.hadoop.hdfs.server"
BLOCKS = 20


def test_replicas_are_on_different_hosts(tmp_path: Path) -> None:
    plan = plan_cluster(
        Inventory(cluster="pair", groups=(group(hosts=["h[1-2]"], count=2),)),
        PlanRequest(hypervisor=Hypervisor.VSPHERE, workers_per_host=4),
    )
    assert plan.cluster.topology.placement is Placement.NODE_GROUPS
    (namenode,) = (one.address for one in plan.cluster.masters if Role.NAMENODE in one.roles)
    workers = {worker.name: worker.host for worker in placed_workers(plan.cluster)}
    write_rendered(render(plan), tmp_path / "rendered", force=False)
    conf = tmp_path / "rendered/hadoop"
    files = tmp_path / "files"
    files.mkdir()
    for number in range(BLOCKS):
        (files / f"block-{number}").write_bytes(b"x" * 1000)

    with (
        Network(tuple(dict.fromkeys((namenode, *workers))), tmp_path) as network,
        Daemons(conf, tmp_path / "logs") as daemons,
    ):
        master_side = network.inside(namenode)
        own = _own(conf, tmp_path / "master")
        daemons.run(f"{HDFS}.namenode.NameNode", "-format", "-nonInteractive", conf=own, inside=master_side)
        daemons.start("namenode", f"{HDFS}.namenode.NameNode", conf=own, inside=master_side)
        for worker in workers:
            own = _own(conf, tmp_path / worker)
            daemons.start(worker, f"{HDFS}.datanode.DataNode", conf=own, inside=network.inside(worker))
        log = tmp_path / "logs/namenode.log"
        daemons.wait(
            "the DataNodes", lambda: log.read_text().count("Adding a new node: ") == len(workers) or None
        )
        daemons.run(
            "org.apache.hadoop.fs.FsShell", "-put", str(files), "/files", conf=own, inside=master_side
        )
        told = daemons.run(
            "org.apache.hadoop.hdfs.tools.DFSck",
            *("/files", "-files", "-blocks", "-locations"),
            conf=own,
            inside=master_side,
        )

    host_of = {network.addresses[name]: host for name, host in workers.items()}
    replicas = [
        [host_of[address] for address in re.findall(r"DatanodeInfoWithStorage\[([\d.]+):", line)]
        for line in told.splitlines()
        if "DatanodeInfoWithStorage" in line
    ]
    assert len(replicas) == BLOCKS
    assert [sorted(hosts) for hosts in replicas] == [["h1", "h2"]] * BLOCKS


def _own(conf: Path, root: Path) -> Path:
    """A host's own copy of the configuration, its data beside it, and no need of libhadoop."""
    own = root / "conf"
    shutil.copytree(conf, own)
    move_paths(own, root)
    change_properties(own / "hdfs-site.xml", {"dfs.client.read.shortcircuit": "false"})
    return own
