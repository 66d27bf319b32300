"""Plans to simulate, made by the planner from the examples' hosts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from howdah.documents.files import read_inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile
from howdah.model.workloads.suite import Suite
from howdah.planner.cluster import plan_cluster
from howdah.planner.suite.cluster import size_planned
from howdah.units import MIB
from support.requests import run_request

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def study_plan(workers_per_host: int = 4) -> ClusterPlan:
    """The 32 hosts of the vSphere 6 study, divided, with Hadoop 1's slots as the study had them."""
    request = PlanRequest(
        workloads=(Demand(kind="terasuite", dataset_bytes=30 * 10**12),),
        hypervisor=Hypervisor.VSPHERE,
        profile=Profile.PAPER,
        workers_per_host=workers_per_host,
    )
    return plan_cluster(read_inventory(EXAMPLES / "hosts-32.yaml"), request)


@cache
def small_plan() -> ClusterPlan:
    """Seven native hosts with YARN."""
    request = PlanRequest(hypervisor=Hypervisor.NONE)
    return plan_cluster(read_inventory(EXAMPLES / "hosts-7.yaml"), request)


@cache
def slots_plan() -> ClusterPlan:
    """Seven native hosts with Hadoop 1's slots."""
    request = PlanRequest(hypervisor=Hypervisor.NONE, profile=Profile.PAPER)
    return plan_cluster(read_inventory(EXAMPLES / "hosts-7.yaml"), request)


def suite_on(plan: ClusterPlan, suite: str = "terasuite", **asked: object) -> Suite:
    """A suite of the size that was asked for, else of the plan's own."""
    return size_planned(run_request(suite, **asked), plan).suite


def small_suite(plan: ClusterPlan) -> Suite:
    """Ten gigabytes in blocks of 64 MiB: a simulation of a moment."""
    return suite_on(plan, rows=100_000_000, block_bytes=64 * MIB)
