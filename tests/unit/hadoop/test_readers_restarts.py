"""Changes that cannot be made a few daemons at a time, and those that can."""

from __future__ import annotations

import pytest

from howdah.hadoop.readers import UNROLLABLE, stopped_for, unrollable
from howdah.model.plan import Role


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("dfs.block.access.token.enable", "false", "true"),
        ("dfs.encrypt.data.transfer", "false", "true"),
        ("dfs.data.transfer.protection", "", "privacy"),
        ("hadoop.rpc.protection", "authentication", "privacy"),
        ("hadoop.security.authentication", "simple", "kerberos"),
        ("dfs.namenode.kerberos.principal", "nn/_HOST@A", "hdfs/_HOST@A"),
        ("dfs.http.policy", "HTTP_ONLY", "HTTPS_ONLY"),
        ("fs.defaultFS", "hdfs://a", "hdfs://b"),
        ("dfs.nameservices", "a", "b"),
        ("dfs.namenode.rpc-address.prod.nn1", "h1:8020", "h1:9000"),
        ("dfs.datanode.address", "0.0.0.0:9866", "0.0.0.0:50010"),
        ("yarn.resourcemanager.hostname.rm1", "h1", "h2"),
        ("hbase.master.port", "16000", "60000"),
        ("clientPort", "2181", "2182"),
        ("server.1", "h1:2888:3888", "h4:2888:3888"),
        ("ha.zookeeper.quorum", "h1:2181", "h2:2181"),
        ("dfs.namenode.shared.edits.dir", "qjournal://a;b;c/x", "qjournal://a;b;d/x"),
        ("dfs.namenode.name.dir", "/a", "/b"),
        ("dfs.journalnode.edits.dir", "/a", "/b"),
        ("hbase.rootdir", "/hbase", "/hbase2"),
    ],
)
def test_it_cannot_roll(key: str, before: str, after: str) -> None:
    why = unrollable(key, before, after)
    assert why is not None
    assert why.reason


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("dfs.namenode.handler.count", "10", "20"),
        # Daemons that accept both agree with either.
        ("hadoop.rpc.protection", "authentication", "authentication,privacy"),
        ("dfs.http.policy", "HTTP_ONLY", "HTTP_AND_HTTPS"),
        # A directory more is filled from the others.
        ("dfs.namenode.name.dir", "/a", "/a,/b"),
        ("dfs.datanode.data.dir", "/a,/b,/c", "/a,/c"),
        ("dfs.namenode.rpc-bind-host", "", "0.0.0.0"),
        # A job is told the port with each of its containers.
        ("mapreduce.shuffle.port", "13562", "13563"),
        ("yarn.resourcemanager.nodes.include-path", "/a", "/b"),
        # Plans for a newer release give the same ZooKeepers by another name.
        ("yarn.resourcemanager.zk-address", "", "h1:2181"),
    ],
)
def test_it_can_roll(key: str, before: str, after: str) -> None:
    assert unrollable(key, before, after) is None


def test_data_that_is_elsewhere_needs_more_than_a_stop() -> None:
    moving = {entry.reason for entry in UNROLLABLE if entry.moves_data}
    (why,) = {unrollable(key, "/a", "/b") for key in ("dfs.namenode.name.dir", "dfs.journalnode.edits.dir")}
    assert why is not None
    assert why.reason in moving


def test_with_hdfs_all_that_use_it_are_stopped() -> None:
    assert stopped_for({Role.DATANODE}) == set(Role)
    assert stopped_for({Role.RESOURCEMANAGER, Role.NODEMANAGER}) == {Role.RESOURCEMANAGER, Role.NODEMANAGER}
