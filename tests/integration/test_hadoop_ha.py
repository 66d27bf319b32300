"""Masters planned for failover, started by the steps of the rendered README, survive one that is killed."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from howdah.engines.base import RunClock
from howdah.engines.hadoop.lost_daemons import MastersWatch
from howdah.engines.hadoop.target import NodeFinder
from howdah.model.cluster import Event
from howdah.model.inventory import Inventory
from howdah.model.plan import WorkerPlan
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from howdah.session.plan_checks import write_rendered
from support.daemons import FETCH, LIB, Daemons, change_properties, move_paths
from support.network import Network, can_build
from support.plans import group
from support.recorded_jobs import target as target_of
from support.steps import Step, steps

pytestmark = [
    pytest.mark.exam("placement"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="only root can make a network with addresses of its own"),
]

HOSTS = ("h1", "h2", "h3")
PROGRAMS: Mapping[str, str] = {
    "namenode": "org.apache.hadoop.hdfs.server.namenode.NameNode",
    "journalnode": "org.apache.hadoop.hdfs.qjournal.server.JournalNode",
    "datanode": "org.apache.hadoop.hdfs.server.datanode.DataNode",
    "zkfc": "org.apache.hadoop.hdfs.tools.DFSZKFailoverController",
    "haadmin": "org.apache.hadoop.hdfs.tools.DFSHAAdmin",
    "dfs": "org.apache.hadoop.fs.FsShell",
    "resourcemanager": "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    "zookeeper": "org.apache.zookeeper.server.quorum.QuorumPeerMain",
}
"""What Hadoop's own scripts start by these names."""


