"""Plans for real hosts made small enough for one machine, with the hosts of the examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.errors import UserError
from howdah.model.host import Host
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.plan import Cluster, ClusterPlan
from howdah.model.request import Demand, Growth, Hypervisor, Override, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.planner.lab_fit import Fitted, fit_on_shared_hosts, fit_plan
from howdah.planner.lab_room import DAEMON_BYTES, footprint
from howdah.planner.platforms.division import least_worker
from howdah.releases.values import heap_bytes
from howdah.units import GIB
from support.machine import host
from support.shared_labs import shared_plans

EXAMPLES = Path(__file__).parents[3] / "examples"
SPACE = 74 * 10**9


def machine(cpus: int = 2, memory: int = 24 * GIB) -> Host:
    """A machine to build laboratories on."""
    small = host(cpus=cpus)
    return small.model_copy(update={"memory": small.memory.model_copy(update={"total_bytes": memory})})


def planned(example: str, **request: object) -> ClusterPlan:
    """The plan for an example's hosts."""
    return plan_cluster(
        read_inventory(EXAMPLES / f"hosts-{example}.yaml"), PlanRequest.model_validate(request)
    )


def cluster(plan: ClusterPlan) -> Cluster:
    """What of a plan is a cluster's."""
    return plan.cluster


def fitted(plan: ClusterPlan, on: Host | None = None, *, free_bytes: int = SPACE, **more: int) -> Fitted:
    """The plan as a small machine can hold it."""
    return fit_plan(plan, on or machine(), free_bytes=free_bytes, **more)


def said(made: Fitted) -> dict[str, tuple[float, float]]:
    """What was scaled, from which value to which."""
    return {one.what: (one.planned, one.lab) for one in made.scaling}


def small(**changes: object) -> HostGroup:
    """Hosts that are a laboratory's already."""
    return HostGroup.model_validate(
        {
            "name": "h",
            "count": 2,
            "cpu": {"sockets": 1, "cores_per_socket": 2},
            "memory": "16GiB",
            "disks": [{"count": 2, "kind": "hdd", "size": "15GB"}],
            "nics": [{"count": 1, "speed": "1Gb/s"}],
            **changes,
        }
    )


@pytest.mark.parametrize("request_", [{"hypervisor": "kvm", "workers_per_host": 2}, {"hypervisor": "none"}])
def test_a_plan_that_fits_stays_as_it_is(request_: dict[str, object]) -> None:
    masters = small(name="m", count=1, serves="masters")
    plan = plan_cluster(
        Inventory(groups=(small(), masters)), PlanRequest.model_validate({"replication": 2, **request_})
    )
    made = fitted(plan)
    assert made.plan is plan
    assert made.notes == ()
    # Only CPU time is shared: four threads on two CPUs, and as much for those of the idle masters.
    assert said(made) == {"CPUs per host of h": (2, 1.0), "CPUs per host of m": (2, 1.0)}
    assert fitted(plan, machine(cpus=8)).scaling == ()


def test_hosts_shrink_to_what_the_machine_holds() -> None:
    plan = planned("32", workers_per_host=2, hypervisor="kvm", workloads=[{"kind": "terasuite"}])
    made = fitted(plan)
    lab = cluster(made.plan)
    (host_group, masters) = lab.inventory.groups
    assert host_group.names == ("host01.example.com", "host02.example.com")
    assert masters.names == ("master1.example.com",)
    assert made.plan.platform == plan.platform == "2 per host"
    assert lab.topology.placement is cluster(plan).topology.placement
    assert footprint(made.plan).total <= 22 * GIB
    # 8 threads share 2 CPUs, the masters' have theirs on top: a host has one where 40 were planned.
    assert made.cpu_share == pytest.approx(0.25)
    assert said(made)["CPUs per host of host"] == (40, 1.0)
    assert said(made)["uplink per host of host"] == (20e9, 500e6)
    assert said(made)["data disks per host of host"] == (20, 2)
    assert said(made)["replicas"] == (3, 2)
    # A disk keeps its speed.
    assert host_group.disks[0].outer_bytes_per_s == 190 * 2**20


def test_masters_that_lose_their_places_are_said_to() -> None:
    plan = planned("ft", workers_per_host=4, hypervisor="kvm")
    assert any(master.takes for master in cluster(plan).masters)
    large = fitted(plan, machine(cpus=1024, memory=65536 * GIB), free_bytes=10**16)
    assert large.plan is plan
    assert large.notes == ()
    (note,) = fitted(plan, machine(cpus=16, memory=128 * GIB), free_bytes=10**12).notes
    assert note.startswith("Masters have separate hosts instead of workers' slots, so all slots have workers")


