"""Work beside MapReduce: what Spark, Hive on Tez and HBase leave to one another on a worker."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.documents.files import read_inventory
from howdah.model.plan import Advice, ClusterPlan, Value
from howdah.model.request import Demand, Override, PlanRequest, WorkKind
from howdah.planner.cluster import plan_cluster
from howdah.planner.rules.scheduler import queue_of, queue_shares
from howdah.units import MIB
from support.clusters import host_group, inventory

EXAMPLES = Path(__file__).parents[3] / "examples"
KINDS: tuple[WorkKind, ...] = ("mapreduce", "terasuite", "spark", "tez", "ycsb")
CAPACITY = re.compile(r"yarn\.scheduler\.capacity\.root\.(\w+)\.capacity")


def request(*kinds: WorkKind, **overrides: str) -> PlanRequest:
    given = tuple(Override(key=key.replace("_", "."), value=value) for key, value in overrides.items())
    return PlanRequest(workloads=tuple(Demand(kind=kind) for kind in kinds), overrides=given)


def planned(*kinds: WorkKind, hosts: str = "hosts-nvme.yaml", **overrides: str) -> ClusterPlan:
    return plan_cluster(read_inventory(EXAMPLES / hosts), request(*kinds, **overrides))


def values(plan: ClusterPlan) -> dict[str, Value]:
    return {setting.key: setting.value for setting in plan.settings}


def number(plan: ClusterPlan, key: str) -> int:
    value = values(plan)[key]
    assert isinstance(value, int), key
    return value


def megabytes(plan: ClusterPlan, key: str) -> int:
    return int(str(values(plan)[key]).removesuffix("m"))


@pytest.mark.parametrize("hosts", ["hosts-nvme.yaml", "hosts-32.yaml", "hosts-7.yaml"])
def test_yarn_gets_most_of_what_daemons_leave_and_a_sort_its_tasks(hosts: str) -> None:
    key = "yarn.nodemanager.resource.memory-mb"
    jobs, sort = planned("mapreduce", hosts=hosts), planned("terasuite", hosts=hosts)
    memory = min(worker.memory_bytes for worker in jobs.workers)
    setting = next(setting for setting in jobs.settings if setting.key == key)
    taken = sum(
        float(given.value)
        for given in setting.inputs
        if given.unit == "B" and not given.name.startswith("worker")
    )
    share = number(jobs, key) * MIB / (memory - taken)
    assert 0.8 <= share <= 0.9
    assert number(sort, key) < number(jobs, key)


def test_tasks_are_as_many_as_threads_and_share_the_memory_of_containers() -> None:
    plan = planned("mapreduce")
    (worker,) = plan.workers
    assert number(plan, "yarn.nodemanager.resource.cpu-vcores") == worker.vcpus == 256
    tasks = worker.map_slots * number(plan, "mapreduce.map.memory.mb")
    tasks += worker.reduce_slots * number(plan, "mapreduce.reduce.memory.mb")
    assert 0.75 <= tasks / number(plan, "yarn.nodemanager.resource.memory-mb") <= 1


@pytest.mark.parametrize("kinds", [("spark",), ("spark", "mapreduce"), ("spark", "tez", "ycsb")])
@pytest.mark.parametrize("hosts", ["hosts-nvme.yaml", "hosts-32.yaml", "hosts-amax.yaml"])
def test_executors_fill_a_worker_and_fit(kinds: tuple[WorkKind, ...], hosts: str) -> None:
    plan = planned(*kinds, hosts=hosts)
    container = megabytes(plan, "spark.executor.memory") + megabytes(plan, "spark.executor.memoryOverhead")
    cores = number(plan, "spark.executor.cores")
    vcores = number(plan, "yarn.nodemanager.resource.cpu-vcores")
    memory = number(plan, "yarn.nodemanager.resource.memory-mb")
    executors = vcores // cores
    assert container % 512 == 0
    assert container <= number(plan, "yarn.scheduler.maximum-allocation-mb")
    assert executors * cores > 0.8 * vcores
    assert 0.7 * memory <= executors * container <= memory
    assert megabytes(plan, "spark.executor.memoryOverhead") >= 384
    assert megabytes(plan, "spark.executor.memory") <= 31 * 1024


def test_what_spark_shuffles_is_served_by_nodemanagers() -> None:
    with_spark, without = values(planned("spark")), values(planned("mapreduce"))
    services = "yarn.nodemanager.aux-services"
    assert with_spark[services] == ("mapreduce_shuffle", "spark_shuffle")
    assert f"{services}.spark_shuffle.class" in with_spark
    assert without[services] == ("mapreduce_shuffle",)
    assert not [key for key in without if "spark" in key]


def test_an_executor_beyond_every_container_breaks_its_rule() -> None:
    plan = planned("spark", spark_executor_memory="900g")
    setting = next(setting for setting in plan.settings if setting.key == "spark.executor.memory")
    assert [breach.rule for breach in setting.breaks] == ["spark.memory"]


def test_tasks_of_tez_share_the_memory_of_containers() -> None:
    plan = planned("tez")
    container = number(plan, "hive.tez.container.size")
    vcores = number(plan, "yarn.nodemanager.resource.cpu-vcores")
    assert container == number(plan, "tez.task.resource.memory.mb")
    assert 0.8 <= container * vcores / number(plan, "yarn.nodemanager.resource.memory-mb") <= 1
    assert number(plan, "tez.runtime.io.sort.mb") == int(0.4 * container)
    assert number(plan, "hive.auto.convert.join.noconditionaltask.size") == container * MIB // 3


@given(st.sets(st.sampled_from(KINDS), min_size=1))
def test_the_shares_of_queues_add_up_and_every_job_has_one(kinds: set[WorkKind]) -> None:
    asked = request(*sorted(kinds))
    if not asked.mapreduce:
        return
    shares = queue_shares(asked)
    assert sum(shares.values()) == 100
    assert min(shares.values()) >= 10
    assert "default" in shares
    for kind in kinds - {"ycsb"}:
        assert queue_of(kind, asked) in shares


def test_one_kind_of_jobs_has_the_only_queue() -> None:
    plan = planned("spark")
    assert values(plan)["spark.yarn.queue"] == "default"
    assert not [key for key in values(plan) if CAPACITY.fullmatch(key) and "default" not in key]


def test_jobs_on_tables_have_a_queue_apart_with_a_limit() -> None:
    plan = planned("mapreduce", "ycsb")
    assert values(plan)["yarn.scheduler.capacity.root.queues"] == ("default", "hbase")
    assert number(plan, "yarn.scheduler.capacity.root.hbase.maximum-capacity") == 50
    assert "queues.labels" in [advice.rule for advice in _advice(plan)]


def _advice(plan: ClusterPlan) -> tuple[Advice, ...]:
    return plan.cluster.advice


def test_storage_alone_runs_no_jobs() -> None:
    plan = planned("storage")
    assert not [key for key in values(plan) if key.startswith(("yarn.", "mapreduce."))]
    roles = {role.value for worker in plan.workers for role in worker.roles}
    assert roles == {"DataNode"}
    assert not any("ResourceManager" in master.roles for master in plan.cluster.masters)


def test_a_worker_for_storage_may_be_smaller() -> None:
    small = inventory(host_group(memory="8GiB"))
    assert plan_cluster(small, request("storage")).workers[0].memory_bytes == 8 << 30


@pytest.mark.parametrize("kinds", [("terasuite", "ycsb"), ("mapreduce", "ycsb"), ("terasuite",)])
def test_a_task_fits_beside_its_master_where_daemons_leave_little(kinds: tuple[WorkKind, ...]) -> None:
    small = host_group("old", 1, memory="16GiB", disks=12, disk_size="16TB")
    plan = plan_cluster(inventory(small), request(*kinds))
    least = number(plan, "yarn.nodemanager.resource.memory-mb") // 2
    for task in ("mapreduce.map", "mapreduce.reduce", "yarn.app.mapreduce.am"):
        key = f"{task}.resource.mb" if task.startswith("yarn") else f"{task}.memory.mb"
        assert number(plan, key) <= max(512, least), key


@pytest.mark.parametrize("memory_gib", [320, 400, 448, 512])
def test_tasks_of_unknown_jobs_use_most_of_a_large_hosts_containers(memory_gib: int) -> None:
    plan = plan_cluster(inventory(host_group(memory=f"{memory_gib}GiB")), request("mapreduce"))
    (worker,) = plan.workers
    tasks_mb = worker.map_slots * number(plan, "mapreduce.map.memory.mb")
    tasks_mb += worker.reduce_slots * number(plan, "mapreduce.reduce.memory.mb")
    assert tasks_mb >= 0.85 * number(plan, "yarn.nodemanager.resource.memory-mb")
