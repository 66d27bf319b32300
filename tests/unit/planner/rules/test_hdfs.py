"""HDFS: blocks, replicas, directories, what a NameNode and a DataNode are given."""

from __future__ import annotations

import re

import pytest

from howdah.errors import UserError
from howdah.model.inventory import DiskKind, DiskSet
from howdah.model.plan import Role
from howdah.model.request import PlanRequest, Protection
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.rule import AdviceRule
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB
from support.facts import (
    HADOOP_RULES,
    HBASE,
    MIX,
    a_configuration,
    a_group,
    a_master,
    a_worker,
    asking,
    decided_by,
    facts_of,
    rule_named,
    seen,
    values_of,
    will_do,
)

TB = 10**12


def value(key: str, facts: Facts | None = None) -> object:
    return values_of(HADOOP_RULES, facts or facts_of())[key]


@pytest.mark.parametrize(("dataset", "size"), [(None, 256), (30 * TB, 256), (TB, 256), (TB // 4, 128)])
def test_blocks_are_small_only_where_slots_would_want_for_them(dataset: int | None, size: int) -> None:
    assert value("dfs.blocksize", facts_of(request=asking(dataset=dataset))) == size * MIB


def test_the_reason_for_a_block_size_tells_the_numbers() -> None:
    _, decision, _ = decided_by(HADOOP_RULES, facts_of(request=asking(dataset=TB)))["dfs.blocksize"]
    assert "756 map slots" in decision.because
    assert [(one.name, one.value) for one in decision.inputs] == [
        ("dataset", TB),
        ("map tasks at once", 756),
        ("blocks of 256 MiB for each", 4.9),
    ]


@pytest.mark.parametrize(
    ("found", "well"),
    [(64 * MIB, False), (128 * MIB, False), (256 * MIB, True), (512 * MIB, True), (8 * GIB, False)],
)
def test_a_block_size_that_exists_is_judged_by_range(found: int, well: bool) -> None:
    assert will_do("hdfs.block-size", found) is well


@pytest.mark.parametrize(("hosts", "replicas"), [(1, 1), (2, 2), (3, 3), (4, 3), (200, 3)])
def test_replicas_as_hosts_allow(hosts: int, replicas: int) -> None:
    assert value("dfs.replication", facts_of(worker_hosts=hosts)) == replicas


def test_two_replicas_where_asked_for_are_accepted_and_one_is_warned_of() -> None:
    facts = facts_of(request=PlanRequest(replication=2))
    assert value("dfs.replication", facts) == 2
    assert will_do("hdfs.replication", 2, facts)
    assert not will_do("hdfs.replication", 2)
    assert seen("hdfs.single-replica", a_configuration({"dfs.replication": "1"})) == [False]


@pytest.mark.parametrize("asked", [0, -1, 4])
def test_more_replicas_than_hosts_are_refused(asked: int) -> None:
    with pytest.raises(UserError) as refusal:
        value("dfs.replication", facts_of(request=PlanRequest(replication=asked), worker_hosts=3))
    assert refusal.value.where == "--replication"
    assert refusal.value.hint == "give 1 to 3"


def test_permissions_are_off_in_the_paper_profile_only() -> None:
    assert value("dfs.permissions.enabled", facts_of(request=asking(paper=True))) is False
    assert value("dfs.permissions.enabled") is True
    assert not will_do("hdfs.permissions", False)


def test_each_data_disk_has_one_directory() -> None:
    facts = facts_of(a_worker(disks=3))
    dirs = ("file:///data/01/dfs", "file:///data/02/dfs", "file:///data/03/dfs")
    assert value("dfs.datanode.data.dir", facts) == dirs
    assert will_do("volumes.data-dirs", ("[DISK]file:///a", "/b", "/c"), facts)
    assert not will_do("volumes.data-dirs", ("/a", "/b"), facts)
    assert not will_do("volumes.data-dirs", ("/a", "/b", "/b"), facts)


@pytest.mark.parametrize("path", ["/tmp/data", "file:///tmp/a", "/var/tmp/a", "/run/a"])
def test_blocks_below_tmp_are_found(path: str) -> None:
    assert seen("volumes.lasting", a_configuration({"dfs.datanode.data.dir": f"/data/01,{path}"})) == [False]
    assert seen("volumes.lasting", a_configuration({"dfs.datanode.data.dir": "/data/01,/tmpfs/a"})) == [True]


@pytest.mark.parametrize(("disks", "tolerated"), [(1, 0), (2, 1), (5, 1), (12, 2), (20, 3)])
def test_a_sixth_of_the_disks_may_fail(disks: int, tolerated: int) -> None:
    facts = facts_of(a_worker(disks=disks))
    assert value("dfs.datanode.failed.volumes.tolerated", facts) == tolerated
    assert tolerated < disks
    assert will_do("volumes.failed-volumes", 0, facts) is (disks == 1)


def test_as_many_failures_as_disks_are_found() -> None:
    def given(tolerated: int) -> list[bool | None]:
        properties = {
            "dfs.datanode.data.dir": "/a,/b",
            "dfs.datanode.failed.volumes.tolerated": str(tolerated),
        }
        return seen("volumes.failed-volumes-too-many", a_configuration(properties))

    assert given(2) == [False]
    assert given(1) == [True]
    assert given(-1) == [True]


def test_hdfs_leaves_room_for_intermediate_data_below_what_a_nodemanager_gives_up() -> None:
    reserved = value("dfs.datanode.du.reserved")
    assert isinstance(reserved, int)
    full = values_of(HADOOP_RULES, facts_of())[
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage"
    ]
    assert isinstance(full, float)
    assert reserved / (600 * 10**9) > 1 - full / 100
    alone = value("dfs.datanode.du.reserved", facts_of(request=asking(HBASE)))
    assert isinstance(alone, int)
    assert alone < reserved


def test_disks_of_two_sizes_are_filled_by_free_space() -> None:
    group = a_group()
    mixed = group.model_copy(
        update={"disks": (*group.disks, DiskSet(count=1, kind=DiskKind.HDD, size="1200GB"))}
    )
    assert "AvailableSpace" in str(
        value("dfs.datanode.fsdataset.volume.choosing.policy", facts_of(group=mixed))
    )
    assert "RoundRobin" in str(value("dfs.datanode.fsdataset.volume.choosing.policy"))
    assert will_do("volumes.volume-policy", "")


def test_the_balancer_takes_a_tenth_of_a_hosts_network() -> None:
    total = 4 * int(str(value("dfs.datanode.balance.bandwidthPerSec")))
    assert total == pytest.approx(0.1 * 2 * 10**10 / 8, rel=0.02)


def test_hbase_wants_more_transfer_threads_short_circuit_reads_and_the_page_cache() -> None:
    facts = facts_of(request=asking(MIX, paper=True))
    assert value("dfs.datanode.max.transfer.threads", facts) == 8192
    assert not will_do("datanode.transfer-threads", 4096, facts)
    assert value("dfs.client.read.shortcircuit", facts) is True
    assert value("dfs.domain.socket.path", facts)
    assert value("dfs.datanode.drop.cache.behind.reads", facts) is False
    assert not will_do("streams.drop-cache-behind-reads", True, facts)


def test_jobs_read_their_own_hosts_blocks_as_hbase_does_and_the_native_library_is_asked_for() -> None:
    assert value("dfs.client.read.shortcircuit") is True
    assert value("dfs.domain.socket.path")
    # What exists without is slower for jobs, and wrong for HBase.
    assert will_do("streams.short-circuit", False, facts_of())
    assert not will_do("streams.short-circuit", False, facts_of(request=asking(MIX)))
    off = facts_of().deciding("dfs.client.read.shortcircuit", value=False)
    assert not rule_named("streams.domain-socket").holds(off)
    rule = rule_named("streams.native-library")
    assert isinstance(rule, AdviceRule)
    told = rule.advise(facts_of().deciding("dfs.domain.socket.path", "/var/lib/hadoop-hdfs/dn_socket"))
    assert told is not None
    assert "hadoop checknative" in told
    assert rule.advise(facts_of()) is None


@pytest.mark.parametrize(
    ("size", "mapreduce", "reserved", "full"),
    [
        (600 * 10**9, True, 90 * 10**9, 95.0),
        (600 * 10**9, False, 30 * 10**9, None),
        (7_680 * 10**9, True, 353.6 * 10**9, 98.0),
        (7_680 * 10**9, False, 153.6 * 10**9, None),
        (18_000 * 10**9, True, 380 * 10**9, 99.0),
    ],
)
def test_what_is_kept_of_a_disk_is_the_works_not_a_share_of_a_large_disk(
    size: int, mapreduce: bool, reserved: float, full: float | None
) -> None:
    request = asking() if mapreduce else asking(HBASE)
    facts = facts_of(group=a_group(disk_bytes=size), request=request)
    decided = values_of(HADOOP_RULES, facts)
    kept = decided["dfs.datanode.du.reserved"]
    assert isinstance(kept, int)
    assert reserved - GIB <= kept <= reserved
    percent = decided.get("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage")
    assert percent == full
    if full is not None:
        # A NodeManager must not give up a disk that HDFS has filled as far as it may.
        assert kept > size * (1 - full / 100)


def test_a_study_streams_past_the_page_cache() -> None:
    facts = facts_of(request=asking(paper=True))
    for key in ("drop.cache.behind.reads", "drop.cache.behind.writes", "sync.behind.writes"):
        assert value(f"dfs.datanode.{key}", facts) is True


def test_short_circuit_reads_without_a_socket_are_found() -> None:
    on = {"dfs.client.read.shortcircuit": "true"}
    assert seen("streams.short-circuit-socket", a_configuration(on)) == [False]
    assert seen("streams.short-circuit-socket", a_configuration({**on, "dfs.domain.socket.path": "/s"})) == [
        True
    ]
    assert seen("streams.short-circuit-socket", a_configuration()) == []


@pytest.mark.parametrize(("workers", "handlers"), [(1, 10), (7, 39), (126, 97), (40_000, 212)])
def test_handlers_grow_with_the_logarithm_of_datanodes(workers: int, handlers: int) -> None:
    facts = facts_of(kinds=((a_worker(), workers),))
    assert value("dfs.namenode.handler.count", facts) == handlers
    assert will_do("namenode.handlers", 10, facts) is (handlers <= 20)


def test_one_handler_is_for_a_study_only() -> None:
    assert value("dfs.namenode.handler.count", facts_of(request=asking(paper=True))) == 1
    assert not will_do("namenode.handlers", 1)


def test_the_namenodes_heap_grows_with_blocks_within_its_place() -> None:
    def heap(workers: int, memory_gib: int) -> int:
        masters = (a_master(Role.NAMENODE, Role.RESOURCEMANAGER, memory_gib=memory_gib),)
        facts = facts_of(kinds=((a_worker(disks=24), workers),), masters=masters)
        size = heap_bytes(str(value("HDFS_NAMENODE_OPTS", facts)))
        assert size is not None
        return size

    assert heap(100, 256) < heap(5000, 256)
    assert heap(5000, 8) <= 4 * GIB


def _namenode_options(
    workers: int, memory_gib: int, *, shares: bool = False, request: PlanRequest | None = None
) -> str:
    masters = (a_master(Role.NAMENODE, Role.RESOURCEMANAGER, memory_gib=memory_gib, shares=shares),)
    facts = facts_of(
        kinds=((a_worker(disks=24), workers),), masters=masters, request=request or PlanRequest()
    )
    return str(value("HDFS_NAMENODE_OPTS", facts))


def test_a_namenode_has_what_vendors_give_for_files_smaller_than_blocks() -> None:
    # 1,000 workers of 24 disks of 600 GB hold 3.84 PB: 57 million files of 64 MiB, 72 million blocks.
    heap = heap_bytes(_namenode_options(1000, 256)) or 0
    assert 72 * 10**9 <= heap <= 80 * 2**30
    larger = asking().model_copy(update={"file_bytes": 1024 * 2**20})
    assert (heap_bytes(_namenode_options(1000, 256, request=larger)) or 0) < heap / 2


def test_a_namenode_on_a_large_host_of_its_own_has_some_of_its_room() -> None:
    assert heap_bytes(_namenode_options(10, 768)) == 31 * GIB
    assert heap_bytes(_namenode_options(10, 768, shares=True)) == 4 * GIB


def test_no_heap_is_of_a_size_that_wastes_pointers() -> None:
    for workers in range(300, 900, 25):
        heap = heap_bytes(_namenode_options(workers, 256)) or 0
        assert heap <= 31 * GIB or heap >= 48 * GIB


def test_g1_is_told_what_its_java_and_the_files_ask_for_and_no_young_generation() -> None:
    few, many = _namenode_options(10, 256), _namenode_options(1000, 256)
    assert "MaxGCPauseMillis" not in few
    assert "-XX:MaxGCPauseMillis=4000" in many
    old = PlanRequest(hadoop="3.4.2")
    assert "ParallelRefProcEnabled" in _namenode_options(10, 256, request=old)
    for options in (few, many):
        assert "-XX:+UseG1GC" in options
        assert "ParallelRefProcEnabled" not in options
        assert not re.search(r"-Xmn|NewSize|NewRatio", options)


def test_what_vendors_give_will_do_although_there_is_room_for_more() -> None:
    facts = facts_of(masters=(a_master(Role.NAMENODE, Role.RESOURCEMANAGER, memory_gib=768),))
    assert will_do("namenode.heap", "-Xms6g -Xmx6g", facts)
    assert not will_do("namenode.heap", "-Xms1g -Xmx1g", facts)


def test_a_checkpoint_takes_the_heap_that_the_namenode_has() -> None:
    decided = values_of(HADOOP_RULES, facts_of())
    assert decided["HDFS_SECONDARYNAMENODE_OPTS"] == decided["HDFS_NAMENODE_OPTS"]


def test_on_a_single_host_one_replica_is_all_there_can_be() -> None:
    found = a_configuration({"dfs.replication": "1"})
    assert seen("hdfs.single-replica", found, facts_of(worker_hosts=1)) == []
    assert seen("hdfs.single-replica", found, facts_of(worker_hosts=2)) == [False]


def test_name_directories_below_tmp_are_refused() -> None:
    assert not will_do("namenode.name-dirs", ("file:///tmp/hadoop-hdfs/dfs/name",))
    assert not will_do("namenode.name-dirs", ("${java.io.tmpdir}/dfs/name",))
    # Where core-site.xml was not given, this may be any directory; otherwise the variable is replaced.
    assert will_do("namenode.name-dirs", ("${hadoop.tmp.dir}/dfs/name",))
    assert will_do("namenode.name-dirs", ("/srv/name", "/mnt/nfs/name"))


def test_checkpoints_are_the_standbys_work_in_a_pair() -> None:
    pair = facts_of(request=PlanRequest(protection=Protection.HA))
    assert "dfs.namenode.checkpoint.dir" not in values_of(HADOOP_RULES, pair)


def test_a_rule_that_lacks_facts_says_what_is_missing() -> None:
    with pytest.raises(MissingFact, match="plan"):
        values_of(HADOOP_RULES, Facts(request=PlanRequest()))