def test_links_keep_their_proportion() -> None:
    by_speed = {}
    for speed in ("1Gb/s", "10Gb/s"):
        group = read_inventory(EXAMPLES / "hosts-7.yaml").groups[0].model_dump(mode="json", by_alias=True)
        group["nics"] = [{"count": 1, "speed": speed}]
        plan = plan_cluster(Inventory.model_validate({"groups": [group]}), PlanRequest(hypervisor="none"))
        by_speed[speed] = said(fitted(plan))[f"uplink per host of {group['name']}"][1]
    assert by_speed["10Gb/s"] == pytest.approx(10 * by_speed["1Gb/s"], rel=0.05)


def test_disks_and_threads_stay_where_only_hosts_are_too_many() -> None:
    plan = plan_cluster(Inventory(groups=(small(count=30),)), PlanRequest(hypervisor=Hypervisor.NONE))
    made = fitted(plan)
    changed = set(said(made))
    assert not changed & {"threads per host of h", "uplink per host of h", "data disks per host of h"}
    assert said(made)["hosts with workers"][1] == 2


def test_protected_masters_have_hosts_of_their_own() -> None:
    for protection, hosts in ((Protection.NONE, 1), (Protection.HA, 3)):
        plan = planned("32", protection=protection, hypervisor="none")
        made = fitted(plan)
        lab = cluster(made.plan)
        assert lab.request.protection is protection
        assert [group.count for group in lab.inventory.groups if group.serves == "masters"] == [hosts]
        assert not any(master.shares for master in lab.masters)


def test_masters_beside_workers_stay_beside_workers() -> None:
    plan = planned("7", hypervisor="none")
    assert all(master.shares for master in cluster(plan).masters)
    assert all(master.shares for master in cluster(fitted(plan).plan).masters)


def test_racks_keep_their_hosts() -> None:
    group = small(count=12, racks=["r1", "r2", "r3"], disks=[{"count": 4, "kind": "hdd", "size": "4TB"}])
    plan = plan_cluster(
        Inventory(groups=(group,)), PlanRequest(hypervisor=Hypervisor.KVM, workers_per_host=2)
    )
    made = fitted(plan)
    (kept, _) = cluster(made.plan).inventory.groups
    assert kept.names == ("h-01", "h-05")
    assert kept.racks == ("r1", "r2")
    assert cluster(made.plan).topology.placement is cluster(plan).topology.placement


def test_values_of_the_user_stay_and_datasets_fill_as_much_of_the_disks() -> None:
    plan = planned(
        "7",
        hypervisor="none",
        overrides=[Override(key="dfs.blocksize", value="64MiB")],
        workloads=[Demand(kind="terasuite", dataset_bytes=10**12)],
        growth=Growth(need_bytes=10**13),
    )
    made = fitted(plan)
    lab = cluster(made.plan)
    assert lab.request.overrides == cluster(plan).request.overrides
    before, after = (
        one.request.dataset_bytes / one.capacity.raw_bytes  # type: ignore[operator]
        for one in (cluster(plan), lab)
    )
    assert after == pytest.approx(before, rel=0.01)
    assert "Growth is left out: it concerns the planned hosts." in made.notes


def test_what_was_asked_for_is_had() -> None:
    plan = planned("32", hypervisor="none")
    big = machine(cpus=16, memory=128 * GIB)
    made = fitted(plan, big, free_bytes=10**12, hosts=3, link_bits_per_s=250_000_000)
    assert said(made)["hosts with workers"] == (31, 3)
    assert said(made)["uplink per host of host"] == (20e9, 250e6)


def test_a_link_alone_changes_nothing_else() -> None:
    plan = plan_cluster(Inventory(groups=(small(),)), PlanRequest(hypervisor=Hypervisor.NONE))
    made = fitted(plan, machine(cpus=8), link_bits_per_s=100_000_000)
    assert said(made) == {"uplink per host of h": (1e9, 1e8)}


def test_a_larger_machine_has_more_and_larger_hosts() -> None:
    plan = planned("32", hypervisor="none")
    large = fitted(plan, machine(cpus=16, memory=512 * GIB), free_bytes=10**13)
    little = fitted(plan)
    assert said(large)["hosts with workers"][1] > said(little)["hosts with workers"][1]
    assert said(large)["memory per worker"][1] > said(little)["memory per worker"][1]


def test_several_groups_have_hosts_each() -> None:
    made = fitted(planned("mixed", hypervisor="none"))
    names = [group.name for group in cluster(made.plan).inventory.worker_groups]
    assert names == ["old", "new"]


