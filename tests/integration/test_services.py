"""Real daemons of a small cluster answer every question that howdah has."""

from __future__ import annotations

import getpass
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import NamedTuple
from urllib.parse import quote

import pytest

from howdah.installation.java_programs import PROGRAMS
from howdah.services.conf import ClientConf
from howdah.services.errors import RefusedByDaemon, Unexpected
from howdah.services.job_rest import JobProgress
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import AppFacts, ResourceManager
from howdah.services.web import JmxReader, Web
from support.daemons import put
from support.hadoop_cluster import HadoopCluster, needs_hadoop

pytestmark = [needs_hadoop, pytest.mark.xdist_group("cluster")]

BLOCK = 2**20
"""As small as the NameNode takes, so that a small file has several."""


class Asked(NamedTuple):
    """A cluster and those who ask it."""

    cluster: HadoopCluster
    web: Web
    namenode: NameNode
    manager: ResourceManager


@pytest.fixture(scope="module")
def asked(cluster: HadoopCluster) -> Iterator[Asked]:
    with Web() as web:
        conf = ClientConf.read(cluster.conf)
        yield Asked(cluster, web, NameNode(web, conf), ResourceManager(web, conf))


def test_the_namenode_and_its_datanode(asked: Asked) -> None:
    status = asked.namenode.status()
    assert (status.version, status.state, status.safe_mode) == ("3.5.0", "active", None)
    (node,) = asked.namenode.datanodes()
    assert node.live
    assert node.address.endswith(str(asked.cluster.ports["dfs.datanode.address"]))
    assert (node.web or "").endswith(str(asked.cluster.ports["dfs.datanode.http.address"]))
    capacity = asked.namenode.capacity()
    assert 0 < capacity.free_bytes <= capacity.capacity_bytes == node.capacity_bytes


