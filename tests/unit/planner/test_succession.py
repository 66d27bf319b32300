"""A plan that follows one that runs: masters stay, what changes is told, and nothing changes for nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.placement import placed_hosts
from howdah.model.plan import Plan, Role
from howdah.planner.succession import change_of, plan_after
from support.changed_hosts import BEFORE, HA, with_hosts


def places(plan: Plan) -> dict[str, str]:
    assert plan.cluster is not None
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
    assert after.cluster is not None
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
