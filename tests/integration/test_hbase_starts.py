"""A rendered configuration starts HBase's real servers on HDFS and ZooKeeper, which keep rows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.model.run import Outcome
from howdah.planner.cluster import plan_cluster
from howdah.releases.values import heap_bytes
from howdah.render.cluster import render
from howdah.session.plan_checks import write_rendered
from howdah.store.reader import read_run
from support.command import HOWDAH, environment
from support.daemons import FETCH, HBASE_LIB, LIB, ROOT, Daemons, bean, change_properties, move_paths
from support.lab_command import CACHE
from support.patience import PATIENCE_S
from support.ports import free_ports
from support.single import exported, one_host, planned, planned_number, redirect

CLIENT = ROOT / "tests/data/hbase/PutGetScan.java"
BINDING = ROOT / "hadoop/ycsb/HBaseBinding.java"
pytestmark = [
    pytest.mark.exam("regions"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not HBASE_LIB.exists(), reason=f"HBase's jars are not there: {FETCH}"),
]

HDFS = "org.apache.hadoop.hdfs.server"
HBASE = "org.apache.hadoop.hbase"
ZOOKEEPER = "org.apache.zookeeper.server.quorum"
ROWS = 1000
RECORDS, OPERATIONS = 300, 600
# The table that the client above made, read back and compared with what was written (dataintegrity).
YCSB = (
    *("-db", "HBaseBinding", "-p", "workload=site.ycsb.workloads.CoreWorkload", "-threads", "2"),
    *("-p", "table=rows", "-p", "columnfamily=f", "-p", "dataintegrity=true"),
    *("-p", f"recordcount={RECORDS}", "-p", f"operationcount={OPERATIONS}"),
    *("-p", "readproportion=0.4", "-p", "updateproportion=0.3", "-p", "scanproportion=0.2"),
    *("-p", "readmodifywriteproportion=0.1", "-p", "maxscanlength=20"),
)
PORTS = (
    "hbase.master.port",
    "hbase.master.info.port",
    "hbase.regionserver.port",
    "hbase.regionserver.info.port",
)
ZOOKEEPER_PORT = "hbase.zookeeper.property.clientPort"


def _redirect(rendered: Path, root: Path) -> dict[str, int]:
    """Change a copy where this machine is not the planned host; HBase gets HDFS's files beside its own."""
    given = redirect(rendered / "hadoop", root)
    move_paths(rendered / "hbase", root)
    keys = (*PORTS, ZOOKEEPER_PORT)
    given |= dict(zip(keys, free_ports(len(keys)), strict=True))
    change_properties(
        rendered / "hbase/hbase-site.xml",
        {
            "hbase.rootdir": f"hdfs://localhost:{given['fs.defaultFS']}/hbase",
            **{key: str(given[key]) for key in keys},
        },
    )
    for name in ("core-site.xml", "hdfs-site.xml"):
        (rendered / "hbase" / name).write_text((rendered / "hadoop" / name).read_text())
    zoo = rendered / "zookeeper/zoo.cfg"
    zoo.write_text(
        zoo.read_text()
        .replace("clientPort=2181", f"clientPort={given[ZOOKEEPER_PORT]}")
        .replace("=/var/", f"={root}/var/")
    )
    return given


def _cache_bytes(port: int) -> int | None:
    """How large a RegionServer's block cache is; None while its figures are not there."""
    told = bean(port, "name=RegionServer,sub=Server") or {}
    if "blockCacheFreeSize" not in told:
        return None
    return int(told["blockCacheSize"] + told["blockCacheFreeSize"])


def _compile_binding(classes: Path) -> None:
    command = [
        "javac",
        "-d",
        str(classes),
        "-cp",
        f"{HBASE_LIB}/*",
        "-Werror",
        "-sourcepath",
        str(BINDING.parent),
        str(BINDING),
    ]
    subprocess.run(command, check=True, timeout=PATIENCE_S)


def _counted(said: str) -> dict[tuple[str, str], int]:
    """What YCSB counted, by the operation and what of it: ``Operations``, ``Return=OK``."""
    lines = re.findall(r"^\[([A-Z-]+)\], (Operations|Return=\w+), (\d+)$", said, re.MULTILINE)
    return {(operation, what): int(number) for operation, what, number in lines}


def _check_mix(done: dict[tuple[str, str], int]) -> None:
    """All was done that was asked for, nothing failed, and what was read is what had been written."""
    own = sum(done[operation, "Operations"] for operation in ("READ", "UPDATE", "SCAN"))
    # Both halves of an operation that reads and writes are counted as such, too.
    assert own - done["READ-MODIFY-WRITE", "Operations"] == OPERATIONS
    assert done["VERIFY", "Return=OK"] == done["READ", "Operations"]
    assert not [key for key in done if key[1] not in ("Operations", "Return=OK")]


