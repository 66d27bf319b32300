"""The search for a better specification: from a plan to a tuned plan and the evidence for it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple

from howdah.documents.files import read_narrowing, read_plan, write_inventory, write_study
from howdah.errors import UserError
from howdah.model.plan import Plan, Setting
from howdah.model.tuning import (
    Finalist,
    Fixed,
    KeptRules,
    LosingRule,
    Narrowing,
    Sensitivity,
    Trial,
    TuneParameter,
    Tuning,
    TuningRequest,
)
from howdah.model.workloads.terasort import ROWS
from howdah.planner.predictor import lag
from howdah.planner.rules.catalogue import find_rule
from howdah.planner.suite.cluster import size_planned
from howdah.planner.suite.request import RunRequest
from howdah.simulation.calibrations import calibration_warnings, load_calibration
from howdah.simulation.hbase.servers import asks_hbase
from howdah.store.layout import new_run_id
from howdah.store.tunings import TuningFolder, new_tuning, open_tuning
from howdah.tune.candidates import Candidates, Values
from howdah.tune.parameters import base_of, keys_of
from howdah.tune.parameters import decided as decided_values
from howdah.tune.race import race_of
from howdah.tune.search import Search
from howdah.tune.sensitivity import sensitivities
from howdah.tune.space import space_of
from howdah.units import format_count

__all__ = [
    "DEFAULT_TUNE_DIR",
    "RACE",
    "KeptRules",
    "TuneProgress",
    "Tuned",
    "TuningFolder",
    "resume",
    "search",
    "start",
]

DEFAULT_TUNE_DIR = Path("tune")
RACE, HOSTS = "race.yaml", "hosts.yaml"
_LEAST_TRIALS, _MOST_TRIALS = 20, 100_000
_NEXT = 3
"""So many of the fastest candidates of each search are simulated again, with several draws."""
_AT_ONCE = 16
"""So many candidates are tried before they are kept and progress is shown."""


class TuneProgress(NamedTuple):
    """How far a search is."""

    stage: str
    done: int
    """Candidates tried."""
    of: int
    """Candidates to try, as far as that is known."""
    best: float | None
    """How much longer the best candidate so far takes than the rules' plan: -0.1 for 10 % less."""


class Tuned(NamedTuple):
    """The result of a search, and the plan that it led to."""

    tuning: Tuning
    plan: Plan


def asked(
    plan_file: Path,
    *,
    suite: str,
    rows: int | None,
    calibration: str | None,
    space: Path | None,
    allowed: Sequence[str],
    keep: KeptRules,
    trials: int,
    replications: int,
    seed: int | None,
) -> TuningRequest:
    """What a search is to be started with; raises UserError for whatever is wrong with it."""
    if not _LEAST_TRIALS <= trials <= _MOST_TRIALS:
        ends = f"{_LEAST_TRIALS} to {format_count(_MOST_TRIALS)}"
        raise UserError(f"--trials {trials}", "is out of range", f"give {ends}")
    for rule in allowed:
        find_rule(rule)
    return TuningRequest(
        plan_file=str(plan_file),
        plan=read_plan(plan_file),
        suite=suite,
        rows=rows,
        calibration=load_calibration(calibration) if calibration is not None else None,
        narrowing=read_narrowing(space) if space is not None else Narrowing(),
        space_file=str(space or ""),
        allowed=tuple(allowed),
        keep=keep,
        trials=trials,
        replications=replications,
        seed=secrets.randbelow(2**32) if seed is None else seed,
    )


def space(request: TuningRequest) -> tuple[tuple[TuneParameter, ...], tuple[Fixed, ...]]:
    """What would be varied and what would not; raises UserError for what cannot be searched."""
    work = _Work(request)
    return work.space, work.fixed


def start(request: TuningRequest, directory: Path, name: str | None) -> TuningFolder:
    """Make the directory of a new search; raises UserError for what cannot be searched."""
    # What cannot be searched leaves no directory behind.
    _Work(request)
    return new_tuning(directory, name or new_run_id(datetime.now(), request.suite, directory), request)


def resume(directory: Path, name: str) -> TuningFolder:
    """Open a search that ended early, or one to look at again; raises UserError where there is none."""
    return open_tuning(directory, name)


