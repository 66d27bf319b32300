"""A cluster's machines and jobs from its daemons' answers: complete, partial, in every shape they have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from howdah.model.existing import Machine, Survey
from howdah.model.plan import Role
from howdah.probe.cluster_survey import observe, survey
from howdah.services.conf import ClientConf
from howdah.services.errors import NeedsTicket, NotReachable, ServiceError
from howdah.services.web import Web
from support.ports import free_ports
from support.recorded import Answer, Recorded, in_json, recorded

NAMENODE = "GET /jmx?qry=Hadoop:service=NameNode,name="
DATANODE = "GET /jmx?qry=Hadoop:service=DataNode,name=DataNodeInfo"
SYSTEM = "GET /jmx?qry=java.lang:type=OperatingSystem"
NODES = "GET /ws/v1/cluster/nodes"
JOBS = "GET /ws/v1/history/mapreduce/jobs"
GB = 10**9
DAY_MS = 86_400_000


def beans(**values: object) -> Answer:
    """An answer of /jmx with one bean."""
    return in_json({"beans": [{"name": "a bean", **values}]})


def volume(free: int, storage: str = "DISK") -> dict[str, object]:
    """A DataNode's volume with a reserve of 10 GB."""
    return {"usedSpace": 0, "freeSpace": free, "reservedSpace": 10 * GB, "storageType": storage}


def node(host: str, state: str = "RUNNING", web: str = "") -> dict[str, object]:
    """A NodeManager with 8 GiB and 4 cores."""
    return {
        "id": f"{host}:8041",
        "nodeHostName": host,
        "state": state,
        "rack": "/default-rack",
        "nodeHTTPAddress": web,
        "usedMemoryMB": 2048,
        "availMemoryMB": 6144,
        "usedVirtualCores": 1,
        "availableVirtualCores": 3,
    }


class Cluster:
    """Daemons' answers, all from one server; hosts are told of as the test likes."""

    def __init__(self, server: Recorded, web: Web, folder: Path) -> None:
        self.server, self.web, self.folder = server, web, folder
        self.address = f"127.0.0.1:{server.port}"
        self.ports: dict[str, str] = {
            "fs.defaultFS": "hdfs://master:8020",
            "dfs.namenode.http-address": f"master:{server.port}",
            "yarn.resourcemanager.webapp.address": f"master:{server.port}",
            "mapreduce.jobhistory.webapp.address": f"master:{server.port}",
        }
        self.datanodes({"w1": "/r1"})
        server.answers |= {
            f"{NAMENODE}NameNodeStatus": recorded("namenode-status.json"),
            SYSTEM: beans(AvailableProcessors=8, TotalMemorySize=32 * 2**30),
            DATANODE: beans(VolumeInfo=json.dumps({"/1": volume(80 * GB), "/2": volume(80 * GB)})),
            NODES: in_json({"nodes": {"node": [node("w1")]}}),
        }

    def datanodes(self, live: Mapping[str, str], dead: tuple[str, ...] = (), web: str | None = None) -> None:
        """Let the NameNode know these DataNodes."""
        told = {
            f"{host}:9866": {
                "xferaddr": f"{host}:9866",
                "infoAddr": web or self.address,
                "location": location,
                "capacity": 180 * GB,
            }
            for host, location in live.items()
        }
        lost = {f"{host}:9866": {"xferaddr": f"{host}:9866", "lastContact": 700} for host in dead}
        self.server.answers[f"{NAMENODE}NameNodeInfo"] = beans(
            SoftwareVersion="3.5.0", Safemode="", LiveNodes=json.dumps(told), DeadNodes=json.dumps(lost)
        )

    def conf(self) -> ClientConf:
        """The client's configuration."""
        lines = (
            f"<property><name>{key}</name><value>{value}</value></property>"
            for key, value in self.ports.items()
        )
        (self.folder / "core-site.xml").write_text(f"<configuration>{''.join(lines)}</configuration>")
        return ClientConf.read(self.folder)

    def survey(self) -> Survey:
        """What it tells of itself."""
        return survey(self.web, self.conf())

    def machines(self) -> dict[str, Machine]:
        """Its machines by name."""
        return {one.name: one for one in self.survey().machines}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    names = dict.fromkeys(("master", "standby", "w1", "w2", "w3"), "127.0.0.1")
    with Recorded({}) as server, Web(names, user="me") as web:
        yield Cluster(server, web, tmp_path)


