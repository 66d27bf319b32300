"""Whom a configuration is for: a client's is not faulted for what only masters need."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.audit.audit import audit
from howdah.audit.folder import known_releases, read_folders
from howdah.audit.roles import readers
from howdah.model.check import CheckReport, CheckVerdict, HostRole

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
