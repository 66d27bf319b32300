"""Which platform a cluster gets: by rules, or by what a calibrated simulator predicts of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import Advice, ClusterPlan
from howdah.model.request import PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.planner.ranked import plan_by_prediction, why_not_ranked
from howdah.planner.rules.platform import SIMULATED
from howdah.simulation.calibrations import load_calibration

if TYPE_CHECKING:
    from howdah.simulation.replications import Done


RANKS = ("rules", "simulate")


def plan_inventory(
    inventory: Inventory,
    request: PlanRequest,
    *,
    rank: str | None,
    calibration: str | None,
    tell: Callable[[Done], None],
) -> ClusterPlan:
    """Plan a cluster, its platform ranked by simulation where that is asked for or a calibration is there.

    Raises UserError where the hosts or the request do not allow it, and for a ranking that cannot be.
    """
    if rank not in (None, *RANKS):
        raise UserError(f"--rank {rank}", "is not a way of ranking platforms", f"one of {', '.join(RANKS)}")
    if rank == "simulate" and calibration is None:
        raise UserError(
            "--rank simulate",
            "a simulator that is not calibrated cannot distinguish platforms",
            "give --calibration FILE, or set HOWDAH_CALIBRATION",
        )
    if rank == "rules" or calibration is None:
        return plan_cluster(inventory, request)
    why = why_not_ranked(inventory, request)
    if why is not None and rank is None:
        # The calibration may be one that is set for every command.
        return _noted(plan_cluster(inventory, request), f"Platforms are ranked by rules alone: {why}.")
    # Simulating takes libraries that rules do without.
    from howdah.simulation.whole_suite import PlatformTimes  # noqa: PLC0415

    return plan_by_prediction(inventory, request, PlatformTimes(load_calibration(calibration), tell))


def _noted(plan: ClusterPlan, text: str) -> ClusterPlan:
    """The plan with one more piece of advice."""
    cluster = plan.cluster
    advice: tuple[Advice, ...] = (*cluster.advice, SIMULATED.advice(text))
    return plan.model_copy(update={"cluster": cluster.model_copy(update={"advice": advice})})