def test_a_machine_is_told_by_all_its_daemons(cluster: Cluster) -> None:
    found = cluster.survey()
    assert (found.name, found.hadoop, found.unread, found.dead) == ("master", "3.5.0", (), ())
    worker = cluster.machines()["w1"]
    assert worker.roles == (Role.DATANODE, Role.NODEMANAGER)
    assert worker.location == ("r1",)
    assert (worker.threads, worker.memory_bytes) == (8, 32 * 2**30)
    assert (worker.container_bytes, worker.vcores) == (8 * 2**30, 4)
    # 180 GB of capacity are the file systems without their reserves of 10 GB, half of it on each.
    assert [one.size_bytes for one in worker.volumes] == [100 * GB, 100 * GB]
    master = cluster.machines()["master"]
    assert master.roles == (Role.NAMENODE, Role.RESOURCEMANAGER, Role.JOB_HISTORY)


def test_one_element_may_be_an_object(cluster: Cluster) -> None:
    cluster.server.answers[NODES] = in_json({"nodes": {"node": node("w1")}})
    assert cluster.machines()["w1"].vcores == 4
    cluster.server.answers[NODES] = in_json({"nodes": None})
    assert cluster.machines()["w1"].vcores == 0


def test_unlike_volumes_keep_their_own_sizes(cluster: Cluster) -> None:
    told = {"/1": volume(10 * GB, "SSD"), "/2": volume(150 * GB)}
    cluster.server.answers[DATANODE] = beans(VolumeInfo=json.dumps(told))
    # Of 180 GB, 20 are taken by others, whose share of each volume is not told.
    sizes = [(one.storage, one.size_bytes) for one in cluster.machines()["w1"].volumes]
    assert sizes == [("SSD", 30 * GB), ("DISK", 170 * GB)]


def test_a_machine_that_only_computes(cluster: Cluster) -> None:
    cluster.server.answers[NODES] = in_json(
        {"nodes": {"node": [node("W1"), node("w2", web=cluster.address)]}}
    )
    found = cluster.machines()
    assert set(found) == {"w1", "w2", "master"}, "names are the same in capitals"
    assert found["w2"].roles == (Role.NODEMANAGER,)
    assert found["w2"].threads == 8
    assert found["w2"].volumes == ()


def test_a_machine_is_one_whatever_its_daemons_call_it(cluster: Cluster) -> None:
    """The DataNode goes by name, a NodeManager by address, as does the NameNode in the configuration."""
    told = {
        "localhost:9866": {
            "xferaddr": "127.0.0.1:9866",
            "infoAddr": cluster.address,
            "location": "/r1",
            "capacity": 180 * GB,
        }
    }
    cluster.server.answers[f"{NAMENODE}NameNodeInfo"] = beans(
        SoftwareVersion="3.5.0", Safemode="", LiveNodes=json.dumps(told), DeadNodes="{}"
    )
    cluster.server.answers[NODES] = in_json({"nodes": {"node": [node("127.0.0.1"), node("LOCALHOST")]}})
    cluster.ports["dfs.namenode.http-address"] = cluster.address
    cluster.ports["yarn.resourcemanager.webapp.address"] = f"localhost:{cluster.server.port}"
    cluster.ports["mapreduce.jobhistory.webapp.address"] = f"127.0.1.1:{cluster.server.port}"
    (machine,) = cluster.survey().machines
    assert machine.name == "localhost"
    assert machine.roles == (
        *(Role.DATANODE, Role.NODEMANAGER),
        *(Role.NAMENODE, Role.RESOURCEMANAGER, Role.JOB_HISTORY),
    )


