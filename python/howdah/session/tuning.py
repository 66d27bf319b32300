"""The search for a better specification: from a plan to a tuned plan and the evidence for it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from howdah.documents.files import read_narrowing, write_plan, write_study
from howdah.errors import UserError
from howdah.model.comparison import Verdict
from howdah.model.plan import ClusterPlan
from howdah.model.run_request import RunRequest
from howdah.model.study import Study
from howdah.model.tuning import (
    Fixed,
    FrontPoint,
    Goal,
    KeptRules,
    Narrowing,
    Race,
    Trial,
    TuneParameter,
    Tuning,
    TuningRequest,
)
from howdah.model.workloads.terasort import ROWS
from howdah.planner.changes import with_hosts
from howdah.planner.rules.catalogue import find_rule
from howdah.session.laboratories import fits_here
from howdah.session.predicting import sized
from howdah.simulation.calibrations import calibration_warnings, load_calibration
from howdah.simulation.hbase import asks_hbase
from howdah.store.layout import new_run_id
from howdah.store.predictions import TuningFolder, new_tuning
from howdah.tune.candidates import Attempts, Candidates, TuneProgress, Values
from howdah.tune.finalists import (
    ComparedFinalists,
    TunedSearch,
    course,
    expected_trials,
    fastest,
    finalists,
    front,
    losing_rules,
    sensitivities,
)
from howdah.tune.parameters import base_of, decided_values, keys_of
from howdah.tune.race import RULES, defaults_plan, lab_plans, plan_file, race_of, sizes_of
from howdah.tune.search import Search, space_of
from howdah.units import format_count, format_counted

RACE = "race.yaml"
_LEAST_TRIALS, _MOST_TRIALS = 20, 100_000


class Tuned(NamedTuple):
    """The result of a search, and the plan that it led to."""

    tuning: Tuning
    plan: ClusterPlan


def new_request(
    plan_file: str,
    plan: ClusterPlan,
    *,
    calibration: str | None,
    space: Path | None,
    allowed: Sequence[str],
    trials: int,
    seed: int | None,
    goals: Sequence[Goal] = (),
    **fields: Any,
) -> TuningRequest:
    """What a search is to be started with, with further fields of a request as they are."""
    if not _LEAST_TRIALS <= trials <= _MOST_TRIALS:
        hint = f"give {_LEAST_TRIALS} to {format_count(_MOST_TRIALS)}"
        raise UserError(f"--trials {trials}", "is out of range", hint)
    for rule in allowed:
        find_rule(rule)
    return TuningRequest(
        plan_file=plan_file,
        plan=plan,
        calibration=load_calibration(calibration) if calibration is not None else None,
        narrowing=read_narrowing(space) if space is not None else Narrowing(),
        space_file=str(space or ""),
        allowed=tuple(allowed),
        trials=trials,
        seed=secrets.randbelow(2**32) if seed is None else seed,
        goals=tuple(dict.fromkeys(goals)),
        **fields,
    )


def space(request: TuningRequest) -> tuple[tuple[TuneParameter, ...], tuple[Fixed, ...]]:
    """What would be varied and what would not."""
    work = TuningWork(request)
    return work.space, work.fixed


def start(request: TuningRequest, directory: Path, name: str | None) -> TuningFolder:
    """Make the directory of a new search, unless that cannot be searched, or raced if it is to be."""
    work = TuningWork(request)
    if request.race is not None and not request.race.per_job:
        defaults_plan(request.plan.cluster, work.space)
    return new_tuning(directory, name or new_run_id(datetime.now(), request.suite, directory), request)


def search(folder: TuningFolder, show: Callable[[TuneProgress], None]) -> Tuned:
    """Search, compare the best candidates and store the result; raises UserError for an impossible plan."""
    started = time.monotonic()
    request = folder.request
    work = TuningWork(request)
    if (finished := folder.result()) is not None:
        return Tuned(finished, work.tuned_plan(finished))
    attempts = Attempts(folder, work.candidates, work.expected_trials, show)
    planned = attempts.planned()
    if planned.elapsed_s is None:
        raise UserError(request.plan_file, planned.refused or "cannot be simulated", "plan again, then tune")
    compared = _compared(work, attempts, planned, folder)
    (tuned,) = attempts([compared.finalists[0].values])
    tuned_plan = work.candidates.plan(tuned.values)
    decided = decided_values(tuned_plan, operations=work.operations, rows=work.suite.first(ROWS))
    attempts.stage = "what matters"
    sensitivity, interactions = sensitivities(work.space, tuned, decided, attempts)
    losing = losing_rules(compared.finalists, attempts)
    fronts = _fronts(work, attempts, planned, tuned, request)
    tuning = Tuning(
        id=folder.path.name,
        plan=request.plan_file,
        suite=request.suite,
        calibration=request.calibration.name if request.calibration else None,
        seed=request.seed,
        trials=len(folder.trials),
        refused=sum(trial.elapsed_s is None for trial in folder.trials),
        elapsed_s=max(0.001, time.monotonic() - started),
        replications=request.replications,
        planned_s=compared.planned_s,
        space=work.space,
        fixed=work.fixed,
        finalists=compared.finalists,
        runners_up=compared.runners_up,
        sensitivity=sensitivity,
        losing=losing,
        interactions=interactions,
        course=course(folder.trials, work.candidates, request.replications),
        warnings=calibration_warnings(
            work.candidates.simulated(request.plan), work.suite, request.calibration
        ),
        front=fronts,
        limit=None if work.operations else work.candidates.limit(tuned.values),
    )
    folder.finish(tuning, {})
    return Tuned(tuning, work.tuned_plan(tuning))


def _compared(
    work: TuningWork, attempts: Attempts, planned: Trial, folder: TuningFolder
) -> ComparedFinalists:
    request = folder.request
    half = request.trials // 2
    searches: dict[KeptRules, Search] = {}
    best: dict[KeptRules, Trial] = {}
    start_values: Values = request.begin
    for kept, budget in ((KeptRules.RULES, half), (KeptRules.LIMITS, request.trials - half)):
        attempts.stage = "within the rules" if kept is KeptRules.RULES else "beyond the rules"
        searches[kept] = Search(work.space, attempts, kept=kept, budget=budget, seed=request.seed)
        best[kept] = searches[kept].best_from(start_values)
        start_values = best[kept].values
    if best[request.keep].elapsed_s is None:
        problem = f"leaves no candidate that can be simulated: {best[request.keep].refused}"
        raise UserError(request.space_file or request.plan_file, problem, "give other values")
    attempts.stage = "comparing"
    attempts.show()
    pools = {}
    # The folder of a search that is continued has later trials, too.
    tried = [trial for kept in KeptRules for trial in searches[kept].trials]
    if all(parameter.planned in parameter.levels for parameter in work.space):
        tried.append(planned)
    for kept in KeptRules:
        trials = fastest(searches[kept], best[kept], tried, work.candidates.draws)
        pools[kept] = [trial for trial in trials if trial.elapsed_s]
    return finalists(pools, request, work.candidates)


def _fronts(
    work: TuningWork, attempts: Attempts, planned: Trial, tuned: Trial, request: TuningRequest
) -> tuple[FrontPoint, ...]:
    ended = TunedSearch(work.space, attempts, planned, tuned, request.keep, request.trials, request.seed)
    hosts = sum(group.count for group in work.inventory.worker_groups)

    def fresh(several: Sequence[Values]) -> list[float]:
        return [median(times.elapsed_s) for times in work.candidates.predicted(several, request.replications)]

    points: list[FrontPoint] = []
    for goal in request.goals:
        attempts.stage = "fewer hosts" if goal is Goal.HOSTS else "less memory"
        points += front(goal, ended, hosts, fresh)
    return tuple(points)


def race_study(folder: TuningFolder, tuning: Tuning) -> Study:
    """The study that races a search's best candidates, stored next to the result with its labs' plans."""
    work, texts, too_large = TuningWork(folder.request), {}, []
    race = folder.request.race
    if race is None or not race.per_job:
        for name, plan in lab_plans(work.request, tuning, work.candidates):
            texts[plan_file(name)] = write_plan(plan)
            if not fits_here(plan, folder.path):
                too_large.append(name)
    study = planned_race(work, tuning, too_large)
    folder.finish(tuning, {**texts, RACE: write_study(study)})
    return study


def planned_race(work: TuningWork, tuning: Tuning, left_out: Collection[str] = ()) -> Study:
    """The race of a search's best candidates, in what a first round left of the budget."""
    return race_of(work.request, tuning, work.suite, work.candidates, left_out)


