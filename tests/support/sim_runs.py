"""Small simulated runs, for the tests of what is made of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from howdah.engines.sim.engine import SimEngine, SimTarget
from howdah.model.plan import ClusterPlan
from howdah.model.tables import Job, RunData
from howdah.model.workloads.suite import Suite
from howdah.probe import probe_host
from support.sim_plans import slots_plan, small_suite
from support.sinks import TableSink


def sim_job(plan: ClusterPlan, suite: Suite, *, run_id: str = "simulated", seed: int = 7) -> Job:
    """A job to simulate."""
    return Job(
        run_id=run_id,
        command=("howdah", "run"),
        host=probe_host(),
        plan=plan,
        suite=suite,
        seed=seed,
        keep_data=False,
        sample_interval_s=1.0,
        results_dir=Path.cwd(),
    )


def simulated(job: Job, target: SimTarget | None = None) -> RunData:
    """What the engine makes of a job."""
    sink = TableSink()
    SimEngine(target or SimTarget({})).run(job, sink)
    return sink.run()


@cache
def small_run(replications: int = 1) -> RunData:
    """A TeraSort suite of ten gigabytes on seven hosts."""
    plan = slots_plan()
    return simulated(sim_job(plan, small_suite(plan)), SimTarget({}, replications=replications))
