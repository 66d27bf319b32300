"""What is told of a plan whose hosts keep fewer replicas than data want."""

from __future__ import annotations

from howdah.planner.block import REPLICATION
from howdah.planner.facts import Facts
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.units import format_counted

rules = Rules()


@rules.advice(
    "topology.few-replicas",
    MUST,
    sources="D0 60, X5",
    when="fewer than three hosts carry workers, and --replication is not given",
)
def _few_replicas(facts: Facts) -> str | None:
    """Data have three replicas on three hosts, unless fewer were asked for."""
    replicas = int(facts.number("dfs.replication"))
    if facts.request.replication is not None or replicas >= REPLICATION:
        return None
    count = facts.cluster.worker_hosts
    masters = facts.cluster.hosts - count
    own = f", as masters have {format_counted(masters, 'host')} of their own" if masters else ""
    lost = "one lost disk loses data" if replicas == 1 else "with one host down, a lost disk loses data"
    return (
        f"A block has {format_counted(replicas, 'replica')} instead of {REPLICATION}, for workers are on "
        f"{format_counted(count, 'host')} only{own}: {lost}. Give more hosts, let masters share hosts with "
        "workers, or say how many replicas are enough: --replication."
    )
