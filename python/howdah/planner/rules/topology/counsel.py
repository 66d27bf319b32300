"""What is told of a plan whose hosts keep fewer replicas than data want."""

from __future__ import annotations

from howdah.planner.block import REPLICATION
from howdah.planner.facts import Facts
from howdah.planner.rule import Counsel, Rule, Severity
from howdah.units import format_counted


def _few_replicas(facts: Facts) -> str | None:
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


RULES: tuple[Rule, ...] = (
    Counsel(
        id="topology.few-replicas",
        says="Data have three replicas on three hosts, unless fewer were asked for.",
        sources=("D0 60", "X5"),
        severity=Severity.MUST,
        condition="fewer than three hosts carry workers, and --replication is not given",
        tell=_few_replicas,
    ),
)
