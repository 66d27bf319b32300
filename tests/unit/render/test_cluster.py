"""What a plan's parts become: folders for kinds and groups, lists of members, masters' files."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import PurePosixPath
from xml.etree import ElementTree

import pytest

from howdah.errors import UserError
from howdah.model.plan import ClusterPlan, Placement, Rack, Role
from howdah.model.request import Demand, PlanRequest
from howdah.render.cluster import render
from support.plans import group, kind, master, plan, setting

HDFS = "hdfs-site.xml"


def _rendered(of: ClusterPlan) -> dict[str, str]:
    return {file.path: file.content for file in render(of).files}


def _properties(text: str) -> dict[str, str]:
    root = ElementTree.fromstring(text.encode())
    return {one.findtext("name", ""): one.findtext("value", "") for one in root.iter("property")}


def _mixed(placement: Placement = Placement.DEFAULT) -> ClusterPlan:
    small = kind("small", 4).model_copy(update={"memory_bytes": 40 * 2**30})
    large = kind("large", 4)
    return plan(
        setting("dfs.blocksize", 268435456, HDFS),
        setting("dfs.hosts", "/etc/hadoop/conf/dfs.include", HDFS),
        setting("dfs.hosts.exclude", "/etc/hadoop/conf/dfs.exclude", HDFS),
        setting("dfs.datanode.data.dir", ("/data/01/dfs",), HDFS, worker="small"),
        setting("dfs.datanode.data.dir", ("/data/01/dfs", "/data/02/dfs"), HDFS, worker="large"),
        setting("mapreduce.map.memory.mb", 1024, "mapred-site.xml", worker="small"),
        setting("mapreduce.map.memory.mb", 2048, "mapred-site.xml", worker="large"),
        setting("mkfs.options", "-d agcount=2", "disks"),
        kinds=[small, large],
        places=["small", "small", "large", "large"],
        placement=placement,
    )


def test_the_same_plan_gives_the_same_bytes_sorted_by_path() -> None:
    first, second = render(_mixed()), render(_mixed())
    assert first == second
    paths = [file.path for file in first.files]
    assert paths == sorted(set(paths))


def test_kinds_have_complete_folders_of_their_own_where_they_differ() -> None:
    files = _rendered(_mixed())
    small, large = (
        _properties(files["hadoop-small/hdfs-site.xml"]),
        _properties(files["hadoop-large/hdfs-site.xml"]),
    )
    assert small["dfs.datanode.data.dir"] == "/data/01/dfs"
    assert large["dfs.datanode.data.dir"] == "/data/01/dfs,/data/02/dfs"
    assert small["dfs.blocksize"] == large["dfs.blocksize"] == "268435456"
    assert "dfs.datanode.data.dir" not in _properties(files["hadoop/hdfs-site.xml"])
    for name in ("topology.sh", "topology.data", "workers", "dfs.include", "dfs.exclude"):
        assert files[f"hadoop-small/{name}"] == files[f"hadoop/{name}"]


def test_clients_ask_for_tasks_that_fit_the_smallest_workers() -> None:
    files = _rendered(_mixed())
    assert _properties(files["hadoop/mapred-site.xml"])["mapreduce.map.memory.mb"] == "1024"
    assert _properties(files["hadoop-large/mapred-site.xml"])["mapreduce.map.memory.mb"] == "2048"


def test_workers_that_are_alike_share_one_folder() -> None:
    files = _rendered(plan(setting("dfs.blocksize", 268435456, HDFS)))
    folders = {path.split("/")[0] for path in files}
    assert folders == {"README.md", "deploy", "hadoop", "hosts.csv", "systemd"}


def test_what_is_for_a_kind_goes_before_what_is_for_all() -> None:
    for first in (True, False):
        both = [
            setting("dfs.datanode.max.transfer.threads", 4096, HDFS),
            setting("dfs.datanode.max.transfer.threads", 8192, HDFS, worker="worker"),
        ]
        files = _rendered(plan(*(both if first else reversed(both))))
        assert (
            _properties(files["hadoop-worker/hdfs-site.xml"])["dfs.datanode.max.transfer.threads"] == "8192"
        )


def test_groups_that_differ_have_system_folders_of_their_own() -> None:
    groups = [group("old", 2), group("new", 2)]
    files = _rendered(
        plan(
            setting("vm.swappiness", 1, "sysctl.conf", group="old"),
            setting("vm.swappiness", 2, "sysctl.conf", group="new"),
            setting("vm.overcommit_memory", 0, "sysctl.conf"),
            groups=groups,
            kinds=[kind("a", group="old"), kind("b", group="new")],
        )
    )
    assert "vm.swappiness = 1\n" in files["os-old/sysctl.d/90-howdah.conf"]
    assert "vm.swappiness = 2\n" in files["os-new/sysctl.d/90-howdah.conf"]
    assert "vm.overcommit_memory = 0\n" in files["os-new/sysctl.d/90-howdah.conf"]
    assert not any(path.startswith("os/") for path in files)
    assert "use your own `os-new/`, `os-old/`" in files["README.md"]


def test_lists_of_members_lie_where_the_settings_say() -> None:
    files = _rendered(_mixed())
    workers = files["hadoop/workers"].splitlines()
    assert len(workers) == 16
    assert files["hadoop/dfs.include"].splitlines() == workers
    assert files["hadoop/dfs.exclude"] == ""


@pytest.mark.parametrize(
    "path", ["/x/..", "/conf/workers", "/conf/core-site.xml", "/conf/a b", "/conf/.hidden"]
)
def test_a_list_of_members_takes_no_other_file_s_place(path: str) -> None:
    with pytest.raises(UserError, match="is not a file for a list of hosts") as caught:
        render(plan(setting("dfs.hosts", path, HDFS)))
    assert caught.value.where == "--set dfs.hosts"


def test_upgrade_domains_are_hosts() -> None:
    entries = json.loads(_rendered(_mixed(Placement.UPGRADE_DOMAINS))["hadoop/dfs.include"])
    assert entries[0] == {"hostName": "workers-1-1", "port": 9866, "upgradeDomain": "workers-1"}
    assert len({entry["upgradeDomain"] for entry in entries}) == 4


def test_upgrade_domains_follow_the_datanodes_port() -> None:
    of = _mixed(Placement.UPGRADE_DOMAINS)
    moved = of.model_copy(
        update={"settings": (*of.settings, setting("dfs.datanode.address", "0.0.0.0:1004", HDFS))}
    )
    assert json.loads(_rendered(moved)["hadoop/dfs.include"])[0]["port"] == 1004


def test_every_machine_is_placed_masters_and_shadows_too() -> None:
    of = _mixed()
    guarded = master("nn1", "workers-1", Role.NAMENODE, address="nn1.example.com").model_copy(
        update={"shadow_host": "workers-2", "takes": ("large",)}
    )
    of = of.model_copy(update={"cluster": of.cluster.model_copy(update={"masters": (guarded,)})})
    files = _rendered(of)
    rows = list(csv.DictReader(io.StringIO(files["hypervisor/placement.csv"])))
    assert "turn on Fault Tolerance" in files["README.md"]
    assert len(rows) == 14 + 2
    assert [(row["vm"], row["host"]) for row in rows if row["kind"] == "master"] == [
        ("nn1.example.com", "workers-1")
    ]
    assert [row["host"] for row in rows if row["kind"] == "shadow"] == ["workers-2"]


def test_zookeeper_servers_know_their_numbers() -> None:
    members = [setting(f"server.{number}", f"workers-{number}:2888:3888", "zoo.cfg") for number in (1, 2, 3)]
    files = _rendered(plan(setting("tickTime", 2000, "zoo.cfg"), *members))
    assert "tickTime=2000\n" in files["zookeeper/zoo.cfg"]
    assert "server.2=workers-2:2888:3888\n" in files["zookeeper/zoo.cfg"]
    assert files["zookeeper/workers-2/myid"] == "2\n"
    with pytest.raises(UserError, match="not a host name"):
        render(plan(setting("server.1", "../../etc:2888:3888", "zoo.cfg")))


def test_hbase_has_its_lists() -> None:
    roles = (Role.DATANODE, Role.REGIONSERVER)
    files = _rendered(
        plan(
            setting("hbase.cluster.distributed", True, "hbase-site.xml"),
            kinds=[kind(roles=roles)],
            masters=[
                master("nn1", "workers-1", Role.NAMENODE, Role.HMASTER, shares=True),
                master("nn2", "workers-2", Role.HMASTER, shares=True),
            ],
            request=PlanRequest(workloads=(Demand(kind="ycsb"),)),
        )
    )
    assert _properties(files["hbase/hbase-site.xml"]) == {"hbase.cluster.distributed": "true"}
    assert files["hbase/backup-masters"] == "workers-2\n"
    assert len(files["hbase/regionservers"].splitlines()) == 4
    assert "start regionserver" in files["README.md"]


def test_the_order_of_a_highly_available_start() -> None:
    masters = [
        master("nn1", "workers-1", Role.NAMENODE, Role.FAILOVER_CONTROLLER, Role.JOURNALNODE, shares=True),
        master("nn2", "workers-2", Role.NAMENODE, Role.FAILOVER_CONTROLLER, Role.JOURNALNODE, shares=True),
        master("jn3", "workers-3", Role.JOURNALNODE, Role.ZOOKEEPER, shares=True),
    ]
    text = _rendered(plan(masters=masters))["README.md"]
    steps = [
        "zkServer.sh start",
        "hdfs --daemon start journalnode",
        "hdfs namenode -format",
        "hdfs namenode -bootstrapStandby",
        "hdfs zkfc -formatZK",
        "hdfs --daemon start zkfc",
        "hdfs --workers --daemon start datanode",
        "hdfs haadmin -getAllServiceState",
    ]
    places = [text.index(step) for step in steps]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["a/../../b", "$(id)", "a b", "", "-a", "a\nb", "ä"])
def test_names_that_are_none_are_refused(name: str) -> None:
    plans = [
        plan(kinds=[kind(name)]),
        plan(racks=[Rack(name=name, hosts=("workers-[1-4]",))]),
        plan(masters=[master("nn1", "workers-1", Role.NAMENODE, address=name)]),
        plan(masters=[master(name, "workers-1", Role.NAMENODE)]),
    ]
    for one in plans:
        with pytest.raises(UserError, match="is not a"):
            render(one)


def test_a_cluster_without_a_namenode_is_refused() -> None:
    with pytest.raises(UserError, match="none of them is a NameNode"):
        render(plan(masters=[master("zk1", "workers-1", Role.ZOOKEEPER)]))


def test_a_file_nobody_renders_is_refused() -> None:
    with pytest.raises(UserError, match="not a file that is rendered"):
        render(plan(setting("a.b", 1, "../../etc/passwd")))


def test_every_script_is_one() -> None:
    scripts = [file for file in render(_mixed()).files if file.executable]
    assert {PurePosixPath(file.path).name for file in scripts} == {"disks.sh", "topology.sh"}
    for file in scripts:
        shell = file.content.splitlines()[0].removeprefix("#!/bin/")
        done = subprocess.run([shell, "-n"], input=file.content.encode(), capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), file.path


@pytest.mark.parametrize(
    "file", ["firmware", "network", "java", "sysctl.conf", "limits.conf", "thp", "zoo.cfg"]
)
def test_a_key_that_stands_bare_in_a_file_is_a_plain_one(file: str) -> None:
    for key in ("a\nb = 1", "a b", "a`id`", ""):
        with pytest.raises(UserError, match="not a plain key"):
            render(plan(setting(key, 1, file)))


def test_a_unit_may_have_as_many_threads_as_its_user() -> None:
    unit = _rendered(plan(setting("nproc", 32768, "limits.conf")))["os/systemd/10-howdah-limits.conf"]
    assert "LimitNPROC=32768\nTasksMax=32768\n" in unit