class Cluster(NamedTuple):
    """A cluster of small hosts on this machine, each with its own copy of the rendered files."""

    daemons: Daemons
    network: Network
    rendered: Path
    root: Path

    def conf(self, host: str) -> Path:
        """A host's ``/etc/hadoop/conf``."""
        return self.root / host / "conf"

    def run(self, host: str, program: str, *arguments: str) -> str:
        """Run a program on a host to its end."""
        inside = self.network.inside(host)
        return self.daemons.run(PROGRAMS[program], *arguments, conf=self.conf(host), inside=inside)

    def start(self, host: str, program: str, *arguments: str) -> None:
        """Start a daemon on a host."""
        self.daemons.start(
            f"{program}-{host}",
            PROGRAMS[program],
            *arguments,
            conf=self.conf(host),
            inside=self.network.inside(host),
        )

    def repeat(self, host: str, program: str, *arguments: str) -> None:
        """Run a program on a host until it ends well."""

        def succeeds() -> bool | None:
            try:
                self.run(host, program, *arguments)
            except AssertionError:
                return None
            return True

        self.daemons.wait(f"{program} {' '.join(arguments)} on {host}", succeeds)

    def follow(self, step: Step) -> None:
        """Do what a line of the README says; a command that ends must end well."""
        match step.words:
            case ("hdfs", "--workers", "--daemon", "start", program):
                for host in HOSTS:
                    self.start(host, program)
            case ("hdfs" | "yarn", "--daemon", "start", program):
                for host in step.hosts:
                    self.start(host, program)
            case ("until", "hdfs", program, *loop):
                end = loop.index("do")
                arguments = " ".join(loop[:end]).rstrip(";").split()
                for host in step.hosts:
                    self.repeat(host, program, *arguments)
            case ("hdfs", program, *arguments):
                for host in step.hosts:
                    self.run(host, program, *arguments)

    def page(self, host: str, path: str) -> Any:
        """What a daemon's web server answers on its host; None while it does not."""
        command = [*self.network.inside(host), "curl", "-sf", "--max-time", "3", f"http://{host}:{path}"]
        done = subprocess.run(command, capture_output=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def namenode(self, host: str) -> str | None:
        """The state of a host's NameNode."""
        answer = self.page(host, "9870/jmx?qry=Hadoop:service=NameNode,name=NameNodeStatus")
        return answer["beans"][0]["State"] if answer and answer["beans"] else None

    def resourcemanager(self, host: str) -> str | None:
        """The state of a host's ResourceManager."""
        answer = self.page(host, "8088/ws/v1/cluster/info")
        return answer["clusterInfo"]["haState"].lower() if answer else None

    def wait_for_pair(self, what: str, state: Callable[[str], str | None]) -> tuple[str, str]:
        """The active and the standby host of a pair, once there are both."""

        def ask() -> tuple[str, str] | None:
            found = {state(host): host for host in HOSTS[:2]}
            return (found["active"], found["standby"]) if found.keys() == {"active", "standby"} else None

        return self.daemons.wait(what, ask)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    plan = plan_cluster(
        Inventory(cluster="trio", groups=(group(count=3, hosts=["h[1-3]"]),)),
        PlanRequest(hypervisor=Hypervisor.NONE, protection=Protection.HA),
    )
    rendered = tmp_path / "rendered"
    write_rendered(render(plan), rendered, force=False)
    with (
        Network(HOSTS, tmp_path) as network,
        Daemons(rendered / "hadoop", tmp_path / "logs") as daemons,
    ):
        for host in HOSTS:
            _place(rendered, tmp_path / host, host)
        yield Cluster(daemons, network, rendered, tmp_path)


def _place(rendered: Path, root: Path, host: str) -> None:
    """A host's own files: paths lead below ``root``, and nothing needs libhadoop, which no jar holds."""
    conf = root / "conf"
    shutil.copytree(rendered / "hadoop", conf)
    move_paths(conf, root)
    change_properties(conf / "hdfs-site.xml", {"dfs.client.read.shortcircuit": "false"})
    data = root / "var/lib/zookeeper"
    data.mkdir(parents=True)
    shutil.copy(rendered / "zookeeper" / host / "myid", data)
    config = (rendered / "zookeeper/zoo.cfg").read_text()
    (conf / "zoo.cfg").write_text(config.replace("=/var/lib/zookeeper", f"={data}"))


@contextmanager
def watched(cluster: Cluster) -> Iterator[Callable[[], list[Event]]]:
    """What a run's watch says of the masters at each look, from a host without any of them."""
    target = target_of("http://127.0.0.1:1", cluster.root / "client")
    conf = ClientConf.read(cluster.conf(HOSTS[2]))
    with Web(cluster.network.addresses, user="root") as web, cluster.network.thread(HOSTS[2]) as inside:
        nowhere = WorkerPlan(platform="unknown", workers=(), settings=())
        watch = MastersWatch(replace(target, conf=conf, web=web), NodeFinder({}, nowhere), RunClock())
        yield lambda: inside.submit(watch.poll).result()


def test_masters_take_over(cluster: Cluster, tmp_path: Path) -> None:
    readme = (cluster.rendered / "README.md").read_text()
    for host in HOSTS:
        cluster.start(host, "zookeeper", str(cluster.conf(host) / "zoo.cfg"))
    for step in steps(readme, "HDFS, the first time", HOSTS):
        cluster.follow(step)
    for step in steps(readme, "YARN", HOSTS):
        if step.words[-1] == "resourcemanager":
            cluster.follow(step)

    serving, standby = cluster.wait_for_pair("an active and a standby NameNode", cluster.namenode)
    running, spare = cluster.wait_for_pair("two ResourceManagers", cluster.resourcemanager)
    for name in ("nn1", "nn2"):
        cluster.run(HOSTS[0], "haadmin", "-checkHealth", name)
    content = b"written before the loss\n" * 1000
    (tmp_path / "file").write_bytes(content)
    cluster.run(HOSTS[2], "dfs", "-put", str(tmp_path / "file"), "/file")

    with watched(cluster) as look:
        assert look() == []
        cluster.daemons.kill(f"namenode-{serving}")
        cluster.daemons.kill(f"resourcemanager-{running}")
        events: list[Event] = []

        def all_told() -> bool | None:
            events.extend(look())
            return len(events) == 4 or None

        cluster.daemons.wait("both losses, and who took over", all_told)
    told: dict[str, Event] = {one.kind: one for one in events}
    for daemon, lost_on, taken_on in (("namenode", serving, standby), ("resourcemanager", running, spare)):
        lost, taken = told[f"{daemon}-lost"], told[f"{daemon}-failover"]
        assert (lost.worker, lost.was, taken.worker) == (lost_on, "active", taken_on)
        assert lost.seen_s is not None
        assert lost.seen_s < taken.time_s
    cluster.daemons.wait("the other NameNode", lambda: cluster.namenode(standby) == "active" or None)
    assert cluster.run(HOSTS[2], "dfs", "-cat", "/file").encode() == content
    cluster.start(serving, "namenode")
    assert cluster.wait_for_pair("the killed NameNode", cluster.namenode) == (standby, serving)
    cluster.daemons.wait(
        "the other ResourceManager", lambda: cluster.resourcemanager(spare) == "active" or None
    )
