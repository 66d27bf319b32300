"""Runs of Hadoop in a laboratory as they were recorded, on the plan that they had."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from howdah.documents.files import read_inventory
from howdah.engines.base import sha256
from howdah.model.cluster import ClusterState, Laboratory, Scaling
from howdah.model.plan import ClusterPlan
from howdah.model.request import Hypervisor, PlanRequest
from howdah.model.run import Origin, Outcome, Phase, RunRecord, WorkloadResult
from howdah.model.workloads.suite import read_workload
from howdah.planner.cluster import plan_cluster
from support.machine import host as machine
from support.sim_plans import EXAMPLES, suite_on

RECORDED = Path(__file__).parents[1] / "data" / "lab" / "runs.json"


@cache
def lab_plan(workers_per_host: int = 2) -> ClusterPlan:
    """Two hosts of two threads each with so many workers, and one for the masters."""
    request = PlanRequest(hypervisor=Hypervisor.KVM, workers_per_host=workers_per_host, replication=2)
    return plan_cluster(read_inventory(EXAMPLES / "hosts-lab.yaml"), request)


def laboratory(cpus: float = 1.0) -> Laboratory:
    """One that gave each host with workers so many of the two CPUs that were planned."""
    scaling = (Scaling(what="CPUs per host of workers", planned=2.0, lab=cpus),)
    return Laboratory(name="lab", rootless=False, isolation=(), scaling=scaling)


def lab_run(
    run_id: str, results: tuple[WorkloadResult, ...], *, plan: ClusterPlan | None = None, cpus: float = 1.0
) -> RunRecord:
    """A record of these results."""
    plan = plan or lab_plan()
    state = ClusterState(
        hadoop_version="3.5.0",
        client_version="3.5.0",
        default_fs="hdfs://m1:8020",
        work_dir="/",
        free_bytes=1,
        capacity_bytes=1,
        datanodes=(),
        nodemanagers=(),
        queue="root.default",
        lab=laboratory(cpus),
    )
    suite = suite_on(plan, rows=1).model_copy(update={"workloads": tuple(one.workload for one in results)})
    return RunRecord(
        id=run_id,
        created="2026-11-21T21:24:19+00:00",
        howdah_version="0.1.0",
        engine="hadoop",
        engine_version="3.5.0",
        origin=Origin.MEASURED,
        command=("howdah", "run"),
        seed=1,
        host=machine(),
        plan=plan,
        suite=suite,
        digests={"plan": sha256(plan.model_dump_json())},
        outcome=Outcome.SUCCEEDED,
        elapsed_s=results[-1].end_s,
        workloads=results,
        cluster=state,
    )


def result(told: Mapping[str, Any]) -> WorkloadResult:
    """One workload as it is told of in a few words: what it was, its start and end, its phases."""
    return WorkloadResult(
        workload=read_workload(told["workload"]),
        start_s=told["start_s"],
        end_s=told["end_s"],
        outcome=Outcome.SUCCEEDED,
        phases=tuple(Phase(name=name, start_s=start, end_s=end) for name, start, end in told["phases"]),
    )


def recorded_runs() -> dict[str, RunRecord]:
    """Suites of two million rows in blocks of 8, 32 and 128 MiB, twice each, on two workers a host."""
    told = json.loads(RECORDED.read_text())
    return {one["id"]: lab_run(one["id"], tuple(map(result, one["workloads"]))) for one in told}
