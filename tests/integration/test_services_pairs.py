"""Of a pair of real NameNodes and of real ResourceManagers, the one that serves is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from howdah.installation.java_programs import PROGRAMS
from howdah.services.conf import ClientConf
from howdah.services.errors import NotReachable, ServiceError
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager
from howdah.services.web import Web
from support.daemons import Daemons, bean, change_properties, get_json
from support.hadoop_cluster import needs_hadoop
from support.ports import free_ports

pytestmark = [needs_hadoop, pytest.mark.exam("placement")]

T = TypeVar("T")
HA = "org.apache.hadoop.hdfs.server.namenode.ha"


class Pairs(NamedTuple):
    """Two masters of each kind, none of them active at first."""

    daemons: Daemons
    conf: Path

    def run(self, program: str, *arguments: str) -> str:
        """Run one of Hadoop's programs to its end."""
        return self.daemons.run(PROGRAMS[program], *arguments)


def _hdfs(root: Path) -> dict[str, str]:
    journal, journal_web, *ports = free_ports(6)
    properties = {
        "dfs.nameservices": "ns",
        "dfs.ha.namenodes.ns": "nn1,nn2",
        "dfs.client.failover.proxy.provider.ns": f"{HA}.ConfiguredFailoverProxyProvider",
        "dfs.namenode.shared.edits.dir": f"qjournal://localhost:{journal}/ns",
        "dfs.journalnode.rpc-address": f"localhost:{journal}",
        "dfs.journalnode.http-address": f"localhost:{journal_web}",
        "dfs.journalnode.edits.dir": str(root / "journal"),
        "dfs.ha.fencing.methods": "shell(/bin/true)",
        "dfs.ha.automatic-failover.enabled": "false",
    }
    for name, (rpc, web) in {"nn1": ports[:2], "nn2": ports[2:]}.items():
        properties[f"dfs.namenode.rpc-address.ns.{name}"] = f"localhost:{rpc}"
        properties[f"dfs.namenode.http-address.ns.{name}"] = f"localhost:{web}"
    return properties


def _yarn() -> dict[str, str]:
    properties = {
        "yarn.resourcemanager.ha.enabled": "true",
        "yarn.resourcemanager.ha.rm-ids": "rm1,rm2",
        "yarn.resourcemanager.ha.automatic-failover.enabled": "false",
        "yarn.resourcemanager.cluster-id": "pairs",
    }
    addresses = (
        "address",
        "scheduler.address",
        "resource-tracker.address",
        "admin.address",
        "webapp.address",
    )
    for name in ("rm1", "rm2"):
        properties[f"yarn.resourcemanager.hostname.{name}"] = "localhost"
        for address, port in zip(addresses, free_ports(len(addresses)), strict=True):
            properties[f"yarn.resourcemanager.{address}.{name}"] = f"localhost:{port}"
    return properties


QUEUES: Mapping[str, str] = {
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
}


def has_started(port: int) -> bool | None:
    """Whether a NameNode answers clients, if only that it is a standby; its beans are there before that."""
    try:
        urlopen(f"http://localhost:{port}/webhdfs/v1/?op=GETFILESTATUS", timeout=5)
    except HTTPError as error:
        return b"StandbyException" in error.read() or None
    return True


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pairs]:
    root = tmp_path_factory.mktemp("pairs")
    conf = root / "conf"
    conf.mkdir()
    change_properties(
        conf / "core-site.xml", {"fs.defaultFS": "hdfs://ns", "hadoop.tmp.dir": str(root / "tmp")}
    )
    hdfs, yarn = _hdfs(root), _yarn()
    change_properties(conf / "hdfs-site.xml", hdfs)
    change_properties(conf / "yarn-site.xml", yarn)
    change_properties(conf / "capacity-scheduler.xml", QUEUES)
    with Daemons(conf, root / "logs") as daemons:
        pairs = Pairs(daemons, conf)
        daemons.start("journalnode", PROGRAMS["journalnode"])
        # They need nothing of HDFS, and start while it does.
        for name in ("rm1", "rm2"):
            daemons.start(name, PROGRAMS["resourcemanager"], f"-Dyarn.resourcemanager.ha.id={name}")
        daemons.wait(
            "the JournalNode",
            lambda: bean(int(hdfs["dfs.journalnode.http-address"].removeprefix("localhost:")), "JvmMetrics"),
        )
        for name, first in (("nn1", "-format"), ("nn2", "-bootstrapStandby")):
            own = (f"-Ddfs.namenode.name.dir={root / name}", f"-Ddfs.ha.namenode.id={name}")
            pairs.run("namenode", *own, first, "-nonInteractive")
            daemons.start(name, PROGRAMS["namenode"], *own)
            port = int(hdfs[f"dfs.namenode.http-address.ns.{name}"].removeprefix("localhost:"))
            daemons.wait(name, partial(has_started, port))
        for name in ("rm1", "rm2"):
            url = f"http://{yarn[f'yarn.resourcemanager.webapp.address.{name}']}/ws/v1/cluster/info"
            daemons.wait(name, partial(get_json, url))
        yield pairs


def test_the_namenode_that_is_active(pairs: Pairs) -> None:
    with Web(silence_s=10) as web:
        namenode = NameNode(web, ClientConf.read(pairs.conf))
        with pytest.raises(NotReachable, match=r"none is active: nn1 is standby; nn2 is standby"):
            namenode.status()
        pairs.run("haadmin", "-transitionToActive", "nn2")
        served = pairs.daemons.wait("nn2", partial(_answer, namenode.status))
        assert served.state == "active"
        namenode.mkdirs("/a")
        assert namenode.stat("/a") is not None
        pairs.run("haadmin", "-failover", "nn2", "nn1")
        assert namenode.stat("/a") is not None
        assert namenode.fsck("/a") == []
        assert namenode.status().host_and_port != served.host_and_port
        pairs.daemons.kill("nn2")
        assert [entry.name for entry in namenode.list("/")] == ["a"]


def test_the_resource_manager_that_is_active(pairs: Pairs) -> None:
    with Web(silence_s=10) as web:
        manager = ResourceManager(web, ClientConf.read(pairs.conf))
        with pytest.raises(NotReachable, match=r"none is active: rm1 is standby; rm2 is standby"):
            manager.nodes()
        pairs.run("rmadmin", "-transitionToActive", "rm2")
        assert manager.nodes() == []
        assert manager.info().ha_state == "ACTIVE"
        pairs.run("rmadmin", "-transitionToStandby", "rm2")
        pairs.run("rmadmin", "-transitionToActive", "rm1")
        assert "root.default" in {queue.path for queue in manager.queues()}
        pairs.daemons.kill("rm2")
        assert manager.nodes() == []


def _answer(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except ServiceError:
        return None
