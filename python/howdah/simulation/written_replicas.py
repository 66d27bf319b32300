"""How many replicas a suite's programs write: as asked for, else as planned, else as is their own default."""

from __future__ import annotations

from typing import NamedTuple

from howdah.model.plan import Cluster, Plan
from howdah.model.workload import Suite, WorkloadKind
from howdah.simulation.planned import Planned
from howdah.simulation.programs import output_replication


class Replicas(NamedTuple):
    """Replicas of rows."""

    generated: int
    """Of what TeraGen writes."""
    sorted: int
    """Of what TeraSort writes."""


def replicas_of(plan: Plan, cluster: Cluster, suite: Suite) -> Replicas:
    """Those of the suite's TeraGen and TeraSort on the plan's cluster."""
    planned = Planned(plan, cluster, plan.workers[0])
    asked = {one.kind: one for one in suite.workloads}
    generating, sorting = asked.get(WorkloadKind.TERAGEN), asked.get(WorkloadKind.TERASORT)
    generated = generating.replication if generating is not None else None
    return Replicas(
        generated=int(planned.number("dfs.replication")) if generated is None else generated,
        sorted=output_replication(sorting, planned) if sorting is not None else 1,
    )