def with_race(folder: TuningFolder, tuning: Tuning, race: Race) -> Tuned:
    """Store what a race decided with the search; raises OSError."""
    measured = tuning.model_copy(update={"race": race})
    folder.finish(measured, {})
    return Tuned(measured, TuningWork(folder.request).tuned_plan(measured))


class TuningWork:
    """What a request leads to: the candidates and the space; raises UserError for what cannot be searched."""

    def __init__(self, request: TuningRequest) -> None:
        self.request = request
        values = {ROWS.name: request.rows} if request.rows is not None else {}
        run_request = RunRequest(suite=request.suite, given=values)
        self.suite = sized(run_request, request.plan)
        run_request = run_request.model_copy(update={"given": sizes_of(self.suite)})
        self.operations = asks_hbase(self.suite)
        if self.operations and Goal.MEMORY in request.goals:
            problem = f"limits the containers of jobs, and {request.suite} has none"
            raise UserError(f"--goal {Goal.MEMORY}", problem, "leave it out")
        if self.operations and request.race is not None and request.race.per_job:
            problem = f"varies jobs, and {request.suite} needs other settings of RegionServers"
            raise UserError(f"--race {request.race.name}", problem, "give --race labs")
        base = base_of(request.plan, operations=self.operations, rows=self.suite.first(ROWS))
        per_job = request.race is not None and request.race.per_job
        self.space, self.fixed = space_of(base, request.narrowing, request.space_file, per_job=per_job)
        self.inventory = request.plan.cluster.inventory
        calibration, seed, allowed = request.calibration, request.seed, request.allowed
        self.candidates = Candidates(
            base, run_request, calibration, seed=seed, allowed=allowed, lab=request.laboratory
        )
        if Goal.HOSTS in request.goals:
            with_hosts(self.inventory, 1)
        levels = sum(len(parameter.levels) for parameter in self.space)
        self.expected_trials = request.trials + levels + expected_trials(request.goals, request.trials)

    def tuned_plan(self, tuning: Tuning) -> ClusterPlan:
        """The plan to use, with the evidence for every tuned value in place of "given by the user"."""
        race, values = tuning.race, tuning.chosen
        if not values:
            return self.request.plan
        measured = f"{_measured(race)}; " if race is not None else ""
        reasons: dict[str, str] = {}
        for parameter in tuning.space:
            if parameter.name in values:
                simulated = _simulated(tuning, parameter, values[parameter.name])
                reasons |= dict.fromkeys(keys_of(parameter.name), measured + simulated)
        plan = self.candidates.plan(values)
        settings = []
        for setting in plan.settings:
            tuned = setting.origin == "user" and setting.key in reasons
            evidence = {"reason": reasons[setting.key], "source": f"howdah tune {tuning.id}"} if tuned else {}
            settings.append(setting.model_copy(update=evidence))
        return plan.model_copy(update={"settings": tuple(settings)})


def _simulated(tuning: Tuning, parameter: TuneParameter, value: str) -> str:
    if tuning.finalists[0].values.get(parameter.name) != value:
        return "simulated: chosen with the other tuned values"
    cost = tuning.cost_of_return(parameter.name)
    if cost is None:
        return f"simulated: the rules' {parameter.planned} cannot be simulated with the other tuned values"
    return f"simulated: {parameter.planned}, as the rules decide, takes {100 * cost:.1f} % longer"


def _measured(race: Race) -> str:
    plan = race.plan(race.winner)
    difference = plan.against.get(RULES) if plan is not None else None
    if plan is None or difference is None:
        return "not measured, because too few runs of the race succeeded"
    faster = f"{abs(100 * difference.share):.0f} % {'faster' if difference.share < 0 else 'slower'}"
    doubt = "" if difference.verdict is Verdict.FASTER else ", which can be chance"
    runs = min(raced.runs for raced in race.plans if raced.name in (race.winner, RULES))
    return f"measured with the other tuned values, {faster} in {format_counted(runs, 'race')}{doubt}"
