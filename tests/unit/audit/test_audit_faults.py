"""Faults that we thought of ourselves, beside those of the exam: each is found, and its fix is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from exams.checks import answer, complaints
from support.faults import GB, HDFS, Exhibit, Fault, both, every, host, is_data, line, put, rename

OURS = "howdah"


FAULTS = (
    Fault("misspelt key", rename(HDFS, "dfs.blocksize", "dfs.blocksise"), "dfs.blocksize", OURS),
    Fault(
        "misspelt key with a default value",
        rename(HDFS, "dfs.replication", "dfs.replicaton"),
        "dfs.replication",
        OURS,
        warns=True,
    ),
    Fault(
        "data directory on the root disk",
        put(
            HDFS,
            "dfs.datanode.data.dir",
            "/srv/hdfs," + ",".join(f"/data/{n:02d}/dfs" for n in range(1, 13)),
        ),
        "dfs.datanode.data.dir",
        OURS,
    ),
    Fault(
        "many allocation groups",
        host("file_systems", 1, "xfs", value={"agcount": 512, "agsize_bytes": 8 * GB}),
        "agcount",
        OURS,
        warns=True,
    ),
    Fault("localhost among workers", line("workers", "localhost"), "localhost", OURS, warns=True),
    Fault(
        "fewer replicas at most than usual", put(HDFS, "dfs.replication.max", "2"), "dfs.replication", OURS
    ),
    Fault(
        "two realms",
        both(
            put(HDFS, "dfs.datanode.kerberos.principal", "hdfs/_HOST@EXAMPLE.COM"),
            put(HDFS, "dfs.namenode.kerberos.principal", "hdfs/_HOST@EXAMPLE.ORG"),
        ),
        "realm",
        OURS,
        warns=True,
    ),
    Fault(
        "huge pages take it all",
        host("memory", "huge_pages_total", value=120000),
        "vm.nr_hugepages",
        OURS,
        warns=True,
    ),
    Fault(
        "a control group's limit",
        host("cgroup", "memory_limit_bytes", value=16 << 30),
        "MemoryMax",
        OURS,
        warns=True,
    ),
    Fault(
        "a memory module is gone",
        host("cpu", "numa_nodes", 1, "memory_bytes", value=64 << 30),
        "modules",
        OURS,
        warns=True,
    ),
    Fault(
        "a port of the bond is down",
        host("nics", 1, "up", value=False),
        "/proc/net/bonding/bond0",
        OURS,
        warns=True,
    ),
    Fault(
        "writes are synchronous",
        every("file_systems", "options", ["rw", "noatime", "sync"], where=is_data),
        "/etc/fstab",
        OURS,
        warns=True,
    ),
    Fault(
        "two file systems on one disk",
        both(host("file_systems", 2, "disks", value=["sdb"]), host("file_systems", 2, "disk", value="sdb")),
        "disk",
        OURS,
        warns=True,
    ),
    Fault(
        "a heap given twice",
        line("hadoop-env.sh", "export HDFS_NAMENODE_OPTS='-Xmx16g -XX:+UseG1GC -Xmx1g'"),
        "only the intended -Xmx in HDFS_NAMENODE_OPTS",
        OURS,
        warns=True,
    ),
    Fault(
        "1,000 handlers of a DataNode",
        put(HDFS, "dfs.datanode.handler.count", "1000"),
        "dfs.datanode.handler.count to 10",
        OURS,
        warns=True,
    ),
)


def test_what_is_sound_has_no_fault(tmp_path: Path) -> None:
    assert complaints(Exhibit.sound(), tmp_path) == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_seeded_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    given = answer(fault, tmp_path)
    assert given.fixed, [(check.rule, check.fix) for check in given.said]
