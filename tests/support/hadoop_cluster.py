"""A real Hadoop on one host: a plan's rendered files, moved to where this machine can run them."""

from __future__ import annotations

import getpass
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pytest

from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, Override, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from howdah.session.plan_checks import write_rendered
from support.daemons import FETCH, LIB, Daemons, bean, change_properties, get_json
from support.single import one_host, redirect

needs_hadoop = pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}")
"""Marks tests that start daemons."""

NAMENODE = "org.apache.hadoop.hdfs.server.namenode.NameNode"
DAEMONS = {
    "namenode": NAMENODE,
    "datanode": "org.apache.hadoop.hdfs.server.datanode.DataNode",
    "resourcemanager": "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    "nodemanager": "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
    "historyserver": "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
}
"""The daemons of a cluster of one host, in the order they start, and their classes."""

_SMALL = ("-Xmx320m", "-Xss512k")
OFTEN: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "mapred-site.xml": {
            "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": "200",
            "mapreduce.client.progressmonitor.pollinterval": "200",
        },
        "yarn-site.xml": {"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "200"},
    }
)
"""Heartbeats by file: a small job would wait for those of each second for longer than its tasks run."""

# What is this machine's: a folder of jars instead of an installation, and a compiler that starts fast.
_MACHINE = {
    # The planned disks are larger than what this machine may have free.
    "hdfs-site.xml": {"dfs.datanode.du.reserved": str(2**30)},
    "mapred-site.xml": {
        "mapreduce.application.classpath": f"{LIB}/*",
        **OFTEN["mapred-site.xml"],
    },
    "yarn-site.xml": {
        **OFTEN["yarn-site.xml"],
        "yarn.application.classpath": f"$HADOOP_CONF_DIR,{LIB}/*",
        # A disk of this machine that others fill must not make the one node unhealthy.
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99.5",
    },
}

_QUEUES = {
    "yarn.scheduler.capacity.root.queues": "default,small,stopped",
    "yarn.scheduler.capacity.root.default.capacity": "89",
    "yarn.scheduler.capacity.root.default.maximum-capacity": "100",
    "yarn.scheduler.capacity.root.small.capacity": "10",
    "yarn.scheduler.capacity.root.small.maximum-capacity": "10",
    "yarn.scheduler.capacity.root.stopped.capacity": "1",
    "yarn.scheduler.capacity.root.stopped.state": "STOPPED",
}
SHARED: Mapping[str, Mapping[str, str]] = MappingProxyType({"capacity-scheduler.xml": _QUEUES})
"""What the cluster that files share has beside its plan: a queue whose share of the one node is less than an
application master, and one that takes nothing."""

NOTHING: Mapping[str, Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class HadoopCluster:
    """A cluster that runs: its plan, its configuration, which clients use too, and where it listens."""

    plan: ClusterPlan
    conf: Path
    ports: Mapping[str, int]
    """The port of every address by its key, the NameNode's own as ``fs.defaultFS``."""
    daemons: Daemons

    @property
    def namenode_web(self) -> int:
        """The port of the NameNode's web server."""
        return self.ports["dfs.namenode.http-address"]

    @property
    def manager_web(self) -> int:
        """The port of the ResourceManager's web server."""
        return self.ports["yarn.resourcemanager.webapp.address"]

    @property
    def history_web(self) -> int:
        """The port of the JobHistoryServer's web server."""
        return self.ports["mapreduce.jobhistory.webapp.address"]

    @property
    def webhdfs(self) -> str:
        """The address of HDFS's REST interface."""
        return f"http://localhost:{self.namenode_web}/webhdfs/v1"

    @property
    def user(self) -> str:
        """Who asks, as a query says it."""
        return f"user.name={getpass.getuser()}"

    def start(self, *names: str) -> None:
        """Start some of ``DAEMONS`` side by side and wait until each serves."""
        for name in names:
            self.daemons.start(name, DAEMONS[name], options=_SMALL)
        for name in names:
            self.daemons.wait(name, partial(self._answers, name))

    def _answers(self, name: str) -> bool | None:
        return self._serves(name) or None

    def _serves(self, name: str) -> bool:
        match name:
            case "namenode":
                return bean(self.namenode_web, "name=NameNodeStatus") is not None
            case "datanode":
                state = bean(self.namenode_web, "name=FSNamesystemState")
                info = bean(self.namenode_web, "name=NameNodeInfo")
                return bool(state and state["NumLiveDataNodes"]) and bool(info and not info["Safemode"])
            case "resourcemanager":
                info = get_json(f"http://localhost:{self.manager_web}/ws/v1/cluster/info")
                return bool(info["clusterInfo"]["state"] == "STARTED")
            case "nodemanager":
                metrics = get_json(f"http://localhost:{self.manager_web}/ws/v1/cluster/metrics")
                return bool(metrics["clusterMetrics"]["activeNodes"])
            case _:
                return bool(get_json(f"http://localhost:{self.history_web}/ws/v1/history/info"))


@contextmanager
def hadoop_cluster(
    root: Path,
    *,
    overrides: Mapping[str, str] = MappingProxyType({}),
    changed: Mapping[str, Mapping[str, str]] = NOTHING,
    daemons: tuple[str, ...] = tuple(DAEMONS),
) -> Iterator[HadoopCluster]:
    """Plan, render and start a cluster of one host below ``root``; all of it ends with the block.

    ``overrides`` go into the plan, ``changed`` (by file) into the rendered files; of ``daemons`` only
    those named are started.
    """
    plan = plan_cluster(
        one_host("12GiB"),
        PlanRequest(
            hypervisor=Hypervisor.NONE,
            workloads=(Demand(kind="terasuite", dataset_bytes=10**8),),
            overrides=tuple(Override(key=key, value=value) for key, value in overrides.items()),
        ),
    )
    write_rendered(render(plan), root / "rendered", force=False)
    conf = root / "rendered/hadoop"
    ports = redirect(conf, root)
    for file, properties in (*_MACHINE.items(), *changed.items()):
        change_properties(conf / file, properties)
    with Daemons(conf, root / "logs") as running:
        cluster = HadoopCluster(plan, conf, ports, running)
        running.run(NAMENODE, "-format", "-nonInteractive")
        # The others end, or wait for long, where no NameNode answers.
        first, *others = daemons
        cluster.start(first)
        cluster.start(*others)
        yield cluster
