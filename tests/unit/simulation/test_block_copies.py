"""The simulated rebuild against the closed form: both have the same limits, and the simulation has chance."""

from __future__ import annotations

import pytest

from howdah.model.inventory import Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Override, PlanRequest
from howdah.model.storage_policy import StoredData
from howdah.planner.cluster import plan_cluster
from howdah.planner.host_moves import Loss, drain, rebuild
from howdah.planner.storage_costs import compared_schemes, plan_limits
from howdah.simulation.block_copies import Move, MoveKind, simulate_move
from howdah.units import GIB
from support.clusters import host_group

TB = 10**12
KINDS: tuple[MoveKind, ...] = ("rebuild", "drain")


def a_plan(hosts: int, **settings: str) -> ClusterPlan:
    overrides = tuple(Override(key=key, value=value) for key, value in settings.items())
    request = PlanRequest(workloads=(Demand(kind="mapreduce"),), overrides=overrides)
    return plan_cluster(Inventory(groups=(host_group(count=hosts),)), request)


FAST = {
    "dfs.namenode.replication.work.multiplier.per.iteration": "200",
    "dfs.namenode.replication.max-streams": "20",
    "dfs.namenode.replication.max-streams-hard-limit": "20",
}
"""Settings with which links, disks and cores are the limit."""


@pytest.mark.parametrize("settings", [{}, FAST], ids=["planned", "fast"])
@pytest.mark.parametrize("policy", ["3 replicas", "RS-6-3-1024k"])
def test_the_simulation_and_the_closed_form_agree(policy: str, settings: dict[str, str]) -> None:
    limits = plan_limits(a_plan(32, **settings))
    scheme = next(scheme for scheme in compared_schemes(limits) if scheme.name == policy)
    data, loss = StoredData(data_bytes=4 * TB, file_bytes=GIB), Loss("host", 0.25)
    computed = {"rebuild": rebuild(scheme, limits, data, loss), "drain": drain(scheme, limits, data, loss)}
    for kind in KINDS:
        simulated_s = simulate_move(Move(scheme, limits, data, loss, kind))
        # Chance gives some hosts more than others, which the closed form does not know.
        assert 0.6 < simulated_s / computed[kind].elapsed_s < 2, kind


def test_the_same_seed_gives_the_same_time_and_jobs_slow_it() -> None:
    limits = plan_limits(a_plan(32, **FAST))
    scheme = compared_schemes(limits)[1]
    data = StoredData(data_bytes=8 * TB, file_bytes=GIB)
    idle, busy, again = (
        simulate_move(Move(scheme, limits, data, Loss("host", share), "rebuild"))
        for share in (1.0, 0.25, 0.25)
    )
    assert busy == again
    assert busy > 1.5 * idle
