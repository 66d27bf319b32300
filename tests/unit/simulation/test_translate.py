"""A plan and a suite say everything that the simulator is told."""

from __future__ import annotations

import json
from typing import Literal

import pytest

from howdah.documents.files import read_inventory
from howdah.errors import UserError
from howdah.model.inventory import DiskKind, DiskSet
from howdah.model.plan import ClusterPlan, Setting
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.model.workloads.terasort import Codec
from howdah.planner.cluster import plan_cluster
from howdah.releases.values import heap_bytes
from howdah.simulation.translate import translate
from howdah.units import MIB
from support.plans import group, kind, plan, setting
from support.sim_plans import EXAMPLES, small_plan, study_plan, suite_on


def _with(planned: ClusterPlan, key: str, value: int | str) -> ClusterPlan:
    others = [one for one in planned.settings if one.key != key]
    changed = Setting(key=key, value=value, reason="a test's", source="command line", origin="user")
    return planned.model_copy(update={"settings": (*others, changed)})


def test_the_studys_hosts_carry_what_table_1_says() -> None:
    planned = study_plan(4)
    scenario, machines, warnings = translate(planned, suite_on(planned), {}, seed=7)
    assert warnings == ()
    assert len(machines.hosts) == sum(group.count for group in scenario.hosts) == 32
    assert len(machines.workers) == len(machines.host_of) == 126
    # Two hosts give up a worker's place each to a master.
    assert [machines.host_of.count(number) for number in range(32)].count(3) == 2
    first = scenario.hosts[-1]
    assert (first.sockets, first.cores_per_socket, first.threads_per_core, first.numa_nodes) == (2, 10, 2, 2)
    (disks,) = first.disks
    assert (disks.count, disks.outer_bytes_per_s, disks.kind) == (20, 190 * MIB, "fasthdd")
    (worker,) = first.workers
    assert (worker.count, worker.vcpus, worker.disks, worker.map_slots, worker.reduce_slots) == (
        4,
        10,
        5,
        6,
        6,
    )
    assert {group.rack for group in scenario.hosts} == set(range(16))
    assert (scenario.hdfs.drop_behind_writes, scenario.hdfs.sync_behind_writes) == (True, True)
    assert scenario.hdfs.readahead_bytes == 4 << 20
    assert scenario.scheduling.kind == "slots"
    assert scenario.scheduling.jvm_reuse
    assert (scenario.job.codec, scenario.job.compression_ratio) == (Codec.SNAPPY, 4.9)
    generated, sorted_, validated = scenario.workloads
    assert (generated.rows, generated.maps, sorted_.reduces) == (300_000_000_000, 756, 756)
    assert validated.rows == sorted_.rows == generated.rows


