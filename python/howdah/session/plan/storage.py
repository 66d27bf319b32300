"""Storage policies compared on a plan."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.model.plan import ClusterPlan
from howdah.model.storage_policy import HostMove, PolicyCost, StorageComparison, StoredData
from howdah.planner.capacity import file_bytes
from howdah.planner.host_moves import Loss, Scheme
from howdah.planner.storage_costs import SHARE, compare_storage, compared_schemes, plan_limits
from howdah.simulation.block_copies import Move, What, simulate_move
from howdah.units import format_bytes

_DAYS_OF_A_MONTH = 30.0
_LEAST_DAYS = 1.0


def compare(
    plan: ClusterPlan,
    *,
    data_bytes: int | None,
    mean_file_bytes: int | None,
    age_days: float | None,
    reads_per_month: float | None,
    worker: bool = False,
    share: float | None = None,
    simulate: bool = False,
) -> StorageComparison:
    """Every policy for this data; what is left out is the plan's, or follows from it.

    ``worker`` is about the loss of one worker instead of one host, and ``share`` the part of disks, links and
    cores that jobs leave, a quarter unless given; ``simulate`` adds simulated times. Data of an age of n days
    is taken to be read once in n days, if no number of reads is given.
    """
    request = plan.cluster.request
    size = data_bytes or (request.growth.need_bytes if request.growth else None)
    size = size if size is not None else plan.cluster.capacity.usable_bytes
    if size <= 0:
        raise UserError("--data", "there is no room for data on these hosts", "give hosts with data disks")
    if reads_per_month is None:
        reads_per_month = _DAYS_OF_A_MONTH / max(_LEAST_DAYS, age_days) if age_days is not None else 0.0
    mean = mean_file_bytes or file_bytes(request)
    if data_bytes is not None and data_bytes < mean:
        raise UserError(
            f"--data {data_bytes}",
            f"is less than one file of {format_bytes(mean)}",
            "give an amount with a unit, such as 300TB",
        )
    data = StoredData(
        data_bytes=size,
        file_bytes=mean,
        age_days=age_days,
        reads_per_month=reads_per_month,
    )
    loss = Loss("worker" if worker else "host", SHARE if share is None else share)
    compared = compare_storage(plan, data, loss)
    return _simulated(plan, compared, loss) if simulate else compared


def _simulated(plan: ClusterPlan, compared: StorageComparison, loss: Loss) -> StorageComparison:
    """The comparison with simulated times of what the cluster can store."""
    limits = plan_limits(plan)

    def timed(cost: PolicyCost, scheme: Scheme) -> PolicyCost:
        if cost.verdict == "impossible":
            return cost
        moves: dict[What, HostMove] = {"rebuild": cost.rebuild, "drain": cost.drain}
        return cost.model_copy(
            update={
                action: move.model_copy(
                    update={"simulated_s": simulate_move(Move(scheme, limits, compared.data, loss, action))}
                )
                for action, move in moves.items()
            }
        )

    pairs = zip(compared.policies, compared_schemes(limits), strict=True)
    return compared.model_copy(update={"policies": tuple(timed(cost, scheme) for cost, scheme in pairs)})