def test_a_file_comes_and_goes(asked: Asked) -> None:
    content = bytes(range(256)) * (5 * BLOCK // 2 // 256)
    path = "/tmp/services/a file & more%?.bin"
    asked.namenode.mkdirs("/tmp/services")
    asked.namenode.write(path, content)
    with pytest.raises(RefusedByDaemon, match="already exists"):
        asked.namenode.write(path, content)
    asked.namenode.write(path, content, overwrite=True)
    assert asked.namenode.read(path) == content
    create = f"op=CREATE&overwrite=true&blocksize={BLOCK}&{asked.cluster.user}"
    put(f"{asked.cluster.webhdfs}{quote(path)}?{create}", content)
    assert asked.namenode.read(path) == content
    sink = BytesIO()
    assert asked.namenode.read_to(path, sink) == len(content)
    (status,) = asked.namenode.list("/tmp/services")
    assert (status.name, status.size_bytes, status.owner) == (
        "a file & more%?.bin",
        len(content),
        asked.web.user,
    )
    assert status.block_bytes == BLOCK
    found = asked.namenode.stat(path)
    assert found is not None
    assert not found.is_directory
    assert asked.namenode.summary("/tmp/services").size_bytes == len(content)
    blocks = asked.namenode.fsck("/tmp/services")
    assert [block.size_bytes for block in blocks] == [BLOCK, BLOCK, BLOCK // 2]
    (node,) = asked.namenode.datanodes()
    assert {replica.address for block in blocks for replica in block.replicas} == {node.address}
    assert {replica.location for block in blocks for replica in block.replicas} == {node.location}
    assert asked.namenode.delete("/tmp/services")
    assert not asked.namenode.delete("/tmp/services")
    assert asked.namenode.stat(path) is None
    with pytest.raises(RefusedByDaemon):
        asked.namenode.fsck("/tmp/services")


def test_an_empty_file(asked: Asked) -> None:
    asked.namenode.write("/tmp/empty", b"")
    assert asked.namenode.read("/tmp/empty") == b""
    assert asked.namenode.fsck("/tmp/empty") == []


def test_what_others_may(asked: Asked) -> None:
    conf = ClientConf.read(asked.cluster.conf)
    with Web(user="somebody-else") as web:
        other = NameNode(web, conf)
        asked.namenode.mkdirs("/private")
        assert asked.namenode.access("/private") is None
        assert "user=somebody-else" in (other.access("/private", "rwx") or "")
        with pytest.raises(RefusedByDaemon) as told:
            other.write("/private/file", b"")
        assert told.value.exception == "AccessControlException"
        assert other.home() == "/user/somebody-else"


def test_a_quota_refuses_what_exceeds_it(asked: Asked) -> None:
    asked.namenode.mkdirs("/small")
    asked.cluster.daemons.run(PROGRAMS["dfsadmin"], "-setQuota", "1", "/small")
    assert asked.namenode.summary("/small").quota == 1
    with pytest.raises(RefusedByDaemon) as told:
        asked.namenode.write("/small/file", b"")
    assert told.value.exception == "NSQuotaExceededException"


def test_safe_mode(asked: Asked) -> None:
    asked.cluster.daemons.run(PROGRAMS["dfsadmin"], "-safemode", "enter")
    try:
        assert "turned on manually" in (asked.namenode.status().safe_mode or "")
        with pytest.raises(RefusedByDaemon) as told:
            asked.namenode.mkdirs("/other")
        assert told.value.exception == "SafeModeException"
    finally:
        asked.cluster.daemons.run(PROGRAMS["dfsadmin"], "-safemode", "leave")
    assert asked.namenode.status().safe_mode is None


def test_beans_of_a_datanode_by_a_pattern(asked: Asked) -> None:
    port = asked.cluster.ports["dfs.datanode.http.address"]
    reader = JmxReader(asked.web, f"http://localhost:{port}/")
    activity = reader.bean("Hadoop:service=DataNode,name=DataNodeActivity-*")
    assert activity is not None
    assert activity["BytesWritten"] >= 0
    assert len(reader.beans("Hadoop:service=DataNode,name=*")) > 3
    assert reader.bean("Hadoop:service=DataNode,name=None") is None


def test_clocks(asked: Asked) -> None:
    url = f"http://localhost:{asked.cluster.namenode_web}/jmx"
    date = asked.web.get_date(url)
    assert date is not None
    assert abs((datetime.now(UTC) - date).total_seconds()) < 60


def test_the_port_of_another_daemon(asked: Asked) -> None:
    asked_wrongly = f"http://localhost:{asked.cluster.manager_web}/cluster"
    with pytest.raises(Unexpected, match="returns text/html, not JSON"):
        asked.web.get_json(asked_wrongly)
    with pytest.raises(Unexpected, match=r"does not answer by HTTP|not JSON"):
        asked.web.get_json(f"http://localhost:{asked.cluster.ports['dfs.datanode.address']}/jmx")


def test_the_resource_manager_its_nodes_and_queues(asked: Asked) -> None:
    info = asked.manager.info()
    assert (info.version, info.ha_state) == ("3.5.0", "ACTIVE")
    (node,) = asked.manager.nodes()
    assert (node.state, node.version) == ("RUNNING", "3.5.0")
    assert node.available_memory_mib > 0
    queues = asked.manager.queues()
    assert "root.default" in {queue.path for queue in queues if queue.leaf and queue.running}
    assert asked.manager.app("application_1_0001") is None


def test_an_application_from_its_beginning_to_its_end(asked: Asked) -> None:
    command = asked.cluster.daemons.command(PROGRAMS["examples"], "pi", "2", "2000000000")
    client = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        app = asked.cluster.daemons.wait("the application", lambda: _only(asked.manager))
        assert (app.user, app.name, app.kind) == (getpass.getuser(), "QuasiMonteCarlo", "MAPREDUCE")
        job = asked.cluster.daemons.wait("its job", lambda: _job(asked.manager, app.id))
        assert (job.maps, job.reduces) == (2, 1)
        asked.manager.kill(app.id)
        ended = asked.cluster.daemons.wait("its end", lambda: _ended(asked.manager, app.id))
        assert ended.final_status == "KILLED"
        assert "was killed by user" in ended.diagnostics
        assert ended.finished_ms > ended.submitted_ms
    finally:
        client.kill()
        client.wait()


def _only(manager: ResourceManager) -> AppFacts | None:
    return next(iter(manager.apps(states="RUNNING")), None)


def _job(manager: ResourceManager, app_id: str) -> JobProgress | None:
    try:
        return manager.app_master(app_id).job()
    except (RefusedByDaemon, Unexpected):
        # The proxy shows a page until the application master has registered.
        return None


def _ended(manager: ResourceManager, app_id: str) -> AppFacts | None:
    app = manager.app(app_id)
    assert app is not None
    return app if app.finished_ms else None