def test_yarn_gives_out_as_many_containers_as_memory_and_cores_allow() -> None:
    planned = small_plan()
    scenario = translate(planned, suite_on(planned, rows=10**6), {}, seed=7).scenario
    (worker,) = scenario.hosts[0].workers
    values = {one.key: one.value for one in planned.settings}
    memory, cores = (
        values["yarn.nodemanager.resource.memory-mb"],
        values["yarn.nodemanager.resource.cpu-vcores"],
    )
    for at_once, task in ((worker.map_slots, "map"), (worker.reduce_slots, "reduce")):
        container = values[f"mapreduce.{task}.memory.mb"]
        assert isinstance(memory, int)
        assert isinstance(cores, int)
        assert isinstance(container, int)
        assert at_once == min(memory // container, cores)
    assert scenario.scheduling.kind == "containers"
    assert not scenario.scheduling.jvm_reuse
    assert scenario.scheduling.speculative


def test_what_a_run_asks_for_goes_before_what_is_planned() -> None:
    planned = study_plan(4)
    suite = suite_on(
        planned,
        rows=10**9,
        block_bytes=64 * MIB,
        replication=2,
        output_replication=3,
        codec=Codec.NONE,
        slowstart=0.5,
        partition_samples=5_000,
    )
    scenario = translate(planned, suite, {"softness": 6.0}, seed=3).scenario
    assert scenario.hdfs.block_bytes == 64 * MIB
    assert (scenario.workloads[0].replication, scenario.workloads[1].replication) == (2, 3)
    assert (scenario.job.codec, scenario.job.compression_ratio) == (Codec.NONE, 1.0)
    assert scenario.scheduling.slowstart == 0.5
    assert scenario.job.partition_samples == 5_000
    assert (scenario.parameters, scenario.seed) == ({"softness": 6.0}, 3)


def test_what_a_calibration_found_of_the_hosts_goes_before_their_inventory() -> None:
    planned = study_plan(4)
    values = {"core_speed": 0.75, "controller_bytes_per_s": 5.5e8, "softness": 6.0}
    scenario = translate(planned, suite_on(planned, rows=10**9), values, seed=3).scenario
    assert {(one.speed, one.controller_bytes_per_s) for one in scenario.hosts} == {(0.75, 5.5e8)}
    assert scenario.masters.speed == 0.75
    assert scenario.parameters == {"softness": 6.0}


def test_terasort_keeps_one_replica_of_its_output_unless_the_plan_says_otherwise() -> None:
    planned = study_plan(4)
    suite = suite_on(planned, rows=10**9)
    assert translate(planned, suite, {}, seed=1).scenario.workloads[1].replication == 1
    planned = _with(planned, "mapreduce.terasort.output.replication", 3)
    assert translate(planned, suite, {}, seed=1).scenario.workloads[1].replication == 3


def test_a_users_setting_reaches_the_simulator_in_hadoops_own_spelling() -> None:
    planned = _with(study_plan(4), "dfs.blocksize", "64m")
    scenario = translate(planned, suite_on(planned, rows=10**9), {}, seed=1).scenario
    assert scenario.hdfs.block_bytes == 64 * MIB


def test_the_text_names_only_what_is_known() -> None:
    planned = study_plan(4)
    text = json.loads(translate(planned, suite_on(planned, rows=10**9), {}, seed=1).scenario.text)
    assert text["workloads"][2] == {"kind": "teravalidate", "rows": 10**9}
    assert text["hosts"][0]["virtual"] is True
    assert text["hosts"][0]["controller_bytes_per_s"] > 0
    unknown = _hadoop_plan()
    text = json.loads(translate(unknown, suite_on(unknown, rows=10**6), {}, seed=1).scenario.text)
    assert "controller_bytes_per_s" not in text["hosts"][0]


def _hadoop_plan(*settings: Setting, disks: tuple[DiskSet, ...] = (), count: int = 4) -> ClusterPlan:
    hosts = group(count=count)
    if disks:
        hosts = hosts.model_copy(update={"disks": disks})
    return plan(
        setting("yarn.nodemanager.resource.memory-mb", 65536, "yarn-site.xml"), *settings, groups=(hosts,)
    )


def test_what_an_inventory_leaves_out_is_said() -> None:
    planned = _hadoop_plan()
    scenario, _, warnings = translate(planned, suite_on(planned, rows=10**6), {}, seed=1)
    assert [one.code for one in warnings] == ["default-disk-rate"]
    assert "group workers" in warnings[0].text
    assert "outer_rate" in warnings[0].text
    (disks,) = scenario.hosts[0].disks
    assert disks.outer_bytes_per_s > disks.inner_bytes_per_s


@pytest.mark.parametrize(
    ("kind_of_disk", "outer", "inner", "expected", "warned"),
    [
        (DiskKind.HDD, "100MB/s", None, (100e6, 100e6 * 110 / 190, "hdd"), True),
        (DiskKind.HDD, "250MB/s", "120MB/s", (250e6, 120e6, "hdd"), False),
        (DiskKind.SSD, "500MB/s", None, (500e6, 500e6, "ssd"), False),
        (DiskKind.NVME, None, "3GB/s", (3e9, 3e9, "ssd"), True),
    ],
)
def test_a_zones_rate_that_is_not_known_is_made_of_the_other(
    kind_of_disk: DiskKind,
    outer: str | None,
    inner: str | None,
    expected: tuple[float, float, str],
    warned: bool,
) -> None:
    disks = DiskSet(count=20, kind=kind_of_disk, size="8TB", outer_rate=outer, inner_rate=inner)
    planned = _hadoop_plan(disks=(disks,))
    scenario, _, warnings = translate(planned, suite_on(planned, rows=10**6), {}, seed=1)
    (told,) = scenario.hosts[0].disks
    assert (told.outer_bytes_per_s, told.inner_bytes_per_s) == pytest.approx(expected[:2])
    assert told.kind == expected[2]
    assert bool(warnings) is warned


def test_masters_in_lockstep_are_told_of() -> None:
    planned = study_plan(4)
    request = planned.cluster.request.model_copy(update={"protection": Protection.FT})
    protected = planned.model_copy(
        update={"cluster": planned.cluster.model_copy(update={"request": request})}
    )
    suite = suite_on(planned, rows=10**9)
    assert translate(planned, suite, {}, seed=1).scenario.masters.protection == "none"
    assert translate(protected, suite, {}, seed=1).scenario.masters.protection == "ft"


def test_more_data_than_the_disks_hold_is_refused_with_what_would_fit() -> None:
    planned = study_plan(4)
    with pytest.raises(UserError, match=r"60\.0 TB and take 384 TB \(6\.4 times") as caught:
        translate(planned, suite_on(planned, rows=6 * 10**11, output_replication=3), {}, seed=1)
    assert caught.value.where == "--rows"
    fitting = caught.value.hint.split("--rows ")[1].split(",")[0]
    assert fitting == "589B"
    translate(planned, suite_on(planned, rows=589 * 10**9, output_replication=3), {}, seed=1)


def test_files_that_do_not_fit_are_refused() -> None:
    planned = small_plan()
    with pytest.raises(UserError, match="the files take"):
        translate(planned, suite_on(planned, "dfsio", files=1000, file_bytes=10**12), {}, seed=1)


def test_fewer_hosts_than_replicas_are_refused() -> None:
    planned = _hadoop_plan(count=2)
    with pytest.raises(UserError, match="3 replicas of a block need 3 hosts, but the plan has 2 hosts"):
        translate(planned, suite_on(planned, rows=10**6, replication=3), {}, seed=1)


def _asked(planned: ClusterPlan, *kinds: Literal["terasuite", "ycsb"]) -> ClusterPlan:
    request = planned.cluster.request.model_copy(
        update={"workloads": tuple(Demand(kind=name) for name in kinds)}
    )
    return planned.model_copy(update={"cluster": planned.cluster.model_copy(update={"request": request})})


def test_a_plan_of_hbase_alone_is_refused_for_what_it_is() -> None:
    planned = _asked(_hadoop_plan(), "ycsb")
    with pytest.raises(UserError, match="is for HBase only") as caught:
        translate(planned, suite_on(planned, rows=10**6), {}, seed=1)
    assert "map" not in caught.value.what.replace("MapReduce", "")
    assert "--workload terasuite" in caught.value.hint


def test_hbase_beside_mapreduce_is_said_to_be_left_out() -> None:
    planned = _asked(small_plan(), "terasuite", "ycsb")
    translated = translate(planned, suite_on(planned, rows=10**6), {}, seed=1)
    assert "hbase-not-simulated" in {warning.code for warning in translated.warnings}
    alone = small_plan()
    told = translate(alone, suite_on(alone, rows=10**6), {}, seed=1).warnings
    assert "hbase-not-simulated" not in {warning.code for warning in told}


def test_memory_of_an_idle_regionserver_caches_no_files() -> None:
    demands = (Demand(kind="terasuite"), Demand(kind="ycsb"))
    request = PlanRequest(hypervisor=Hypervisor.NONE, workloads=demands)
    both = plan_cluster(read_inventory(EXAMPLES / "hosts-nvme.yaml"), request)
    (worker,) = both.workers
    values = {decided.key: decided.value for decided in both.settings}
    heap, cache_mb = heap_bytes(str(values["HBASE_REGIONSERVER_OPTS"])), values["hbase.bucketcache.size"]
    assert heap is not None
    (first, *_) = translate(both, suite_on(both, rows=10**6), {}, seed=1).scenario.hosts
    assert first.workers[0].memory_bytes == worker.memory_bytes - heap - int(str(cache_mb)) * MIB


def test_a_plan_without_tasks_is_refused() -> None:
    idle = kind().model_copy(update={"map_slots": 0, "reduce_slots": 0})
    planned = plan(kinds=(idle,))
    with pytest.raises(UserError, match="not for MapReduce"):
        translate(planned, suite_on(planned, rows=10**6), {}, seed=1)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("dfs.blocksize", "large", "is not a size"),
        ("mapreduce.task.io.sort.mb", "1g", "is not a number"),
        ("mapreduce.map.output.compress.codec", "org.example.Codec", "is not simulated"),
    ],
)
def test_a_value_that_cannot_be_read_is_named(key: str, value: str, says: str) -> None:
    planned = _with(study_plan(4), key, value)
    with pytest.raises(UserError, match=says) as caught:
        translate(planned, suite_on(planned, rows=10**6), {}, seed=1)
    assert key in caught.value.where
