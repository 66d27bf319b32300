"""Searches that have ended, and the studies that race their candidates."""

from __future__ import annotations

from howdah.model.plan import ClusterPlan
from howdah.model.run_request import RunRequest
from howdah.model.study import Study
from howdah.model.tuning import (
    Finalist,
    KeptRules,
    Narrowing,
    RaceRequest,
    RaceTarget,
    Tuning,
    TuningRequest,
)
from howdah.planner.suite.cluster import size_planned
from howdah.tune.candidates import Candidates
from howdah.tune.parameters import base_of
from howdah.tune.race import race_of
from howdah.tune.search import space_of
from support.sim_plans import small_plan

VALUES = {
    "dfs.blocksize": "512MiB",
    "mapreduce.map.memory.mb": "2048",
    "mapreduce.job.reduces": "30",
    "mapreduce.map.output.compress.codec": "lz4",
}


def finalist(kept: KeptRules, **values: str) -> Finalist:
    return Finalist(
        kept=kept, values=values or VALUES, elapsed_s=90, share=-0.1, interval=None, differs=True, breaks=()
    )


def tuning_of(*finalists: Finalist, search: str = "t", per_job: bool = False) -> Tuning:
    """The result of a search that ended with these finalists."""
    plan = small_plan()
    space, fixed = space_of(base_of(plan), Narrowing(), "", per_job=per_job)
    return Tuning(
        id=search, plan="plan.yaml", suite="terasuite", calibration=None, seed=1, trials=20, refused=0,
        elapsed_s=1, replications=3, planned_s=100, space=space, fixed=fixed, finalists=finalists,
        sensitivity=(), losing=(), interactions=(), course=(), warnings=(),
    )  # fmt: skip


def raced(
    target: RaceTarget,
    name: str = "",
    *,
    finalists: tuple[Finalist, ...] | None = None,
    search: str = "t",
    tuning: Tuning | None = None,
) -> Study:
    """The race of one candidate, of these, or of those of a search."""
    plan = small_plan()
    request = requested(plan, RaceRequest(target=target, name=name, budget_s=1800))
    run_request = RunRequest(suite="terasuite", given={})
    tuning = tuning or tuning_of(
        *(finalists or (finalist(KeptRules.RULES),)), search=search, per_job=target is not RaceTarget.LABS
    )
    candidates = Candidates(base_of(plan), run_request, None, seed=1)
    return race_of(request, tuning, size_planned(run_request, plan).suite, candidates)


def requested(plan: ClusterPlan, race: RaceRequest | None) -> TuningRequest:
    return TuningRequest(
        plan_file="plan.yaml", plan=plan, suite="terasuite", rows=None, calibration=None,
        narrowing=Narrowing(), space_file="", allowed=(), keep=KeptRules.RULES, trials=20, replications=3,
        seed=1, race=race,
    )  # fmt: skip
