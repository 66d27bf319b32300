"""A rendered configuration starts Hadoop's real daemons, which find one another and keep a file."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

import pytest

from howdah.model.inventory import Inventory
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.render import render
from howdah.render.directory import write_rendered
from support.daemons import (
    FETCH,
    LIB,
    Daemons,
    bean,
    get,
    get_json,
    put,
    read_properties,
)
from support.plans import group
from support.single import redirect

pytestmark = pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}")

HDFS = "org.apache.hadoop.hdfs.server"
YARN = "org.apache.hadoop.yarn.server"
CONTENT = os.urandom(3_000_000)


def _written(url: str) -> bool:
    put(url, CONTENT)
    return True


def test_the_four_daemons_start_and_keep_a_file(tmp_path: Path) -> None:
    planned_for = Inventory(cluster="single", groups=(group(count=1, hosts=["localhost"]),))
    plan = plan_cluster(planned_for, PlanRequest(hypervisor=Hypervisor.NONE))
    write_rendered(render(plan), tmp_path / "rendered", force=False)
    conf = tmp_path / "rendered/hadoop"
    planned = read_properties(conf / "yarn-site.xml")
    port = redirect(conf, tmp_path)
    namenode, datanode = port["dfs.namenode.http-address"], port["dfs.datanode.http.address"]
    manager, node = port["yarn.resourcemanager.webapp.address"], port["yarn.nodemanager.webapp.address"]
    files = f"http://localhost:{namenode}/webhdfs/v1/file?user.name={getpass.getuser()}"
    with Daemons(conf, tmp_path / "logs") as daemons:
        daemons.run(f"{HDFS}.namenode.NameNode", "-format", "-nonInteractive")
        daemons.start("namenode", f"{HDFS}.namenode.NameNode")
        daemons.start("resourcemanager", f"{YARN}.resourcemanager.ResourceManager")
        daemons.wait("the NameNode", lambda: bean(namenode, "name=NameNodeStatus"))
        daemons.start("datanode", f"{HDFS}.datanode.DataNode")
        daemons.start("nodemanager", f"{YARN}.nodemanager.NodeManager")

        daemons.wait(
            "a live DataNode",
            lambda: (bean(namenode, "name=FSNamesystemState") or {}).get("NumLiveDataNodes") or None,
        )
        # A DataNode counts as live before it has reported its disks, and until then nothing can be written.
        daemons.wait("a file in HDFS", lambda: _written(f"{files}&op=CREATE&overwrite=true"))
        assert get(f"{files}&op=OPEN") == CONTENT
        assert daemons.wait("the DataNode's beans", lambda: bean(datanode, "name=FSDatasetState"))

        (registered,) = daemons.wait(
            "the NodeManager in the ResourceManager's list",
            lambda: (get_json(f"http://localhost:{manager}/ws/v1/cluster/nodes")["nodes"] or {}).get("node"),
        )
        assert registered["state"] == "RUNNING"
        assert registered["availMemoryMB"] == int(planned["yarn.nodemanager.resource.memory-mb"])
        assert daemons.wait("the ResourceManager's beans", lambda: bean(manager, "name=ClusterMetrics"))
        assert daemons.wait("the NodeManager's beans", lambda: bean(node, "name=NodeManagerMetrics"))
