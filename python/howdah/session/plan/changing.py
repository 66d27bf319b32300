"""A plan for a cluster that runs: made from the one it was built by, and how to get from one to the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import Plan
from howdah.model.request import PlanRequest
from howdah.model.sharing import Sharing
from howdah.planner.succession import change_of, plan_after
from howdah.session.plan.asked import parse_demands
from howdah.session.plan.plans import DEFAULT_HADOOP, DEFAULT_HBASE, load_plan, writes_over
from howdah.session.plan.sharing import AskedShare, plan_shared

__all__ = ["change_of", "check_keeps", "load_plan", "plan_change", "request_before"]


def check_keeps(request: PlanRequest, before: Path, output: Path, *, others: bool) -> None:
    """Raise UserError where something else is asked for, or the plan that runs would be written over.

    ``others`` says whether it is by flags of which ``request`` says nothing.
    """
    usual = PlanRequest(workloads=parse_demands(()), hadoop=DEFAULT_HADOOP, hbase=DEFAULT_HBASE)
    if others or request != usual:
        raise UserError(
            f"--from {before}",
            "keeps the options of that plan, and this command gives others",
            "leave out the other options, or plan again without --from",
        )
    if writes_over(output, before):
        raise UserError(
            f"--output {output}",
            "would replace the plan of the running cluster",
            "give another file: -o new.yaml",
        )


def request_before(before: Plan) -> PlanRequest | None:
    """What a plan that shares its hosts was asked for; None for one with hosts of its own."""
    cluster = before.cluster
    return cluster.request if cluster is not None and cluster.request.sharing is not None else None


def plan_change(before: Plan, beside: Sequence[Path], inventory: Inventory, request: PlanRequest) -> Plan:
    """The plan for other hosts of a cluster that runs; what is asked for is what it was asked for.

    Where it shares its hosts, ``beside`` are the others' plans as they are now. Raises UserError for hosts
    that do not allow it.
    """
    del request
    kept = request_before(before)
    if kept is None or kept.sharing is None:
        return plan_after(before, inventory)
    asked = AskedShare(kept.sharing.percent, tuple(beside), kept.sharing.cluster)
    _check_all_given(kept.sharing, beside)
    return plan_shared(lambda left, shared: plan_after(before, left, shared.sharing), asked, inventory, kept)


def _check_all_given(sharing: Sharing, beside: Sequence[Path]) -> None:
    """Raise UserError where a cluster that the plan stood beside is not given any more."""
    given = {plan.cluster.inventory.cluster for plan in map(read_plan, beside) if plan.cluster is not None}
    for other in sharing.beside:
        if other.cluster not in given:
            raise UserError(
                "--from",
                f"shares hosts with cluster {other.cluster}, whose plan is needed for the remaining room",
                f"give the current plan of {other.cluster}: --beside PLAN",
            )
