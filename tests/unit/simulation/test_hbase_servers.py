"""A plan's RegionServers as the simulator is told of them, and what becomes of more or fewer of them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from howdah.errors import UserError
from howdah.model.plan import ClusterPlan, Role
from howdah.simulation.scenario import SimulatedHBase
from howdah.simulation.translate import translate
from howdah.units import GIB, MIB
from support.sim_hbase import asked_of, hbase_plan, throughput, with_setting
from support.sim_plans import small_plan, suite_on


def _told(plan: ClusterPlan | None = None, suite: str = "ycsb-a", **asked: object) -> SimulatedHBase:
    planned = plan or hbase_plan()
    hbase = translate(planned, suite_on(planned, suite, **asked), {}, seed=1).scenario.hbase
    assert hbase is not None
    return hbase


def test_servers_have_the_planned_memory_handlers_and_replicas() -> None:
    plan = hbase_plan()
    values = {one.key: one.value for one in plan.settings}
    told = _told()
    assert told.handlers == values["hbase.regionserver.handler.count"]
    assert told.replication == values["dfs.replication"]
    # The study's workers of 80 GiB have a cache outside of their heap of 31 GiB or less.
    assert told.block_cache_bytes == values["hbase.bucketcache.size"] * MIB
    assert 0 < told.memstore_bytes <= 0.4 * 31 * GIB
    assert 0 <= told.page_cache_bytes < plan.workers[0].memory_bytes - told.block_cache_bytes
    assert (told.flush_bytes, told.compacted_files, told.log) == (128 * MIB, 3, "fan-out")


def test_a_cache_in_the_heap_is_a_share_of_it() -> None:
    plan = with_setting(hbase_plan(), "hbase.bucketcache.size", 0)
    plan = with_setting(plan, "hfile.block.cache.size", "0.3")
    plan = with_setting(plan, "HBASE_REGIONSERVER_OPTS", "-Xmx10g")
    assert _told(plan).block_cache_bytes == pytest.approx(3 * GIB)


def test_one_log_after_the_other_is_a_pipeline() -> None:
    assert _told(with_setting(hbase_plan(), "hbase.wal.provider", "filesystem")).log == "pipeline"


def test_the_table_is_that_of_the_plan_in_regions_for_every_server() -> None:
    (load, *mixes) = _told(suite="ycsb").programs
    assert load.kind == "ycsb-load"
    assert {program.records for program in (load, *mixes)} == {1_000_000}
    assert {program.regions for program in (load, *mixes)} == {12}
    assert {program.regions for program in _told(suite="ycsb", regions=30).programs} == {30}


def test_a_plan_that_cannot_be_asked_is_refused() -> None:
    with pytest.raises(UserError, match="no HBase for ycsb-a"):
        translate(small_plan(), suite_on(small_plan(), "ycsb-a"), {}, seed=1)
    plan = hbase_plan()
    (worker,) = plan.workers
    bare = worker.model_copy(
        update={"roles": tuple(role for role in worker.roles if role is not Role.REGIONSERVER)}
    )
    with pytest.raises(UserError, match="has no RegionServer"):
        _told(plan.model_copy(update={"workers": (bare,)}))
    with pytest.raises(UserError, match="sets no heap, so the sizes of caches are unknown"):
        _told(with_setting(plan, "HBASE_REGIONSERVER_OPTS", "-XX:+UseG1GC"))


def test_a_table_beyond_the_disks_is_refused_with_what_would_fit() -> None:
    with pytest.raises(UserError, match="100B records take") as caught:
        _told(records=100_000_000_000)
    fitting = caught.value.hint.split("--records ")[1].split(",")[0]
    assert fitting.endswith("B")
    assert _told(records=int(float(fitting[:-1]) * 0.99e9)).programs[0].records > 10**9


@pytest.mark.parametrize("suite", ["ycsb-a", "ycsb-c"])
def test_throughput_grows_with_threads_until_something_is_full(suite: str) -> None:
    rates = [throughput(asked_of(hbase_plan(), suite, threads=threads)) for threads in (1, 4, 16, 64, 256)]
    for one, other in pairwise(rates):
        assert other > 0.95 * one
    assert rates[1] > 2 * rates[0]
    assert rates[-1] < 3 * rates[-2]


def test_what_does_not_fit_in_memory_is_slower_to_read() -> None:
    cached, far_more = (
        asked_of(hbase_plan(), "ycsb-c", records=records, threads=24) for records in (1_000_000, 400_000_000)
    )
    used = [data.record.workloads[0].used for data in (cached, far_more)]
    assert used[0] is not None
    assert used[1] is not None
    assert used[0].in_memory == 1.0
    assert used[1].in_memory is not None
    assert used[1].in_memory < 0.9
    assert throughput(far_more) < 0.7 * throughput(cached)


def test_virtual_machines_cost_something() -> None:
    native, virtual = (
        throughput(asked_of(hbase_plan(workers), "ycsb-c", threads=200, operations=100_000))
        for workers in (0, 1)
    )
    assert 0.8 * native < virtual < native


def test_what_a_laboratory_leaves_of_cpu_time_is_told() -> None:
    plan = hbase_plan()
    suite = suite_on(plan, "ycsb-a")
    held = translate(plan, suite, {"cpu_quota": 0.1}, seed=1).scenario.hbase
    assert held is not None
    assert (_told().cpu_quota, held.cpu_quota) == (None, 0.1)