def search(folder: TuningFolder, tell: Callable[[TuneProgress], None]) -> Tuned:
    """Search, compare the best candidates and keep the result; raises UserError for an impossible plan."""
    started = time.monotonic()
    request = folder.request
    work = _Work(request)
    attempts = _Attempts(folder, work.candidates, request, work.to_try, tell)
    planned = attempts([{}])[0]
    if planned.elapsed_s is None:
        raise UserError(request.plan_file, planned.refused or "cannot be simulated", "plan again, then tune")
    attempts.planned_s = planned.elapsed_s
    half = request.trials // 2
    searches: dict[KeptRules, Search] = {}
    best: dict[KeptRules, Trial] = {}
    start_values: Values = {}
    for kept, budget in ((KeptRules.RULES, half), (KeptRules.LIMITS, request.trials - half)):
        attempts.stage = "within the rules" if kept is KeptRules.RULES else "beyond the rules"
        searches[kept] = Search(work.space, attempts, kept=kept, budget=budget, seed=request.seed)
        best[kept] = searches[kept].best_from(start_values)
        start_values = best[kept].values
    attempts.stage = "comparing"
    planned_s, finalists = _finalists(
        {kept: _fastest(kept, best[kept], folder.trials, searches[kept]) for kept in KeptRules},
        folder.request,
        work.candidates,
        attempts,
    )
    tuned = attempts([finalists[0].values])[0]
    tuned_plan = work.candidates.plan(tuned.values)
    assert tuned_plan.cluster is not None
    decided = decided_values(base_of(tuned_plan, tuned_plan.cluster))
    attempts.stage = "what matters"
    sensitivity, interactions = sensitivities(work.space, tuned, decided, attempts)
    losing = _losing(finalists, attempts)
    trials = folder.trials
    tuning = Tuning(
        id=folder.path.name,
        plan=request.plan_file,
        suite=request.suite,
        calibration=request.calibration.name if request.calibration else None,
        seed=request.seed,
        trials=len(trials),
        refused=sum(trial.elapsed_s is None for trial in trials),
        elapsed_s=max(0.001, time.monotonic() - started),
        replications=request.replications,
        planned_s=planned_s,
        space=work.space,
        fixed=work.fixed,
        finalists=finalists,
        sensitivity=sensitivity,
        losing=losing,
        interactions=interactions,
        course=_course(trials, attempts.planned_s),
        warnings=calibration_warnings(request.plan, work.suite, request.calibration),
    )
    race = race_of(request, tuning, work.suite, HOSTS)
    folder.finish(tuning, {RACE: write_study(race), HOSTS: write_inventory(work.inventory)})
    return Tuned(tuning, _with_reasons(tuned_plan, tuning, sensitivity))


class _Work:
    """What a request leads to: the candidates and the space; raises UserError for what cannot be searched."""

    def __init__(self, request: TuningRequest) -> None:
        cluster = request.plan.cluster
        if cluster is None:
            raise UserError(
                request.plan_file,
                "is a plan of one machine, not of a cluster",
                "plan one: howdah plan hosts.yaml",
            )
        base = base_of(request.plan, cluster)
        given = {ROWS.name: request.rows} if request.rows is not None else {}
        asked = RunRequest(suite=request.suite, given=given)
        try:
            self.suite = size_planned(asked, request.plan).suite
        except UserError as error:
            where = "--suite" if error.where == "SUITE" else error.where
            raise UserError(where, error.what, error.hint) from error
        if asks_hbase(self.suite):
            raise UserError(
                f"--suite {request.suite}", "uses HBase, which is not searched yet", "tune terasuite or dfsio"
            )
        self.space, self.fixed = space_of(base, request.narrowing, request.space_file)
        self.inventory = cluster.inventory
        self.candidates = Candidates(
            base, asked, request.calibration, seed=request.seed, allowed=request.allowed
        )
        self.to_try = request.trials + sum(len(parameter.levels) for parameter in self.space)


class _Attempts:
    """Tries candidates; those that were tried before, in this process or an earlier one, keep their times."""

    def __init__(
        self,
        folder: TuningFolder,
        candidates: Candidates,
        request: TuningRequest,
        to_try: int,
        tell: Callable[[TuneProgress], None],
    ) -> None:
        self._folder = folder
        self._candidates = candidates
        self._keep = request.keep
        self._tell = tell
        self._to_try = to_try
        self._seen: set[frozenset[tuple[str, str]]] = set()
        self._best: float | None = None
        self.stage = ""
        self.planned_s = 0.0

    def __call__(self, several: Sequence[Values]) -> list[Trial]:
        trials: list[Trial] = []
        for first in range(0, len(several), _AT_ONCE):
            batch = several[first : first + _AT_ONCE]
            fresh = [values for values in batch if self._folder.known(values) is None]
            for tried in self._candidates.tried(fresh, lambda done: None) if fresh else ():
                self._folder.keep(tried)
            known = [trial for values in batch if (trial := self._folder.known(values)) is not None]
            for trial in known:
                self._note(trial)
            trials += known
            self.show()
        return trials

    def show(self) -> None:
        """Report the progress."""
        done = len(self._seen)
        share = self._best / self.planned_s - 1 if self._best and self.planned_s else None
        self._tell(TuneProgress(self.stage, done, max(done, self._to_try), share))

    def _note(self, trial: Trial) -> None:
        self._seen.add(frozenset(trial.values.items()))
        admitted = trial.within_rules if self._keep is KeptRules.RULES else trial.elapsed_s is not None
        if admitted and trial.elapsed_s is not None:
            self._best = min(self._best or trial.elapsed_s, trial.elapsed_s)