def test_dead_machines_are_apart(cluster: Cluster) -> None:
    cluster.datanodes({"w1": "/r1"}, dead=("w2", "w3"))
    cluster.server.answers[NODES] = in_json(
        {"nodes": {"node": [node("w1", "LOST"), node("w3", web=cluster.address)]}}
    )
    found = cluster.survey()
    # Of w1 and w3 one daemon each lives.
    assert found.dead == ("w2",)
    assert {one.name for one in found.machines} == {"w1", "w3", "master"}


def test_daemons_that_do_not_answer_are_named_once(cluster: Cluster) -> None:
    (closed,) = free_ports(1)
    cluster.datanodes({"w1": "/r1", "w2": "/r1", "w3": "/r1"}, web=f"127.0.0.1:{closed}")
    cluster.server.answers[NODES] = Answer(b"<html>", kind="text/html")
    found = cluster.survey()
    said = {one.what: one.why for one in found.unread}
    assert list(said) == ["the ResourceManager's nodes", "hardware from the DataNodes of w1, and 2 more"]
    assert "cannot be reached" in said["hardware from the DataNodes of w1, and 2 more"]
    assert {one.threads for one in found.machines if one.name != "master"} == {None}


@pytest.mark.parametrize("told", ["{", "[]", '{"/1": 5}', '{"/1": {"usedSpace": "x"}}'])
def test_volumes_that_are_not_understood_are_said(cluster: Cluster, told: str) -> None:
    cluster.server.answers[DATANODE] = beans(VolumeInfo=told)
    (unread,) = cluster.survey().unread
    assert unread.what == "hardware from the DataNodes of w1"
    assert "VolumeInfo is not understood" in unread.why


def test_of_a_pair_the_active_one_is_asked_and_both_are_masters(cluster: Cluster) -> None:
    (closed,) = free_ports(1)
    cluster.ports |= {
        "fs.defaultFS": "hdfs://ns",
        "dfs.nameservices": "ns",
        "dfs.ha.namenodes.ns": "nn1,nn2",
        "dfs.namenode.http-address.ns.nn1": f"standby:{closed}",
        "dfs.namenode.http-address.ns.nn2": f"master:{cluster.server.port}",
        "dfs.namenode.shared.edits.dir": "qjournal://master:8485;standby:8485;w1:8485/ns",
        "ha.zookeeper.quorum": "master:2181,standby:2181,w1:2181",
    }
    found = cluster.machines()
    assert found["standby"].roles == (Role.NAMENODE, Role.JOURNALNODE, Role.ZOOKEEPER)
    assert found["standby"].threads is None
    assert Role.ZOOKEEPER in found["w1"].roles
    assert Role.DATANODE in found["w1"].roles


def test_a_cluster_whose_namenode_is_silent_is_an_error(cluster: Cluster) -> None:
    (closed,) = free_ports(1)
    cluster.ports["dfs.namenode.http-address"] = f"master:{closed}"
    with pytest.raises(NotReachable):
        cluster.survey()


def test_a_secure_cluster_without_a_ticket_is_said(cluster: Cluster) -> None:
    cluster.server.answers[f"{NAMENODE}NameNodeStatus"] = Answer(
        b"", 401, "text/html", (("WWW-Authenticate", "Negotiate"),)
    )
    with pytest.raises(NeedsTicket):
        cluster.survey()


def job(number: int, start_ms: int, finish_ms: int, state: str = "SUCCEEDED") -> dict[str, object]:
    """A job as the history server lists it."""
    return {
        "id": f"job_1_{number:04d}",
        "state": state,
        "submitTime": start_ms,
        "startTime": start_ms,
        "finishTime": finish_ms,
    }


