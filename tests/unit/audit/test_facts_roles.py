"""Whom a configuration is for: a client's is not faulted for what only masters need."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.audit.audit import audit
from howdah.audit.facts import readers
from howdah.audit.folder import known_releases, read_folders
from howdah.model.existing import CheckReport, CheckVerdict, HostRole

CORE = "core-site.xml", {"fs.defaultFS": "hdfs://nn1.example.com:8020"}
CLIENT_HDFS = "hdfs-site.xml", {"dfs.replication": "3"}
CLIENT_YARN = (
    "yarn-site.xml",
    {"yarn.resourcemanager.hostname": "rm1.example.com", "yarn.log-aggregation-enable": "true"},
)
MAPRED = "mapred-site.xml", {"mapreduce.framework.name": "yarn"}


def _write(folder: Path, *files: tuple[str, dict[str, str]]) -> Path:
    for name, properties in files:
        entries = "".join(
            f"<property><name>{key}</name><value>{value}</value></property>"
            for key, value in properties.items()
        )
        (folder / name).write_text(f"<configuration>{entries}</configuration>")
    return folder


def _report(folder: Path, role: HostRole | None = None) -> CheckReport:
    return audit(read_folders([folder]), [], None, known_releases(None, None, None), role)


def _faults(report: CheckReport) -> set[str]:
    return {check.about for check in report.checks if check.verdict is CheckVerdict.FAIL}


def test_a_clients_files_are_known_by_themselves(tmp_path: Path) -> None:
    client = CLIENT_YARN[0], {"yarn.resourcemanager.hostname": "rm1.example.com"}
    report = _report(_write(tmp_path, CORE, CLIENT_HDFS, client, MAPRED))
    assert report.role is HostRole.CLIENT
    assert "dfs.namenode.name.dir" not in _faults(report)


def test_a_cluster_whose_namenode_keeps_its_data_in_tmp_is_no_client(tmp_path: Path) -> None:
    data = "hdfs-site.xml", {"dfs.datanode.data.dir": "/data/1/dfs"}
    report = _report(_write(tmp_path, CORE, data))
    assert report.role is None
    assert "dfs.namenode.name.dir" in _faults(report)


def test_one_host_alone_is_no_client(tmp_path: Path) -> None:
    here = "core-site.xml", {"fs.defaultFS": "hdfs://localhost:9000"}
    report = _report(_write(tmp_path, here, CLIENT_HDFS))
    assert report.role is None
    assert "dfs.namenode.name.dir" in _faults(report)


def test_a_role_that_is_given_leaves_out_what_only_others_read(tmp_path: Path) -> None:
    folder = _write(tmp_path, CORE, CLIENT_HDFS, CLIENT_YARN, MAPRED)
    everything = {check.about for check in _report(folder, HostRole.MASTER).checks}
    assert "dfs.namenode.name.dir" in everything
    assert "dfs.datanode.data.dir" not in everything
    of_worker = {check.about for check in _report(folder, HostRole.WORKER).checks}
    assert "dfs.namenode.name.dir" not in of_worker
    assert "dfs.replication" in of_worker


@pytest.mark.parametrize(
    ("key", "who"),
    [
        ("dfs.namenode.rpc-address.prod.nn1", {"master", "worker", "client"}),
        ("dfs.namenode.kerberos.principal", {"master", "worker", "client"}),
        ("dfs.namenode.keytab.file", {"master", "worker"}),
        ("dfs.namenode.name.dir", {"master"}),
        ("yarn.resourcemanager.address", {"master", "worker", "client"}),
        ("yarn.resourcemanager.store.class", {"master"}),
        ("yarn.nodemanager.resource.memory-mb", {"worker"}),
        ("HDFS_DATANODE_OPTS", {"worker"}),
        ("mapreduce.map.memory.mb", {"master", "worker", "client"}),
        ("dfs.client.read.shortcircuit", {"master", "worker", "client"}),
    ],
)
def test_who_reads_a_key(key: str, who: set[str]) -> None:
    assert {role.value for role in readers(key)} == who


SPARK_LIMITS = {"spark.executor.memory": "48g", "spark.executor.cores": "8", "spark.driver.memory": "16g"}


def _with_spark(folder: Path, yarn: dict[str, str]) -> Path:
    properties = {"yarn.resourcemanager.hostname": "rm1.example.com"} | yarn
    _write(folder, CORE, CLIENT_HDFS, MAPRED, ("yarn-site.xml", properties))
    lines = "".join(f"{key} {value}\n" for key, value in {"spark.master": "yarn", **SPARK_LIMITS}.items())
    (folder / "spark-defaults.conf").write_text(lines)
    return folder


@pytest.mark.parametrize("role", [None, HostRole.CLIENT])
def test_a_clients_executors_are_not_compared_with_a_schedulers_defaults(
    tmp_path: Path, role: HostRole | None
) -> None:
    report = _report(_with_spark(tmp_path, {}), role)
    assert report.role is HostRole.CLIENT
    assert _faults(report) == set()


def test_a_clients_executors_are_compared_with_limits_that_it_sets(tmp_path: Path) -> None:
    limits = {
        "yarn.scheduler.maximum-allocation-mb": "16384",
        "yarn.scheduler.maximum-allocation-vcores": "4",
    }
    faults = _faults(_report(_with_spark(tmp_path, limits), HostRole.CLIENT))
    assert {"spark.executor.memory", "spark.executor.cores"} <= faults


def test_a_servers_executors_are_compared_with_defaults(tmp_path: Path) -> None:
    servers = {"yarn.resourcemanager.scheduler.class": f"{YARN_SCHEDULERS}.capacity.CapacityScheduler"}
    assert "spark.executor.memory" in _faults(_report(_with_spark(tmp_path, servers), HostRole.MASTER))


YARN_SCHEDULERS = "org.apache.hadoop.yarn.server.resourcemanager.scheduler"
YARN = "yarn-site.xml", {"yarn.resourcemanager.hostname": "rm1.example.com"}
SMALL_BLOCKS = "hdfs-site.xml", {"dfs.replication": "3", "dfs.blocksize": "524288"}
SECURE = (
    "core-site.xml",
    {
        **CORE[1],
        "hadoop.security.authentication": "kerberos",
        "hadoop.security.authorization": "true",
        "hadoop.rpc.protection": "privacy",
    },
)
PRIVATE = "hdfs-site.xml", {"dfs.replication": "3", "dfs.data.transfer.protection": "privacy"}
TASKS = (
    "mapred-site.xml",
    {
        **MAPRED[1],
        "mapreduce.map.memory.mb": "16384",
        "mapreduce.map.java.opts": "-Xmx13000m",
        "mapreduce.map.cpu.vcores": "12",
        "mapreduce.reduce.memory.mb": "32768",
        "mapreduce.reduce.java.opts": "-Xmx26000m",
        "yarn.app.mapreduce.am.resource.mb": "16384",
    },
)
TEZ = (
    "tez-site.xml",
    {
        "tez.lib.uris": "hdfs:///apps/tez.tar.gz",
        "tez.task.resource.memory.mb": "16384",
        "tez.am.resource.memory.mb": "16384",
    },
)


@pytest.mark.parametrize(
    "files",
    [
        # A NameNode's least block, administrators and pages of ResourceManagers, the largest container.
        (CORE, SMALL_BLOCKS),
        (
            SECURE,
            PRIVATE,
            YARN,
            MAPRED,
        ),
        (CORE, CLIENT_HDFS, YARN, TASKS),
        (CORE, CLIENT_HDFS, YARN, TEZ),
        (CORE, CLIENT_HDFS, ("hbase-site.xml", {"hbase.zookeeper.quorum": "z1,z2,z3"})),
    ],
)
def test_nothing_of_a_client_fails_by_a_servers_default(
    tmp_path: Path, files: tuple[tuple[str, dict[str, str]], ...]
) -> None:
    report = _report(_write(tmp_path, *files), HostRole.CLIENT)
    assert _faults(report) == set()
    warned = {check.about for check in report.checks if check.verdict is CheckVerdict.WARN}
    # Small blocks are the client's own.
    assert warned <= {"hadoop.tmp.dir", "dfs.blocksize"}


def test_all_addresses_of_a_host_are_not_the_name_of_one_host(tmp_path: Path) -> None:
    (tmp_path / "workers").write_text("w1.example.com\nw2.example.com\n")
    keys = "yarn.nodemanager.bind-host", "dfs.datanode.address"
    yarn = "yarn-site.xml", {keys[0]: "::"}
    for wildcard, host in ((":::9866", ()), ("w1.example.com:9866", (keys[1],))):
        hdfs = "hdfs-site.xml", {keys[1]: wildcard}
        report = _report(_write(tmp_path, CORE, yarn, hdfs, MAPRED))
        named = {check.about for check in report.checks if check.rule == "consistency.own-host"}
        assert named == {*host}


def test_pages_are_encrypted_only_in_whatever_case_that_is_written(tmp_path: Path) -> None:
    hdfs = "hdfs-site.xml", {"dfs.datanode.data.dir": "/data/1/dfs", "dfs.http.policy": "https_only"}
    report = _report(_write(tmp_path, CORE, hdfs))
    assert [check.verdict for check in report.checks if check.rule == "security.key-store"] == [
        CheckVerdict.WARN
    ]