@pytest.mark.parametrize(
    ("request_", "more", "where", "problem", "says"),
    [
        ({"workers_per_host": 4}, {}, "plan", "a lab on this machine may use 2", "--workers-per-host 2"),
        ({}, {"free_bytes": 10**9}, "--dir", "", "larger file system"),
        ({}, {"hosts": 40}, "--hosts 40", "the plan has 31 hosts with workers", "2 to 31"),
        ({}, {"hosts": 1}, "--hosts 1", "a lab has at least 2 hosts", "2 to 31"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(
    request_: dict[str, object], more: dict[str, int], where: str, problem: str, says: str
) -> None:
    plan = planned("32", **{"hypervisor": "kvm" if request_ else "none", **request_})
    with pytest.raises(UserError) as error:
        fit_plan(plan, machine(), **{"free_bytes": SPACE, **more})
    assert error.value.where == where
    assert problem in error.value.what
    assert says in error.value.hint


def test_hosts_that_racks_cannot_hold_evenly_are_refused() -> None:
    group = small(count=6, racks=["r1", "r2", "r3"])
    plan = plan_cluster(Inventory(groups=(group,)), PlanRequest(hypervisor=Hypervisor.NONE))
    with pytest.raises(UserError, match="racks") as error:
        fitted(plan, machine(cpus=16, memory=128 * GIB), free_bytes=10**12, hosts=5)
    assert "for example, 4" in error.value.hint


def test_regionservers_shrink_until_all_of_their_heaps_fit() -> None:
    plan = planned(
        "lab-hbase", workers_per_host=2, hypervisor="kvm", replication=2, workloads=[{"kind": "ycsb"}]
    )
    lab = cluster((made := fitted(plan)).plan)
    assert lab.request.laboratory
    assert not cluster(plan).request.laboratory
    assert said(made)["memory per worker"] == (14.5 * GIB, 4 * GIB)
    touched = footprint(made.plan)
    # All of a heap is touched at the start, and a tenth beside it; the DataNode is as everywhere.
    (heap,) = {
        heap_bytes(str(one.value)) for one in made.plan.settings if one.key == "HBASE_REGIONSERVER_OPTS"
    }
    assert heap == 2.5 * GIB
    assert touched.workers == 4 * (int(heap * 1.1) + DAEMON_BYTES)
    assert touched.total < 16 * GIB


def test_a_laboratory_takes_smaller_regionservers_than_a_cluster() -> None:
    work = PlanRequest(workloads=(Demand(kind="ycsb"),))
    assert least_worker(work) == 8 * GIB
    assert least_worker(work.model_copy(update={"laboratory": True})) == 2 * GIB
    small_plan = planned(
        "lab-hbase", workers_per_host=2, hypervisor="kvm", replication=2, workloads=[{"kind": "ycsb"}]
    )
    assert said(fitted(small_plan, machine(memory=12 * GIB)))["memory per worker"][1] < 3 * GIB


def test_a_cache_beside_the_heap_counts_as_touched() -> None:
    hosts = small(cpu={"sockets": 1, "cores_per_socket": 8}, memory="128GiB", count=3)
    plan = plan_cluster(
        Inventory(groups=(hosts,)), PlanRequest(hypervisor=Hypervisor.NONE, workloads=(Demand(kind="ycsb"),))
    )
    caches = {int(str(one.value)) for one in plan.settings if one.key == "hbase.bucketcache.size"}
    assert footprint(plan).workers > 3 * caches.pop() * 2**20


def test_shared_hosts_are_divided_among_all_that_are_on_them(tmp_path: Path) -> None:
    """A thread has the same part of a CPU for every cluster, so that none has more than its part."""
    first, second = shared_plans(tmp_path)
    made = fitted(first, machine(cpus=2, memory=64 * GIB))
    assert made.plan is first
    assert made.cpu_share == 0.25
    beside = fit_on_shared_hosts(
        second, machine(cpus=2, memory=64 * GIB), free_bytes=SPACE, neighbours=[first], cpu_share=0.25
    )
    assert (beside.plan, beside.cpu_share) == (second, 0.25)
    assert said(beside)["CPUs per host of workers"] == (2, 0.5)


def test_hosts_that_are_made_smaller_are_no_longer_the_planned_ones(tmp_path: Path) -> None:
    first, _ = shared_plans(tmp_path)
    for made in (fitted(first, free_bytes=20 * 10**9), fitted(first, link_bits_per_s=50_000_000)):
        sharing = cluster(made.plan).request.sharing
        assert sharing is not None
        assert sharing.whole == ()


@pytest.mark.parametrize(
    ("memory", "free_bytes", "what"),
    [
        (8 * GIB, SPACE, "uses .* of memory in addition to"),
        (64 * GIB, 10**9, "free, and the plan's data disks hold 24.0 GB"),
    ],
)
def test_what_does_not_fit_beside_another_one_is_refused(
    memory: int, free_bytes: int, what: str, tmp_path: Path
) -> None:
    first, second = shared_plans(tmp_path)
    with pytest.raises(UserError, match=what):
        fit_on_shared_hosts(
            second, machine(cpus=2, memory=memory), free_bytes=free_bytes, neighbours=[first], cpu_share=0.25
        )
