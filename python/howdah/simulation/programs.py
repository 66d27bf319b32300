"""A suite's workloads as the simulator takes them, and how many replicas they write."""

from __future__ import annotations

from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.plan import Cluster, Plan
from howdah.model.workload import Suite, Workload, WorkloadKind
from howdah.simulation.planned import Planned
from howdah.simulation.scenario import Program

OUTPUT_REPLICATION = "mapreduce.terasort.output.replication"


def programs_of(suite: Suite, planned: Planned) -> tuple[Program, ...]:
    """Every workload of the suite, in order."""
    return tuple(_program(workload, planned) for workload in suite.workloads)


def output_replication(workload: Workload, planned: Planned) -> int:
    """Replicas of what TeraSort writes: as asked for, as planned, or 1 as is its own default."""
    if workload.replication is not None:
        return workload.replication
    return int(planned.number(OUTPUT_REPLICATION)) if planned.text(OUTPUT_REPLICATION) else 1


def _program(workload: Workload, planned: Planned) -> Program:
    kind = workload.kind
    match kind:
        case WorkloadKind.TERAGEN:
            return Program(
                kind=kind, rows=workload.rows, maps=workload.maps, replication=workload.replication
            )
        case WorkloadKind.TERASORT:
            replication = output_replication(workload, planned)
            return Program(kind=kind, rows=workload.rows, reduces=workload.reduces, replication=replication)
        case WorkloadKind.TERAVALIDATE:
            return Program(kind=kind, rows=workload.rows)
        case WorkloadKind.DFSIO_WRITE | WorkloadKind.DFSIO_READ:
            return Program(kind=kind, files=workload.files, file_bytes=workload.file_bytes)
        case WorkloadKind.PI:
            return Program(kind=kind, maps=workload.maps, samples=workload.samples)
        case WorkloadKind.NNBENCH | WorkloadKind.STORAGE:
            raise UserError("SUITE", f"{kind} is not simulated", "run it on a cluster or on this machine")


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