def counters(read: int, shuffled: int, busy_ms: int) -> Answer:
    """A job's counters."""

    def group(name: str, **values: int) -> dict[str, Any]:
        return {
            "counterGroupName": name,
            "counter": [
                {"name": key, "mapCounterValue": 0, "reduceCounterValue": 0, "totalCounterValue": value}
                for key, value in values.items()
            ],
        }

    groups = [
        group(
            "org.apache.hadoop.mapreduce.FileSystemCounter",
            FILE_BYTES_READ=7,
            HDFS_BYTES_READ=read,
            S3A_BYTES_READ=1,
            HDFS_BYTES_WRITTEN=read,
        ),
        group("org.apache.hadoop.mapreduce.TaskCounter", REDUCE_SHUFFLE_BYTES=shuffled),
        group("org.apache.hadoop.mapreduce.JobCounter", MILLIS_MAPS=busy_ms, MILLIS_REDUCES=busy_ms),
    ]
    return in_json({"jobCounters": {"counterGroup": groups}})


def test_work_is_what_jobs_come_to(cluster: Cluster) -> None:
    now = 10 * DAY_MS
    listed = [
        job(1, now - 50_000, now - 30_000),
        job(2, now - 40_000, now - 20_000, "FAILED"),
        job(3, now - 20_000, now - 10_000),
    ]
    cluster.server.answers |= {
        JOBS: in_json({"jobs": {"job": listed}}),
        f"{JOBS}/job_1_0001/counters": counters(1001, 600, 20_000),
        f"{JOBS}/job_1_0002/counters": counters(3000, 0, 40_000),
        f"{JOBS}/job_1_0003/counters": counters(0, 0, 10_000),
    }
    work = observe(cluster.web, cluster.conf(), 2, now)
    assert work is not None
    assert (work.since, work.days) == ("1970-01-09T00:00:00+00:00", 2.0)
    assert (work.finished_jobs, work.failed_jobs) == (3, 1)
    # A file system of the tasks' own is not counted, others are.
    assert work.daily_read_bytes == (1002 + 3001 + 1) // 2
    assert work.daily_written_bytes == round((1001 + 3000) / 2)
    assert work.daily_shuffled_bytes == 300
    assert work.largest_input_bytes == 3001
    # The first two overlap: 2 and 4 containers on average, and an application master each.
    assert work.busiest_containers == (1 + 2) + (1 + 4)
    asked = next(one for one in cluster.server.asked if one.path == "/ws/v1/history/mapreduce/jobs")
    assert asked.query["finishedTimeBegin"] == str(now - 2 * DAY_MS)


@pytest.mark.parametrize("answer", [{"jobs": None}, {"jobs": {}}, {}])
def test_no_jobs_are_no_work(cluster: Cluster, answer: object) -> None:
    cluster.server.answers[JOBS] = in_json(answer)
    assert observe(cluster.web, cluster.conf(), 7, 10 * DAY_MS) is None


def test_a_job_that_is_forgotten_meanwhile_is_left_out(cluster: Cluster) -> None:
    now = 10 * DAY_MS
    listed = [job(1, now - 50_000, now - 30_000), job(2, now - 40_000, now - 20_000, "FAILED")]
    cluster.server.answers |= {
        JOBS: in_json({"jobs": {"job": listed}}),
        f"{JOBS}/job_1_0001/counters": counters(1001, 600, 20_000),
    }
    work = observe(cluster.web, cluster.conf(), 2, now)
    assert work is not None
    assert (work.finished_jobs, work.failed_jobs, work.largest_input_bytes) == (1, 0, 1002)
    cluster.server.answers[f"{JOBS}/job_1_0001/counters"] = Answer(b"", 404)
    assert observe(cluster.web, cluster.conf(), 2, now) is None


def test_one_that_cannot_be_asked_for_is_an_error(cluster: Cluster) -> None:
    now = 10 * DAY_MS
    cluster.server.answers |= {
        JOBS: in_json({"jobs": {"job": job(1, now - 50_000, now - 30_000)}}),
        f"{JOBS}/job_1_0001/counters": Answer(b"", 403),
    }
    with pytest.raises(ServiceError):
        observe(cluster.web, cluster.conf(), 2, now)


def test_a_history_server_that_is_down_is_an_error(cluster: Cluster) -> None:
    with pytest.raises(ServiceError):
        observe(cluster.web, cluster.conf(), 7, 10 * DAY_MS)
