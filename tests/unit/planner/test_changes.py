"""One thing of a planned cluster is changed, everything else is planned as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.errors import UserError
from howdah.model.plan import ClusterPlan
from howdah.model.request import PlanRequest
from howdah.planner.changes import QUANTITIES, changed_plan, pinned
from howdah.planner.cluster import plan_cluster
from support.sim_plans import EXAMPLES, small_plan, study_plan


def _now(plan: ClusterPlan, name: str) -> int:
    return QUANTITIES[name].now(plan, plan.cluster.inventory.worker_groups[0])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hosts", 64),
        ("hosts", 5),
        ("disks", 20),
        ("nics", 4),
        ("nic-speed", 40 * 10**9),
        ("cores", 40),
        ("memory", 512 * 2**30),
        ("replication", 2),
        ("block-size", 128 * 2**20),
    ],
)
def test_that_quantity_changes_and_no_other(name: str, value: int) -> None:
    base = pinned(small_plan())
    other = changed_plan(small_plan(), name, value)
    assert _now(base, name) != value
    assert _now(other, name) == value
    for unchanged in QUANTITIES.keys() - {name, "block-size"}:
        assert _now(other, unchanged) == _now(base, unchanged)
    assert other.platform == base.platform


def test_a_plan_made_anew_is_the_plan() -> None:
    for plan in (small_plan(), study_plan(4)):
        again = pinned(plan)
        assert again.platform == plan.platform
        assert again.workers == plan.workers
        assert [(one.key, one.value) for one in again.settings] == [
            (one.key, one.value) for one in plan.settings
        ]


def test_virtual_hosts_keep_as_many_workers() -> None:
    other = changed_plan(study_plan(4), "disks", 10)
    assert len(other.cluster.layouts[0].workers) == 4
    assert sum(one.per_host * (one.data_disks or 0) for one in other.workers) == 10


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hosts", 0),
        ("hosts", 10**9),
        ("disks", 10**9),
        ("cores", 13),
        ("memory", 1),
        ("replication", 100),
        ("block-size", 1),
    ],
)
def test_what_is_impossible_is_told(name: str, value: int) -> None:
    with pytest.raises(UserError, match=f"^{name}="):
        changed_plan(small_plan(), name, value)


def test_hosts_of_several_kinds_are_not_changed_at_once() -> None:
    plan = plan_cluster(read_inventory(Path(EXAMPLES) / "hosts-mixed.yaml"), PlanRequest())
    with pytest.raises(UserError, match="has several kinds of hosts, so the change is ambiguous"):
        changed_plan(plan, "disks", 4)
