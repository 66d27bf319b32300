"""HBase: memory of a RegionServer, its caches, where it keeps its data."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.model.plan import Role, Value
from howdah.planner.facts import Facts
from howdah.planner.rule import AdviceRule, SettingRule
from howdah.planner.rules.hbase import regionserver_memory
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
    facts_of,
    rule_named,
    seen,
    values_of,
    will_do,
)


def the_study(memory_gib: float = 74) -> Facts:
    """Three hosts of the HBase study with one worker each."""
    worker = a_worker(memory_gib, slots=0, disks=6, vcpus=22, per_host=1)
    return facts_of(kinds=((worker, 3),), request=asking(HBASE), worker_hosts=3)


def values(facts: Facts | None = None) -> dict[str, Value]:
    return values_of(HADOOP_RULES, facts or the_study())


def test_the_studys_regionserver_has_over_64_gb_in_all() -> None:
    decided = values()
    heap = heap_bytes(str(decided["HBASE_REGIONSERVER_OPTS"])) or 0
    cache = int(str(decided["hbase.bucketcache.size"])) * MIB
    assert heap == 31 * GIB
    assert heap + cache > 60 * GIB
    assert heap + cache < 70 * GIB
    assert decided["hbase.bucketcache.ioengine"] == "offheap"
    assert decided["hfile.block.cache.size"] == 0.2


@pytest.mark.parametrize(("cpus", "handlers"), [(8, 30), (24, 48), (128, 256)])
def test_handlers_are_twice_the_cpus_and_the_reason_says_so(cpus: int, handlers: int) -> None:
    worker = a_worker(256, slots=0, disks=6, vcpus=cpus, per_host=1)
    facts = facts_of(kinds=((worker, 3),), request=asking(HBASE), worker_hosts=3)
    rule = rule_named("regionserver.handlers")
    assert isinstance(rule, SettingRule)
    decision = rule.decide(facts)
    assert decision.value == handlers
    assert f"twice the {cpus} CPUs" in decision.because
    assert ("default" in decision.because) is (handlers > 2 * cpus)


@pytest.mark.parametrize(
    ("disks", "records", "region_gib"),
    # 3 RegionServers: full disks; 300 GB and 30 TB of records, in 100 GB and 10 TB for each.
    [(6, None, 9), (24, None, 36), (24, 300_000_000, 5), (24, 30_000_000_000, 50), (100, None, 50)],
)
def test_regions_are_so_large_that_a_server_has_twenty_to_two_hundred(
    disks: int, records: int | None, region_gib: int
) -> None:
    worker = a_worker(256, slots=0, disks=disks, vcpus=24, per_host=1)
    demand = HBASE[0].model_copy(update={"records": records})
    facts = facts_of(
        kinds=((worker, 3),), request=asking((demand,)), group=a_group(disks=disks), worker_hosts=3
    )
    decided = values(facts)
    assert decided["hbase.hregion.max.filesize"] == region_gib * GIB


def test_more_than_two_hundred_of_the_largest_regions_are_told() -> None:
    rule = rule_named("hbase.dense-regionservers")
    assert isinstance(rule, AdviceRule)
    few, many = (a_worker(256, slots=0, disks=disks, per_host=1) for disks in (12, 24))
    group = a_group(disks=24, disk_bytes=7_680 * 10**9)
    small = facts_of(kinds=((few, 3),), request=asking(HBASE)).deciding("dfs.replication", 3)
    assert rule.advise(small) is None
    large = facts_of(kinds=((many, 3),), request=asking(HBASE), group=group)
    told = rule.advise(large.deciding("dfs.replication", 3))
    assert told is not None
    assert "200 regions of 50 GiB" in told


@pytest.mark.parametrize(("memory_gib", "flag"), [(74, "G1HeapRegionSize=32m"), (16, "G1HeapRegionSize=8m")])
def test_a_memstores_chunk_is_smaller_than_half_a_region_of_the_collector(
    memory_gib: float, flag: str
) -> None:
    assert flag in str(values(the_study(memory_gib))["HBASE_REGIONSERVER_OPTS"])


def test_zookeeper_grants_the_sessions_that_hbase_asks_for() -> None:
    assert values()["maxSessionTimeout"] == 90_000
    asked = the_study().deciding("zookeeper.session.timeout", 60_000)
    rule = rule_named("hbase.session-limit")
    assert isinstance(rule, SettingRule)
    assert rule.decide(asked).value == 60_000
    jobs_alone = facts_of(kinds=((a_worker(74), 3),))
    assert "maxSessionTimeout" not in values(jobs_alone)


def test_a_small_regionserver_caches_in_its_heap() -> None:
    decided = values(the_study(16))
    assert "hbase.bucketcache.ioengine" not in decided
    assert "MaxDirectMemorySize" not in str(decided["HBASE_REGIONSERVER_OPTS"])
    assert decided["hfile.block.cache.size"] == 0.4


@given(st.integers(4 * GIB, 2048 * GIB))
@settings(deadline=None)
def test_heap_cache_and_buffers_stay_within_the_share(share: int) -> None:
    memory = regionserver_memory(share)
    assert memory.heap <= 31 * GIB
    assert memory.heap > 0
    assert memory.cache >= 0
    assert memory.heap + memory.direct <= share


@pytest.mark.parametrize("memory_gib", [16, 32, 74, 256, 1024])
def test_cache_and_memstores_leave_a_fifth_of_the_heap(memory_gib: float) -> None:
    decided = values(the_study(memory_gib))
    both = [decided["hfile.block.cache.size"], decided["hbase.regionserver.global.memstore.size"]]
    assert sum(float(str(one)) for one in both) <= 0.8


def test_java_may_take_more_beside_the_heap_than_the_cache() -> None:
    decided = values()
    limit = int(
        str(decided["HBASE_REGIONSERVER_OPTS"]).partition("MaxDirectMemorySize=")[2].removesuffix("m")
    )
    assert limit - int(str(decided["hbase.bucketcache.size"])) == 2048


@pytest.mark.parametrize(
    ("given_to", "said"),
    [
        ({"hfile.block.cache.size": "0.5", "hbase.regionserver.global.memstore.size": "0.4"}, [False]),
        ({"hfile.block.cache.size": "0.5"}, [False]),
        ({"hfile.block.cache.size": "0.4", "hbase.regionserver.global.memstore.size": "0.4"}, [True]),
        ({}, []),
    ],
)
def test_more_than_four_fifths_of_the_heap_are_found(given_to: dict[str, str], said: list[bool]) -> None:
    assert seen("regionserver.heap-shares", a_configuration(given_to), the_study()) == said


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"HBASE_REGIONSERVER_OPTS": "-Xmx31g -XX:MaxDirectMemorySize=8g"}, [False]),
        ({"HBASE_REGIONSERVER_OPTS": "-Xmx31g -XX:MaxDirectMemorySize=18g"}, [True]),
        ({"HBASE_OFFHEAPSIZE": "20G"}, [True]),
        ({}, [None]),
    ],
)
def test_a_cache_beyond_direct_memory_is_found(environment: dict[str, str], said: list[bool | None]) -> None:
    found = a_configuration(
        {"hbase.bucketcache.ioengine": "offheap", "hbase.bucketcache.size": "16384"}, environment
    )
    assert seen("regionserver.direct-memory", found, the_study()) == said


@pytest.mark.parametrize(
    ("options", "well"),
    [("-Xmx31g", True), ("-Xmx24g", True), ("-Xmx8g", False), ("-Xmx40g", False), ("", False)],
)
def test_heaps_that_are_small_or_waste_pointers_are_warned_of(options: str, well: bool) -> None:
    assert will_do("regionserver.heap", options, the_study()) is well


def test_a_mix_leaves_tasks_their_containers_and_hbase_the_rest() -> None:
    worker = a_worker(241, slots=11, disks=20, vcpus=40, per_host=1)
    decided = values(facts_of(worker, request=asking(MIX)))
    assert int(str(decided["yarn.nodemanager.resource.memory-mb"])) >= 11 * (1024 + 1536)
    assert int(str(decided["hbase.bucketcache.size"])) * MIB > 64 * GIB


def test_hbase_is_in_hdfs_and_found_through_the_clusters_zookeepers() -> None:
    decided = values()
    assert decided["hbase.rootdir"] == "hdfs://cluster/hbase"
    assert decided["hbase.zookeeper.quorum"] == ("m1.example.com",)
    assert decided["hbase.cluster.distributed"] is True
    assert will_do("hbase.quorum", ("m1.example.com:2181",), the_study())
    assert not will_do("hbase.quorum", ("127.0.0.1",), the_study())
    assert not will_do("hbase.root", "file:///tmp/hbase", the_study())


def test_the_root_follows_the_file_systems_own_address() -> None:
    facts = the_study().deciding("fs.defaultFS", "hdfs://nn.example.com:8020")
    assert values(facts)["hbase.rootdir"] == "hdfs://nn.example.com:8020/hbase"
    local = the_study().deciding("fs.defaultFS", "file:///")
    assert values(local)["hbase.rootdir"] == "hdfs://cluster/hbase"


def test_nothing_of_hbase_is_set_where_it_does_not_run() -> None:
    masters = (a_master(Role.NAMENODE, Role.RESOURCEMANAGER),)
    decided = values(facts_of(masters=masters))
    assert [key for key in decided if key.startswith(("hbase", "hfile", "HBASE", "zookeeper"))] == []
