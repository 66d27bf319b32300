"""Clusters of hosts, disks or sizes that differ: what is planned for the whole fits every part."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import ClusterPlan, Value, Worker
from howdah.model.request import Demand, Growth, Hypervisor, PlanRequest, WorkKind
from howdah.planner.cluster import plan_cluster
from howdah.planner.rule import SettingRule
from howdah.planner.rules.catalogue import find_rule
from howdah.releases.values import heap_bytes

POLICY = "dfs.block.replicator.classname"


def hosts(
    name: str = "hosts",
    *,
    count: int = 12,
    cores: int = 16,
    memory: str = "256GiB",
    disks: tuple[tuple[int, str, str], ...] = ((12, "hdd", "8TB"),),
    speed: str = "25GbE",
) -> HostGroup:
    return HostGroup.model_validate(
        {
            "name": name,
            "count": count,
            "cpu": {"sockets": 2, "cores_per_socket": cores, "threads_per_core": 2},
            "memory": memory,
            "disks": [{"count": many, "kind": kind, "size": size} for many, kind, size in disks],
            "nics": [{"count": 1, "speed": speed}],
        }
    )


OLD = hosts("old", count=20, cores=8, memory="64GiB", disks=((12, "hdd", "4TB"),), speed="10GbE")
NEW = hosts("new", count=20, cores=48, memory="768GiB", disks=((24, "hdd", "16TB"),))


def planned(*groups: HostGroup, kind: WorkKind = "mapreduce", **request: object) -> ClusterPlan:
    asked = PlanRequest.model_validate({"workloads": (Demand(kind=kind),), **request})
    return plan_cluster(Inventory(groups=groups), asked)


def value(plan: ClusterPlan, key: str, worker: Worker | None = None) -> Value | None:
    name = worker.name if worker else None
    return next((one.value for one in plan.settings if one.key == key and one.worker in (None, name)), None)


def number(plan: ClusterPlan, key: str, worker: Worker | None = None) -> int:
    found = value(plan, key, worker)
    assert isinstance(found, int), key
    return found


def test_hosts_with_more_room_get_more_blocks() -> None:
    assert "AvailableSpaceBlockPlacementPolicy" in str(value(planned(OLD, NEW), POLICY))
    assert value(planned(NEW), POLICY) is None
    nearly = hosts("nearly", disks=((12, "hdd", "9TB"),))
    assert value(planned(hosts(), nearly), POLICY) is None


def test_where_hosts_are_divided_node_groups_decide() -> None:
    plan = planned(OLD, NEW, hypervisor=Hypervisor.KVM, workers_per_host=2)
    assert "AvailableSpace" not in str(value(plan, POLICY))


def test_executors_use_large_hosts_too() -> None:
    plan = planned(OLD, NEW, kind="spark")
    cores = number(plan, "spark.executor.cores")
    container = sum(
        int(str(value(plan, key)).removesuffix("m"))
        for key in ("spark.executor.memory", "spark.executor.memoryOverhead")
    )
    for worker in plan.workers:
        memory = number(plan, "yarn.nodemanager.resource.memory-mb", worker)
        vcores = number(plan, "yarn.nodemanager.resource.cpu-vcores", worker)
        many = min(vcores // cores, memory // container)
        assert many >= 1, worker.name
        if worker.group == "new":
            # Sized for the old hosts' 3 GiB a vcore they would leave more than half of this memory alone.
            assert many * container >= 0.7 * memory
            assert many * cores >= 0.7 * vcores


@pytest.mark.parametrize("kind", ["mapreduce", "spark", "tez"])
def test_many_disks_do_not_make_more_vcores_than_threads(kind: WorkKind) -> None:
    plan = planned(hosts(cores=8, disks=((36, "hdd", "8TB"),)), kind=kind)
    (worker,) = plan.workers
    assert number(plan, "yarn.nodemanager.resource.cpu-vcores") <= (worker.vcpus or 0)


def test_flash_among_spinning_disks_has_its_storage_type() -> None:
    plan = planned(hosts(disks=((12, "hdd", "8TB"), (2, "nvme", "3.2TB"))))
    folders = value(plan, "dfs.datanode.data.dir")
    assert isinstance(folders, tuple)
    assert folders[11] == "file:///data/12/dfs"
    assert folders[12:] == ("[SSD]file:///data/13/dfs", "[SSD]file:///data/14/dfs")
    (advice,) = (one.text for one in plan.cluster.advice if one.rule == "volumes.flash-beside-disks")
    assert "6.40 TB of flash on each host" in advice
    assert "RoundRobin" in str(value(plan, "dfs.datanode.fsdataset.volume.choosing.policy"))
    # Blocks are on the spinning disks, whose rate is what balancing may take a tenth of.
    assert number(plan, "dfs.datanode.balance.bandwidthPerSec") <= 12 * 160 * 2**20 * 0.1


@pytest.mark.parametrize("kind", ["hdd", "nvme"])
def test_disks_of_one_kind_need_no_storage_type(kind: str) -> None:
    plan = planned(hosts(disks=((12, kind, "8TB"), (2, kind, "3.2TB"))))
    folders = value(plan, "dfs.datanode.data.dir")
    assert isinstance(folders, tuple)
    assert all(folder.startswith("file:///") for folder in folders)
    assert not [one for one in plan.cluster.advice if one.rule == "volumes.flash-beside-disks"]


def test_divided_hosts_tag_each_machines_share() -> None:
    plan = planned(
        hosts(disks=((12, "hdd", "8TB"), (2, "ssd", "3.2TB"))), hypervisor=Hypervisor.KVM, workers_per_host=2
    )
    folders = value(plan, "dfs.datanode.data.dir")
    assert isinstance(folders, tuple)
    assert [folder.startswith("[SSD]") for folder in folders] == [False] * 6 + [True]


def test_the_balancer_takes_no_more_than_disks_give() -> None:
    key = "dfs.datanode.balance.bandwidthPerSec"
    few = number(planned(hosts(disks=((2, "hdd", "8TB"),), speed="100GbE")), key)
    assert few <= 2 * 160 * 2**20 * 0.1
    many = number(planned(hosts(disks=((24, "nvme", "8TB"),), speed="10GbE")), key)
    assert many <= 10e9 / 8 * 0.1


SLOW_START = "mapreduce.job.reduce.slowstart.completedmaps"


@pytest.mark.parametrize("kind", ["mapreduce", "tez"])
def test_reduce_tasks_of_any_job_start_after_most_map_tasks(kind: WorkKind) -> None:
    assert value(planned(hosts(), kind=kind), SLOW_START) == 0.8


def test_reduce_tasks_of_a_sort_of_unknown_size_start_late() -> None:
    assert value(planned(hosts(), kind="terasuite"), SLOW_START) == 0.9


@pytest.mark.parametrize("disk", ["hdd", "nvme"])
def test_reduce_tasks_of_a_sort_start_when_one_wave_of_map_tasks_remains(disk: str) -> None:
    fast = hosts(disks=((12, disk, "8TB"),))
    starts = []
    for gigabytes in (100, 600, 900, 100_000):
        work = Demand(kind="terasuite", dataset_bytes=gigabytes * 10**9)
        plan = plan_cluster(Inventory(groups=(fast,)), PlanRequest(workloads=(work,)))
        setting = next(one for one in plan.settings if one.key == SLOW_START)
        (waves,) = (float(str(one.value)) for one in setting.inputs if one.name == "waves of map tasks")
        starts.append(float(str(setting.value)))
        assert starts[-1] == pytest.approx(min(0.9, 1 - 1 / waves) if waves >= 2 else 0.05, abs=0.02)
    assert starts[0] == 0.05 < starts[1] < starts[2] < starts[3] == 0.9


def test_other_placement_policies_by_space_are_accepted() -> None:
    rule = find_rule("topology.space-policy")
    assert isinstance(rule, SettingRule)
    blocks = "org.apache.hadoop.hdfs.server.blockmanagement"
    plan = planned(OLD, NEW)
    decision = next(one for one in plan.settings if one.key == POLICY)
    assert decision.rule == rule.id
    for name, well in (
        ("AvailableSpaceRackFaultTolerantBlockPlacementPolicy", True),
        ("BlockPlacementPolicyDefault", False),
    ):
        assert rule.accepts(f"{blocks}.{name}", None, None) is well  # type: ignore[arg-type]


def test_tasks_of_large_hosts_collect_garbage_with_their_part_of_the_cpus() -> None:
    large = hosts(cores=64, memory="1024GiB")
    for key in ("mapreduce.map.java.opts", "mapreduce.reduce.java.opts"):
        assert "-XX:ParallelGCThreads=2" in str(value(planned(large), key))
    assert "-XX:ParallelGCThreads=2" in str(value(planned(large, kind="tez"), "hive.tez.java.opts"))
    options = str(value(planned(large, kind="spark"), "spark.executor.extraJavaOptions"))
    assert options in ("-XX:ParallelGCThreads=4", "-XX:ParallelGCThreads=5")
    small = hosts(cores=2, memory="64GiB")
    assert "ParallelGCThreads" not in str(value(planned(small), "mapreduce.map.java.opts"))
    paper = planned(large, kind="terasuite", profile="paper")
    assert "ParallelGCThreads" not in str(value(paper, "mapreduce.map.java.opts"))


def test_no_namenode_has_more_than_200_gb() -> None:
    full = hosts(count=400, memory="768GiB", disks=((24, "hdd", "20TB"),))
    plan = planned(full, file_bytes=16 * 2**20, protection="ha")
    heap = heap_bytes(str(value(plan, "HDFS_NAMENODE_OPTS")))
    assert heap is not None
    assert 150e9 < heap <= 200e9
    assert [one for one in plan.cluster.advice if one.rule == "masters.namespace"]


def test_more_hosts_than_any_hdfs_has_are_refused() -> None:
    with pytest.raises(UserError, match="the largest known HDFS has 10,000") as refused:
        planned(hosts(), growth=Growth(need_bytes=10**18))
    assert refused.value.where == "--need"
    plan = planned(hosts(), growth=Growth(need_bytes=10**15))
    assert plan.cluster.capacity.hosts_needed is not None


def test_a_namenode_within_a_workers_machine_is_named() -> None:
    machines = planned(hosts(count=3), hypervisor=Hypervisor.VSPHERE, workers_per_host=1)
    assert [one for one in machines.cluster.advice if one.rule == "masters.own-machine"]
    native = planned(hosts(count=3))
    assert not [one for one in native.cluster.advice if one.rule == "masters.own-machine"]
