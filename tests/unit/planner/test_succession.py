"""A plan that follows one that runs: masters stay, what changes is told, and nothing changes for nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.documents.files import read_inventory
from howdah.errors import UserError
from howdah.model.inventory import HostGroup, Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import ClusterPlan, Role
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.planner.succession import change_of, plan_after
from support.changed_hosts import BEFORE, HA, with_hosts
from support.sim_plans import EXAMPLES


def places(plan: ClusterPlan) -> dict[str, str]:
    return {master.name: master.host for master in plan.cluster.masters}


def test_the_same_hosts_change_nothing() -> None:
    after = plan_after(BEFORE, with_hosts(["h1", "h2"]))
    assert after == BEFORE
    change = change_of(BEFORE, after)
    assert (change.added, change.removed, change.masters, change.values, change.steps) == ((), (), (), (), ())


@given(
    st.lists(st.sampled_from([f"h{number}" for number in range(1, 9)]), min_size=2, unique=True),
    st.permutations(["m1", "m2", "m3", "m4"]),
)
def test_every_master_whose_host_stays_stays(workers: list[str], masters: list[str]) -> None:
    here = masters[:3]
    after = plan_after(BEFORE, with_hosts(workers, here))
    was, now = places(BEFORE), places(after)
    assert was.keys() == now.keys()
    assert all(now[name] == host for name, host in was.items() if host in here)
    assert sorted(now.values()) == sorted(here)
    moved = {move.name: (move.before, move.after) for move in change_of(BEFORE, after).masters}
    assert moved == {name: (was[name], now[name]) for name in was if was[name] != now[name]}


def test_daemons_that_read_what_changes_are_named() -> None:
    after = plan_after(BEFORE, with_hosts(["h1", "h2", "h3"]))
    change = change_of(BEFORE, after)
    handlers = next(value for value in change.values if value.key == "dfs.namenode.handler.count")
    assert handlers.restarts == (Role.NAMENODE,)
    assert change.added == ("h3",)
    assert [step.what for step in change.steps] == ["add", "values", "balance"]


def test_what_was_asked_of_the_plan_is_kept() -> None:
    after = plan_after(BEFORE, with_hosts(["h1", "h2", "h3"]))
    assert BEFORE.cluster is not None
    assert after.cluster.request == BEFORE.cluster.request
    assert len([host for host in placed_hosts(after.cluster) if host.workers]) == 3


@pytest.mark.parametrize(
    ("inventory", "said"),
    [
        (HA.model_copy(update={"cluster": "other"}), "these hosts are of other"),
        (with_hosts(["x1", "x2"], ["y1", "y2", "y3"]), "shares no host"),
    ],
)
def test_hosts_of_another_cluster_are_refused(inventory: Inventory, said: str) -> None:
    with pytest.raises(UserError, match=said):
        plan_after(BEFORE, inventory)


def _group(example: str, name: str, hosts: Sequence[str], called: str | None = None) -> HostGroup:
    """A group of an example with other hosts."""
    (group,) = (one for one in read_inventory(EXAMPLES / example).groups if one.name == name)
    made = group.model_dump(mode="json", by_alias=True) | {"count": len(hosts), "hosts": list(hosts)}
    return HostGroup.model_validate(made | {"name": called or name})


def _hosts(*groups: HostGroup) -> Inventory:
    return Inventory(cluster="grown", groups=groups)


def _names(first: int, last: int) -> list[str]:
    return [f"w{number:02d}" for number in range(first, last + 1)]


KVM = PlanRequest(hypervisor=Hypervisor.KVM, workers_per_host=4, replication=2)


def test_masters_keep_their_places_where_hosts_of_another_kind_come() -> None:
    old = _group("hosts-32.yaml", "host", _names(1, 32))
    before = plan_cluster(_hosts(old), PlanRequest(hypervisor=Hypervisor.KVM))
    after = plan_after(before, _hosts(old, _group("hosts-amax.yaml", "data", ["n1", "n2"], "new")))
    was, now = ({host.name: host for host in placed_hosts(plan.cluster)} for plan in (before, after))
    for name, host in was.items():
        assert [worker.name for worker in now[name].workers] == [worker.name for worker in host.workers]
        assert [master.address for master in now[name].masters] == [one.address for one in host.masters]
    # Kinds of workers bear their group's name now, which changes nothing of them.
    change = change_of(before, after)
    assert {value.key for value in change.values if Role.DATANODE in value.restarts} == set()


def test_a_master_that_moves_has_what_a_new_plan_gives_it() -> None:
    hosts = _group("hosts-32.yaml", "host", _names(1, 32))
    request = PlanRequest(
        hypervisor=Hypervisor.NONE, workloads=(Demand(kind="terasuite", dataset_bytes=10**13),)
    )
    before = plan_cluster(_hosts(hosts), request)
    lost = places(before)["nn1"]
    left = _hosts(_group("hosts-32.yaml", "host", [name for name in _names(1, 32) if name != lost]))
    heaps = {
        setting.value
        for plan in (before, plan_cluster(left, request), plan_after(before, left))
        for setting in plan.settings
        if setting.key == "HDFS_NAMENODE_OPTS"
    }
    assert len(heaps) == 1
    after = plan_after(before, left)
    (moved,) = (master for master in after.cluster.masters if master.name == "nn1")
    assert (moved.whole_host, moved.shares) == (True, False)
    steps = [step.what for step in change_of(before, after).steps]
    # The worker whose place it takes is emptied before.
    assert steps.index("remove") < steps.index("master")


def test_a_master_that_moves_is_called_by_its_own_name() -> None:
    hosts = _group("hosts-32.yaml", "host", _names(1, 8))
    before = plan_cluster(_hosts(hosts), KVM.model_copy(update={"protection": Protection.HA}))
    lost = places(before)["nn1"]
    left = [name for name in _names(1, 8) if name != lost]
    after = plan_after(before, _hosts(_group("hosts-32.yaml", "host", left)))
    for master in after.cluster.masters:
        assert master.address == f"{master.host}-{1 if master.shares else master.name}"


@pytest.mark.parametrize(("few", "more"), [(4, 7), (13, 20)])
def test_hosts_stay_divided_as_they_are(few: int, more: int) -> None:
    request = PlanRequest(hypervisor=Hypervisor.KVM)
    before = plan_cluster(_hosts(_group("hosts-amax.yaml", "data", _names(1, few))), request)
    after = plan_after(before, _hosts(_group("hosts-amax.yaml", "data", _names(1, more))))
    assert [one.platform for one in after.cluster.layouts] == [one.platform for one in before.cluster.layouts]


def test_hosts_that_are_divided_in_two_ways_need_two_groups() -> None:
    hosts = [
        _group("hosts-amax.yaml", "data", _names(1, 4), "one"),
        _group("hosts-amax.yaml", "data", _names(5, 30), "two"),
    ]
    request = PlanRequest(hypervisor=Hypervisor.KVM)
    before = plan_cluster(_hosts(*hosts), request)
    layouts = tuple(
        layout.model_copy(update={"platform": "9 per host"}) if layout.group == "two" else layout
        for layout in before.cluster.layouts
    )
    before = before.model_copy(update={"cluster": before.cluster.model_copy(update={"layouts": layouts})})
    with pytest.raises(UserError, match="divides hosts of the group one in several ways: "):
        plan_after(before, _hosts(_group("hosts-amax.yaml", "data", _names(1, 30), "one")))


def test_shadows_of_masters_that_move_are_told_and_their_masters_stay() -> None:
    hosts = _names(1, 8)
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE, workers_per_host=4, protection=Protection.FT)
    before = plan_cluster(_hosts(_group("hosts-32.yaml", "host", hosts)), request)
    shadowed = {master.name: master.shadow_host for master in before.cluster.masters if master.shadow_host}
    lost = shadowed["nn1"]
    left = [name for name in hosts if name != lost]
    after = plan_after(before, _hosts(_group("hosts-32.yaml", "host", left)))
    moves = change_of(before, after).masters
    assert {move.name for move in moves if move.shadow} == {
        name for name, host in shadowed.items() if host == lost
    }
    assert places(after) == places(before)
    texts = [step.text for step in change_of(before, after).steps if step.what == "master"]
    assert all(text.startswith("move the Fault Tolerance shadow of ") for text in texts)


def test_a_place_that_a_master_leaves_gets_its_worker() -> None:
    hosts = _names(1, 8)
    before = plan_cluster(_hosts(_group("hosts-32.yaml", "host", hosts)), KVM)
    (nn1,) = (master for master in before.cluster.masters if master.name == "nn1")
    elsewhere = next(host for host in hosts if host not in {one.host for one in before.cluster.masters})
    moved = nn1.model_copy(update={"host": elsewhere, "address": f"{elsewhere}-nn1"})
    masters = tuple(moved if one is nn1 else one for one in before.cluster.masters)
    after = before.model_copy(update={"cluster": before.cluster.model_copy(update={"masters": masters})})
    steps = change_of(before, after).steps
    assert [step.what for step in steps] == ["remove", "master", "add", "balance"]
    assert f"{nn1.host}-4" in steps[2].text