def _howdah(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [HOWDAH, "run", *words, "--runs-dir", str(folder / "runs")],
        cwd=folder,
        env={**environment(), "HOWDAH_CACHE": str(CACHE)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.stdout + done.stderr


def _check_run_on_it(conf: Path, folder: Path) -> None:
    """A cluster that howdah did not start is asked by its configuration; of tables only howdah's change."""
    on_it = ("--engine", "hbase", "--conf", str(conf))
    missing = _howdah(folder, "ycsb-c", *on_it)
    assert "has no table that howdah created" in missing
    loaded = _howdah(folder, "ycsb-load", *on_it, "--records", str(RECORDS), "--keep-data", "--clients", "2")
    assert "throughput" in loaded
    asked = _howdah(folder, "ycsb-b", *on_it, "--operations", str(OPERATIONS), "--json")
    (path,) = (folder / "runs").glob("*-ycsb-b")
    record = read_run(path).record
    assert record.outcome is Outcome.SUCCEEDED, asked
    assert sum(one.done for one in record.workloads[0].operations) == OPERATIONS
    (read_back,) = (one for one in record.workloads[0].metrics if one.name == "rows read back")
    assert read_back.value == RECORDS


def test_hbase_keeps_rows_on_the_planned_files(tmp_path: Path) -> None:
    plan = plan_cluster(
        one_host("8GiB"),
        PlanRequest(hypervisor=Hypervisor.NONE, workloads=(Demand(kind="ycsb", records=1_000_000),)),
    )
    rendered = tmp_path / "rendered"
    write_rendered(render(plan), rendered, force=False)
    port = _redirect(rendered, tmp_path)
    hadoop, hbase = rendered / "hadoop", rendered / "hbase"
    namenode = port["dfs.namenode.http-address"]
    with (
        Daemons(hadoop, tmp_path / "hadoop-logs") as hdfs,
        Daemons(hbase, tmp_path / "hbase-logs", lib=HBASE_LIB) as servers,
    ):
        hdfs.run(f"{HDFS}.namenode.NameNode", "-format", "-nonInteractive")
        options = exported(hadoop / "hadoop-env.sh", "HDFS_NAMENODE_OPTS")
        hdfs.start("namenode", f"{HDFS}.namenode.NameNode", options=options)
        zoo = str(rendered / "zookeeper/zoo.cfg")
        # Its pages' port is of no use here and may be taken. It ends with HDFS, after those that need it.
        hdfs.start(
            "zookeeper",
            f"{ZOOKEEPER}.QuorumPeerMain",
            zoo,
            options=["-Dzookeeper.admin.enableServer=false"],
        )
        hdfs.wait("the NameNode", lambda: bean(namenode, "name=NameNodeStatus"))
        options = exported(hadoop / "hadoop-env.sh", "HDFS_DATANODE_OPTS")
        hdfs.start("datanode", f"{HDFS}.datanode.DataNode", options=options)
        options = exported(hbase / "hbase-env.sh", "HBASE_MASTER_OPTS")
        servers.start("master", f"{HBASE}.master.HMaster", "start", options=options)
        options = exported(hbase / "hbase-env.sh", "HBASE_REGIONSERVER_OPTS")
        servers.start("regionserver", f"{HBASE}.regionserver.HRegionServer", "start", options=options)
        servers.wait("the HMaster", lambda: bean(port["hbase.master.info.port"], "name=Master,sub=Server"))
        said = servers.run(str(CLIENT), str(ROWS))
        _compile_binding(servers.logs / "res")
        loaded = _counted(servers.run("site.ycsb.Client", "-load", *YCSB))
        _check_run_on_it(hbase, tmp_path)
        mixed = _counted(servers.run("site.ycsb.Client", "-t", *YCSB))
        cache = servers.wait("the cache's size", lambda: _cache_bytes(port["hbase.regionserver.info.port"]))
    assert f"got value {ROWS // 2}" in said
    assert f"scanned {ROWS}" in said
    assert loaded["INSERT", "Operations"] == loaded["INSERT", "Return=OK"] == RECORDS
    _check_mix(mixed)
    heap = heap_bytes(str(planned(plan, "HBASE_REGIONSERVER_OPTS"))) or 0
    assert cache == pytest.approx(heap * planned_number(plan, "hfile.block.cache.size"), rel=0.01)
    granted = f"negotiated timeout = {planned(plan, 'maxSessionTimeout')}"
    assert granted in (tmp_path / "hbase-logs/regionserver.log").read_text()
