"""The slots of a cluster: what YARN has room for beside an application master."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.inventory import Inventory
from howdah.model.placement import AtOnce, at_once
from howdah.model.plan import Plan, Role
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile
from howdah.model.run_request import RunRequest
from howdah.model.workloads.option import MAPS
from howdah.model.workloads.terasort import REDUCES
from howdah.planner.cluster import plan_cluster
from howdah.planner.suite.cluster import ContainerSizes, FoundNode, FoundValue, observed_plan, size_suite
from howdah.units import MIB
from support.plans import group


def found(
    nodes: int,
    node_mib: int,
    *,
    map_mib: int = 512,
    reduce_mib: int = 512,
    master_mib: int = 640,
    least: int = 256,
) -> Plan:
    """A cluster as it is found, whose nodes are alike."""
    return observed_plan(
        [FoundNode(f"w{one}", node_mib * MIB, 8, datanode=True) for one in range(nodes)],
        ContainerSizes(map_mib * MIB, reduce_mib * MIB, least * MIB),
        [
            FoundValue("mapreduce.map.memory.mb", str(map_mib), "mapred-site.xml:1"),
            FoundValue("mapreduce.reduce.memory.mb", str(reduce_mib), "mapred-site.xml:2"),
            FoundValue("yarn.app.mapreduce.am.resource.mb", str(master_mib), "mapred-site.xml:3"),
            FoundValue("yarn.scheduler.minimum-allocation-mb", str(least), "yarn-site.xml:1"),
        ],
    )


@pytest.mark.parametrize(
    ("plan", "slots"),
    [
        # 640 MiB are given as 768: 3,328 MiB are left of 4 GiB, and hold six of 512.
        (found(1, 4096), (6, 6)),
        (found(2, 4096), (14, 14)),
        # A master of a task's size takes the place of one; a larger reduce has fewer places.
        (found(1, 3072, master_mib=512, reduce_mib=1024), (5, 2)),
        # The default master of 1536 MiB, rounded up to 2048, costs two maps of 1 GiB and a reduce of 2.
        (found(3, 2048, map_mib=1024, reduce_mib=2048, master_mib=1536, least=1024), (4, 2)),
        # Where the master fits no worker no job runs: one task is left to be tried.
        (found(1, 512), (1, 1)),
    ],
)
def test_the_application_masters_container_is_no_slot(plan: Plan, slots: tuple[int, int]) -> None:
    assert at_once(plan) == AtOnce(*slots)


@given(
    nodes=st.integers(1, 5),
    node=st.integers(1, 64),
    map_=st.integers(1, 16),
    reduce=st.integers(1, 16),
    master=st.integers(1, 16),
)
def test_howdahs_own_number_of_tasks_fits_wherever_the_master_is(
    nodes: int, node: int, map_: int, reduce: int, master: int
) -> None:
    plan = found(
        nodes, node * 256, map_mib=map_ * 256, reduce_mib=reduce * 256, master_mib=master * 256, least=256
    )
    for size, tasks in zip((map_, reduce), at_once(plan)[:2], strict=True):
        beside = node - master if master <= node else node
        assert tasks == max(1, (nodes - 1) * (node // size) + beside // size)


def planned(profile: Profile = Profile.PRODUCTION) -> Plan:
    workers = Inventory(cluster="c", groups=(group(hosts=["h[1-4]"], count=4),))
    request = PlanRequest(hypervisor=Hypervisor.NONE, workloads=(Demand(kind="terasuite"),), profile=profile)
    return plan_cluster(workers, request)


def test_a_planned_cluster_has_its_slots_where_they_fit() -> None:
    plan = planned()
    worker = plan.workers[0]
    assert Role.NODEMANAGER in worker.roles
    assert at_once(plan).maps % worker.map_slots == 0
    assert at_once(plan).maps >= 3 * worker.map_slots


def test_reduces_have_the_room_of_maps_once_these_have_ended() -> None:
    plan = planned()
    values = {one.key: int(str(one.value)) for one in plan.settings if str(one.value).isdigit()}
    each = values["yarn.nodemanager.resource.memory-mb"] // values["mapreduce.reduce.memory.mb"]
    assert each > plan.workers[0].reduce_slots
    # The application master takes the room of one reduce.
    assert at_once(plan).reduces == 4 * each - 1


def test_a_plan_of_a_study_has_its_slots_for_reduces() -> None:
    plan = planned(Profile.PAPER)
    assert at_once(plan).reduces <= 4 * plan.workers[0].reduce_slots


def with_node(plan: Plan, **values: int) -> Plan:
    """The plan with other values of a NodeManager."""
    keys = {f"yarn.nodemanager.resource.{key.replace('_', '-')}": value for key, value in values.items()}
    settings = tuple(
        one.model_copy(update={"value": keys[one.key]}) if one.key in keys else one for one in plan.settings
    )
    return plan.model_copy(update={"settings": settings})


def test_a_planned_cluster_with_room_for_fewer_runs_fewer() -> None:
    plan = planned()
    slots = at_once(plan).maps
    values = {one.key: one.value for one in plan.settings}
    task, master = (
        int(str(values[key])) for key in ("mapreduce.map.memory.mb", "yarn.app.mapreduce.am.resource.mb")
    )
    each = plan.workers[0].map_slots
    exact = with_node(plan, memory_mb=each * task)
    assert at_once(exact).maps == slots - -(-master // task)
    by_vcores = with_node(plan, cpu_vcores=each)
    assert at_once(by_vcores).maps == slots - 1


def test_a_jobs_own_containers_count() -> None:
    plan = found(1, 4096)
    assert at_once(plan, {"mapreduce.map.memory.mb": "1024"}) == AtOnce(3, 6)


def test_the_default_suite_is_as_large_as_what_runs_at_once() -> None:
    plan = found(1, 4096)
    generated, sorted_, _ = size_suite(RunRequest(suite="terasuite"), at_once(plan)).suite.workloads
    assert (MAPS.of(generated), REDUCES.of(sorted_)) == (6, 6)