def _finalists(
    pools: Mapping[KeptRules, Sequence[Trial]],
    request: TuningRequest,
    candidates: Candidates,
    attempts: _Attempts,
) -> tuple[float, tuple[Finalist, ...]]:
    """The time of the rules' plan and the best candidate of each search, the one to use first.

    The fastest of each search are simulated with several draws, the same for all: with one draw some are
    fast by chance. The second finalist is left out where it is not faster than the first.
    """
    trials = list({_key(trial.values): trial for pool in pools.values() for trial in pool}.values())
    planned, *times = candidates.predicted(
        [{}, *(trial.values for trial in trials)], request.replications, lambda done: attempts.show()
    )
    predicted = {_key(trial.values): one for trial, one in zip(trials, times, strict=True)} | {
        _key({}): planned
    }

    def finalist(kept: KeptRules) -> Finalist:
        chosen = min(pools[kept], key=lambda trial: lag(predicted[_key(trial.values)], planned).share)
        difference = lag(predicted[_key(chosen.values)], planned)
        return Finalist(
            kept=kept,
            values=chosen.values,
            elapsed_s=median(predicted[_key(chosen.values)].elapsed_s),
            share=difference.share,
            interval=(difference.low, difference.high) if request.calibration else None,
            differs=difference.tells,
            breaks=chosen.breaks,
        )

    first, second = (
        finalist(request.keep),
        *(finalist(kept) for kept in KeptRules if kept is not request.keep),
    )
    both = second.differs and second.share < first.share
    return median(planned.elapsed_s), (first, second) if both else (first,)


def _fastest(kept: KeptRules, best: Trial, trials: Sequence[Trial], search_of: Search) -> list[Trial]:
    """The best trial of a search, the next ones that keep as many rules, and the rules' plan."""
    admitted = [
        trial
        for trial in trials
        if trial.elapsed_s is not None and (kept is KeptRules.LIMITS or not trial.breaks)
    ]
    admitted.sort(key=lambda trial: trial.elapsed_s or 0.0)
    planned = [trial for trial in admitted if not trial.values]
    return [best, *(search_of.simplified(trial.values) for trial in admitted[:_NEXT]), *planned]


def _key(values: Values) -> frozenset[tuple[str, str]]:
    return frozenset(values.items())


def _losing(finalists: Sequence[Finalist], attempts: _Attempts) -> tuple[LosingRule, ...]:
    """The rules that the finalist beyond them breaks, and what keeping each would cost it."""
    beyond = next((one for one in finalists if one.breaks), None)
    if beyond is None:
        return ()
    whole = attempts([beyond.values])[0]
    assert whole.elapsed_s is not None
    without = {name: {k: v for k, v in beyond.values.items() if k != name} for name in beyond.values}
    trials = dict(zip(without, attempts(list(without.values())), strict=True))
    result = []
    for rule in beyond.breaks:
        names = [name for name, trial in trials.items() if rule not in trial.breaks]
        times = [time_s for name in names if (time_s := trials[name].elapsed_s) is not None]
        if times and min(times) > whole.elapsed_s:
            values = {name: beyond.values[name] for name in names}
            result.append(LosingRule(rule=rule, values=values, share=min(times) / whole.elapsed_s - 1))
    return tuple(sorted(result, key=lambda one: -one.share))


def _course(trials: Sequence[Trial], planned_s: float) -> tuple[tuple[int, float], ...]:
    """After how many trials the best candidate within the rules was how much faster."""
    best, result = planned_s, [(0, 0.0)]
    for number, trial in enumerate(trials, start=1):
        if trial.within_rules and trial.elapsed_s is not None and trial.elapsed_s < best:
            best = trial.elapsed_s
            result.append((number, best / planned_s - 1))
    return (*result, (len(trials), best / planned_s - 1))


def _with_reasons(plan: Plan, tuning: Tuning, sensitivity: Sequence[Sensitivity]) -> Plan:
    """The plan with the evidence for every tuned value in place of "given by the user"."""
    reasons: dict[str, str] = {}
    values = tuning.finalists[0].values
    planned = {parameter.name: parameter.planned for parameter in tuning.space}
    for one in sensitivity:
        if one.name not in values:
            continue
        cost = next((level.share for level in one.levels if level.value == planned[one.name]), None)
        text = f"the rules' {planned[one.name]} cannot be simulated with the other tuned values"
        if cost is not None:
            text = f"simulated: {planned[one.name]}, as the rules decide, takes {100 * cost:.1f} % longer"
        reasons |= dict.fromkeys(keys_of(one.name), text)

    def explained(setting: Setting) -> Setting:
        if setting.origin != "user" or setting.key not in reasons:
            return setting
        return setting.model_copy(
            update={"reason": reasons[setting.key], "source": f"howdah tune {tuning.id}"}
        )

    return plan.model_copy(update={"settings": tuple(map(explained, plan.settings))})
