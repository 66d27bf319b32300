"""What holds of every fitted plan, whatever the hosts, the request and the machine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, ClusterPlan, Role
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.planner.lab_fit import Fitted, fit_plan, quantities
from howdah.planner.lab_room import LabRoom, footprint, room_on
from howdah.units import GIB
from support.machine import host

pytestmark = pytest.mark.slow

requests = st.builds(
    PlanRequest,
    replication=st.sampled_from([None, 2, 3]),
    hypervisor=st.sampled_from([None, Hypervisor.NONE, Hypervisor.KVM, Hypervisor.VSPHERE]),
    protection=st.sampled_from([Protection.NONE, Protection.NONE, Protection.HA]),
    workers_per_host=st.sampled_from([None, 1, 2, 3, 4]),
)
machines = st.builds(
    lambda cpus, gib: host(cpus=cpus).model_copy(
        update={"memory": host().memory.model_copy(update={"total_bytes": gib * GIB})}
    ),
    st.sampled_from([2, 4, 16, 64]),
    st.sampled_from([12, 24, 64, 256]),
)


@st.composite
def groups(draw: st.DrawFn, name: str) -> HostGroup:
    racks = draw(st.sampled_from([0, 0, 1, 2, 3]))
    count = draw(st.integers(1, 12)) * max(1, racks)
    return HostGroup.model_validate(
        {
            "name": name,
            "count": count,
            "hosts": [f"{name}[001-{count:03d}].example.com"],
            "cpu": {
                "sockets": draw(st.sampled_from([1, 2, 4])),
                "cores_per_socket": draw(st.integers(1, 24)),
                "threads_per_core": draw(st.sampled_from([1, 2])),
            },
            "memory": f"{draw(st.integers(8, 512))}GiB",
            "disks": [{"count": draw(st.integers(1, 24)), "kind": "hdd", "size": "600GB"}],
            "nics": [{"count": draw(st.integers(1, 2)), "speed": draw(st.sampled_from(["1Gb/s", "25Gb/s"]))}],
            "racks": [f"r{number}" for number in range(racks)],
        }
    )


inventories = st.lists(st.sampled_from(["old", "new"]), min_size=1, max_size=2, unique=True).flatmap(
    lambda names: st.tuples(*map(groups, names)).map(lambda drawn: Inventory(groups=drawn))
)


class Case:
    """A plan, the room that a machine has, and the plan fitted to it."""

    def __init__(self, plan: ClusterPlan, made: Fitted, room: LabRoom) -> None:
        self.plan, self.made, self.room = plan, made, room
        self.before: Cluster = plan.cluster
        self.after: Cluster = made.plan.cluster


@st.composite
def cases(draw: st.DrawFn) -> tuple[Case, Callable[[ClusterPlan], Fitted]]:
    machine, free_bytes = draw(machines), draw(st.sampled_from([20, 80, 1000])) * 10**9

    def fit(plan: ClusterPlan) -> Fitted:
        return fit_plan(plan, machine, free_bytes=free_bytes)

    try:
        plan = plan_cluster(draw(inventories), draw(requests))
        made = fit(plan)
    except UserError as error:
        if not (error.where and error.what and error.hint):
            raise AssertionError(f"an unclear refusal: {error}, {error.hint}") from error
        reject()
    return Case(plan, made, room_on(machine, free_bytes)), fit


law = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@law
@given(cases())
def test_a_fitted_plan_fits_and_stays_as_it_is(drawn: tuple[Case, Callable[[ClusterPlan], Fitted]]) -> None:
    case, fit = drawn
    assert footprint(case.made.plan).total <= case.room.memory_bytes
    disks = sum(group.count * group.data_bytes for group in case.after.inventory.worker_groups)
    assert disks <= case.room.space_bytes
    again = fit(case.made.plan)
    assert again.plan is case.made.plan


@law
@given(cases())
def test_the_platform_and_the_protection_are_kept(
    drawn: tuple[Case, Callable[[ClusterPlan], Fitted]],
) -> None:
    case, _ = drawn
    platforms = {layout.platform for layout in case.after.layouts}
    assert len(platforms) == 1 or case.made.plan is case.plan
    assert platforms <= {layout.platform for layout in case.before.layouts}
    assert case.after.request.protection is case.before.request.protection
    assert case.after.request.overrides == case.before.request.overrides
    roles: list[set[Role]] = [
        {role for master in cluster.masters for role in master.roles} for cluster in (case.before, case.after)
    ]
    assert roles[0] == roles[1]


@law
@given(cases())
def test_nothing_is_larger_than_planned_and_hosts_keep_names_and_racks(
    drawn: tuple[Case, Callable[[ClusterPlan], Fitted]],
) -> None:
    case, _ = drawn
    planned = {group.name: group for group in case.before.inventory.groups}
    racks = {one.name: one.rack for one in placed_hosts(case.before)}
    for group in case.after.inventory.worker_groups:
        big = planned[group.name]
        assert set(group.names) <= set(big.names)
        assert group.count <= big.count
        assert group.cpu.threads <= big.cpu.threads
        assert group.memory_bytes <= big.memory_bytes
        assert group.data_disks <= big.data_disks
        assert group.network_bits_per_s <= big.network_bits_per_s
        if group.racks and case.before.topology.real_racks and case.after.topology.real_racks:
            here = {one.name: one.rack for one in placed_hosts(case.after)}
            assert [here[name] for name in group.names] == [racks[name] for name in group.names]


@law
@given(cases())
def test_what_differs_is_said_and_nothing_else(drawn: tuple[Case, Callable[[ClusterPlan], Fitted]]) -> None:
    case, _ = drawn
    before = dict(quantities(case.plan, 1.0))
    after = dict(quantities(case.made.plan, case.made.cpu_share))
    said = {one.what: (one.planned, one.lab) for one in case.made.scaling}
    assert all(planned != lab for planned, lab in said.values())
    for what in before.keys() & after.keys():
        differs = before[what] != after[what]
        assert (what in said) == differs
        if differs:
            assert said[what] == (before[what].value, after[what].value)
