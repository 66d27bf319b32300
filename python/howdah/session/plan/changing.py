"""A plan for a cluster that runs: made from the one it was built by, and how to get from one to the other."""

from __future__ import annotations

from pathlib import Path

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import Plan
from howdah.model.request import PlanRequest
from howdah.planner.succession import change_of, plan_after
from howdah.session.plan.asked import parse_demands
from howdah.session.plan.plans import DEFAULT_HADOOP, DEFAULT_HBASE, load_plan

__all__ = ["change_of", "check_keeps", "load_plan", "plan_change"]


def check_keeps(request: PlanRequest, before: Path, output: Path, *, shared: bool) -> None:
    """Raise UserError where something else is asked for, or the plan that runs would be written over."""
    usual = PlanRequest(workloads=parse_demands(()), hadoop=DEFAULT_HADOOP, hbase=DEFAULT_HBASE)
    if shared or request != usual:
        raise UserError(
            f"--from {before}",
            "keeps what that plan was asked for, and something else is asked for here",
            "leave the other options out, or plan anew without --from",
        )
    if output.exists() and output.samefile(before):
        raise UserError(
            f"--output {output}", "is the plan of the cluster that runs", "give another file: -o new.yaml"
        )


def plan_change(before: Plan, inventory: Inventory, request: PlanRequest) -> Plan:
    """The plan for other hosts of a cluster that runs; what is asked for is what it was asked for."""
    del request
    return plan_after(before, inventory)
