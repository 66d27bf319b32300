"""Which key a misspelt one was meant to be, and which close keys it was not."""

from __future__ import annotations

import pytest

from howdah.hadoop.readers import intended_key
from howdah.releases.catalogue import hadoop, hbase


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("dfs.namenode.handler.cuont", "dfs.namenode.handler.count"),
        ("dfs.namnode.handler.count", "dfs.namenode.handler.count"),
        ("dfs.replicaton", "dfs.replication"),
        ("yarn.resourcemanager.schedular.class", "yarn.resourcemanager.scheduler.class"),
        # No daemon reads these, nor the keys that begin as they do.
        ("mapreduce.task.io.sort.mbs", "mapreduce.task.io.sort.mb"),
        ("mapreduce.map.jav.opts", "mapreduce.map.java.opts"),
        (
            "mapreduce.job.reduce.slowstart.completedmap",
            "mapreduce.job.reduce.slowstart.completedmaps",
        ),
        ("dfs.namenode.rpc-adress.prod.nn1", "dfs.namenode.rpc-address.prod.nn1"),
    ],
)
def test_a_misspelt_key_is_the_close_one_that_the_same_daemons_read(name: str, meant: str) -> None:
    assert intended_key(name, hadoop()) == meant


@pytest.mark.parametrize(
    "name",
    [
        # HBase's daemons read the codec's other key, and no daemon that of lzo.
        "io.compression.codec.lz4.class",
        "io.compression.codec.lzo.use.lz4hc",
        # DataNodes read dfs.datanode.ram.*, NameNodes dfs.datanode.max.nodes.to.report.
        "dfs.datanode.ram.nodes.to.report",
        # NodeManagers unpack the jar of a job; the job's tasks alone read mapreduce.job.map.*.
        "mapreduce.job.map.unpack.pattern",
    ],
)
def test_a_close_key_that_other_daemons_read_is_not_meant(name: str) -> None:
    assert hadoop().close_names(name)
    assert intended_key(name, hadoop()) is None


@pytest.mark.parametrize(
    "name",
    [
        "dfs.datanode.max.outlier.detection.disks",
        "hbase.ipc.min.request.size",
        "yarn.resourcemanager.max.unknown.key",
        "fs.o3s.connection.maximum",
        "dfs.namenode.data.dir",
    ],
)
def test_an_opposite_limit_and_another_prefix_are_not_meant(name: str) -> None:
    assert intended_key(name, hadoop()) is None


def test_keys_of_hbase_are_distinguished_by_its_daemons() -> None:
    assert intended_key("hbase.regionserver.handlers.count", hbase()) == "hbase.regionserver.handler.count"
    assert hbase().close_names("hbase.master.init.on.region")
    assert intended_key("hbase.master.init.on.region", hbase()) is None
