"""Hosts are added to a plan and taken away, and nothing else of it changes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from howdah.documents.files import read_inventory
from howdah.errors import UserError
from howdah.model.placement import placed_hosts
from howdah.model.plan import ClusterPlan
from howdah.model.request import PlanRequest
from howdah.planner.cluster import plan_cluster, with_hosts, without_hosts
from support.labs import HOSTS, lab_plan, trio_plan
from support.plans import worker_plan


def _hosts(plan: ClusterPlan) -> list[str]:
    return [host.name for host in placed_hosts(plan.cluster)]


def test_a_host_more_is_like_the_others_and_no_value_changes() -> None:
    plan = lab_plan()
    more = with_hosts(plan, ["h7", "h3"], "h1")
    assert _hosts(more) == ["h1", "h2", "h7", "h3", "m1"]
    assert more.settings == plan.settings
    assert more.workers == plan.workers
    assert more.cluster.masters == plan.cluster.masters
    assert more.cluster.capacity.usable_bytes > 1.9 * plan.cluster.capacity.usable_bytes
    assert [len(host.workers) for host in placed_hosts(more.cluster)] == [2, 2, 2, 2, 0]


def test_a_host_that_came_may_go_again_and_the_plan_is_what_it_was() -> None:
    plan = lab_plan()
    back = without_hosts(with_hosts(plan, ["h3"], "h1"), ["h3"])
    assert worker_plan(back) == worker_plan(plan)
    assert back.cluster.topology == plan.cluster.topology
    assert back.cluster.capacity == plan.cluster.capacity
    assert _hosts(back) == _hosts(plan)


@pytest.mark.parametrize(
    ("names", "like", "said"),
    [
        (["h2"], "h1", "h2: already belongs to this cluster"),
        (["H2"], "h1", "H2: already belongs to this cluster"),
        (["h3", "h3"], "h1", "h3: already belongs to this cluster"),
        (["h 3"], "h1", "host 'h 3': 'h 3' is not a host name"),
        (["$(id)"], "h1", "is not a host name"),
        (["h3"], "h9", "h9: is not a host of this cluster"),
        (["h3"], "m1", "--like m1: has nn1"),
        (["h1-1"], "h1", "a virtual machine on h1 would be called h1-1"),
    ],
)
def test_hosts_that_cannot_come(names: Sequence[str], like: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        with_hosts(lab_plan(), names, like)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("plan", "names", "said"),
    [
        (lab_plan(), ["h1"], "would leave 1 host with workers, but a block has 2 replicas"),
        (lab_plan(), ["m1"], "m1: has"),
        (lab_plan(), ["h9"], "h9: is not a host of this cluster"),
        (trio_plan(), ["h3"], "h3: has"),
    ],
)
def test_hosts_that_cannot_go(plan: ClusterPlan, names: Sequence[str], said: str) -> None:
    with pytest.raises(UserError) as refused:
        without_hosts(plan, names)
    assert said in str(refused.value)


def test_hosts_in_racks_are_given_by_the_inventory_alone() -> None:
    inventory = read_inventory(HOSTS)
    group, masters = inventory.groups
    racked = group.model_copy(update={"racks": ("left", "right")})
    plan = plan_cluster(
        inventory.model_copy(update={"groups": (racked, masters)}), PlanRequest(replication=2)
    )
    with pytest.raises(UserError, match="is spread over 2 racks"):
        with_hosts(plan, ["h3"], "h1")
