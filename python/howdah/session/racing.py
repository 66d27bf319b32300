"""The race of a search's best candidates: real runs on labs or a cluster, and what they decide."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any, NamedTuple

from howdah.documents.files import read_plan, write_study
from howdah.engines.hadoop.reached import running_lab
from howdah.errors import UserError
from howdah.files import DEFAULT_RUNS_DIR
from howdah.model.cluster import Laboratory
from howdah.model.comparison import Judged, Verdict
from howdah.model.plan import ClusterPlan
from howdah.model.run import Outcome
from howdah.model.study import Study, StudyRun
from howdah.model.tuning import (
    MeasuredDifference,
    Race,
    RacedPlan,
    RaceFloor,
    RaceRequest,
    RaceTarget,
    Tuning,
    TuningRequest,
)
from howdah.services.conf import ClientConf
from howdah.session.laboratories import fit_here, fits_here
from howdah.session.reporting import analyse_run
from howdah.session.studies import GivenStudy
from howdah.session.studies import run as run_study
from howdah.session.study_running import StudyObserver
from howdah.session.tuning import Tuned, new_request, with_race
from howdah.store.layout import FileLock
from howdah.store.predictions import TuningFolder, open_tuning
from howdah.study.directory import StudyDirectory, by_age, spent_s
from howdah.study.halving import (
    Times,
    compared,
    failed_cells,
    fastest_contender,
    last_rounds,
    level_of,
    times_of,
)
from howdah.study.matrix import Cell, cells_of
from howdah.tune.race import CONFIGURED, DEFAULT_BUDGET_S, DEFAULTS, RULES, VARY

FOLDER = "race"
_LEAST_BUDGET_S = 300.0


class NamedPlan(NamedTuple):
    """A plan, and its file or the lab that is built of it."""

    name: str
    plan: ClusterPlan
    laboratory: Laboratory | None = None


def race_request(where: str, budget_s: float | None) -> RaceRequest:
    """The race that ``--race`` and ``--budget`` describe; raises UserError for an unknown target."""
    budget_s = possible_budget(DEFAULT_BUDGET_S if budget_s is None else budget_s)
    if where == RaceTarget.LABS:
        return RaceRequest(target=RaceTarget.LABS, name="", budget_s=budget_s)
    directory = Path(where)
    if directory.is_dir():
        ClientConf.read(directory)
        return RaceRequest(target=RaceTarget.CLUSTER, name=str(directory.absolute()), budget_s=budget_s)
    try:
        running_lab(where)
    except UserError as error:
        hint = "give labs, the name of a lab that is up, or the directory of a cluster's configuration"
        raise UserError(f"--race {where}", error.what, hint) from error
    return RaceRequest(target=RaceTarget.LAB, name=where, budget_s=budget_s)


def possible_budget(budget_s: float) -> float:
    """The time for a race; raises UserError if it is too short for one."""
    if budget_s < _LEAST_BUDGET_S:
        raise UserError("--budget", "is too short for a race", f"give at least {_LEAST_BUDGET_S / 60:.0f}m")
    return budget_s


def plan_to_tune(file: Path | None, race: RaceRequest | None, directory: Path) -> NamedPlan:
    """The plan in a file, or that of the lab that the race is on; raises UserError for both or neither.

    For a race on labs, it is the plan of labs with disks in ``directory``: hosts as small as they are built.
    """
    if race is not None and race.target is RaceTarget.LAB:
        if file is not None:
            raise UserError(f"--race {race.name}", "tunes the plan of that lab", "leave PLAN out")
        if (state := running_lab(race.name)) is not None:
            return NamedPlan(race.place, state.plan, state.laboratory)
    if file is None:
        raise UserError("howdah tune", "needs a plan, or a search to continue", "give PLAN or --resume NAME")
    plan = read_plan(file)
    if race is None or race.per_job:
        return NamedPlan(str(file), plan)
    fitted = fit_here(plan, directory)
    laboratory = Laboratory(name="", rootless=False, isolation=(), scaling=fitted.scaling)
    return NamedPlan(str(file), fitted.plan, laboratory)


def search_request(
    file: Path | None, race: RaceRequest | None, directory: Path, **fields: Any
) -> TuningRequest:
    """What a search for a better plan is started with; ``fields`` are those of ``new_request``."""
    start = plan_to_tune(file, race, directory)
    return new_request(start.name, start.plan, race=race, laboratory=start.laboratory, **fields)


def resume_search(
    directory: Path, name: str, race: RaceRequest | None, budget_s: float | None
) -> TuningFolder:
    """The search of this name, with the race and the time for it that it is continued with."""
    folder = open_tuning(directory, name)
    change_race(folder, race, budget_s)
    return folder


def change_race(folder: TuningFolder, race: RaceRequest | None, budget_s: float | None) -> None:
    """Give a search that is continued a race, or its race more time; raises UserError for another target."""
    before = folder.request.race
    race = race or before
    if race is None:
        if budget_s is not None:
            raise UserError("--budget", "is for the race, and this search has none", "add --race labs")
        return
    if budget_s is not None:
        race = race.model_copy(update={"budget_s": possible_budget(budget_s)})
    elif before is not None:
        race = race.model_copy(update={"budget_s": before.budget_s})
    if race.per_job and before is None:
        problem = "is up, and this search varied what takes a restart of daemons"
        hint = "start another search with this --race, or give --race labs"
        raise UserError(f"--race {race.name}", problem, hint)
    if not race.per_job and before is None and not fits_here(folder.request.plan, folder.path):
        problem = "cannot have the hosts of this search: a lab here has smaller ones"
        raise UserError(f"--race {race.target}", problem, "start another search with --race labs")
    if before is not None and (before.target, before.name) != (race.target, race.name):
        raise UserError("--race", f"differs from the search's race on {before.place}", "leave it out")
    folder.change(folder.request.model_copy(update={"race": race}))


def run_race(folder: TuningFolder, tuned: Tuned, study: Study, observer: StudyObserver) -> tuple[Tuned, Path]:
    """Make the runs of a search's race that are left, store what they decide, and write their page."""
    request, tuning = folder.request.race, tuned.tuning
    assert request is not None
    directory = StudyDirectory(folder.path / FOLDER)
    if directory.begun:
        # More time is for the plans that race already.
        study = directory.study().model_copy(update={"budget": study.budget})
    requested = GivenStudy(study, write_study(study), folder.path)
    with only_race_on(request):
        _, done, paper = run_study(requested, directory.path, observer)
        before_s = tuning.learned.spent_s if tuning.learned is not None else 0.0
        result = race_result(study, done, request, tuning, spent=before_s + spent_s(directory, done))
        floors = tuple(winner_floors(directory, study, done, result.winner, DEFAULT_RUNS_DIR))
    return with_race(folder, tuning, result.model_copy(update={"floors": floors})), paper.page


def winner_floors(
    directory: StudyDirectory, study: Study, done: Sequence[StudyRun], winner: str, runs_dir: Path
) -> Iterator[RaceFloor]:
    """The last run of a race's winner next to one of its rows without a cluster in ``runs_dir``, if any."""
    number = _numbers(cells_of(study))[winner]
    own = [run.figures for run in by_age(done) if run.cell == number and run.repeat > 0]
    if succeeded := [figures for figures in own if figures.outcome is Outcome.SUCCEEDED]:
        _, analysis = analyse_run(directory.runs / succeeded[-1].run, runs_dir)
        for floor in analysis.evidence.floors:
            yield RaceFloor(**asdict(floor))


@contextmanager
def only_race_on(race: RaceRequest) -> Iterator[None]:
    """Keep other races of this machine away from the same target; raises UserError where one is at work."""
    target = race.name
    if race.target is RaceTarget.CLUSTER:
        target = ClientConf.read(Path(race.name)).default_fs
    digest = hashlib.sha256(f"{race.target} {target}".encode()).hexdigest()[:12]
    try:
        lock = FileLock(Path(tempfile.gettempdir()) / f"howdah-race-{digest}.lock", wait=False)
    except BlockingIOError as error:
        raise UserError(f"--race {race.place}", "another race runs there", "wait until it ends") from error
    with lock:
        yield


def race_result(
    study: Study, done: Sequence[StudyRun], request: RaceRequest, tuning: Tuning, *, spent: float
) -> Race:
    """What the runs of a race decide; ``spent`` is the time that it took, seconds."""
    cells = cells_of(study)
    plans = []
    for plan in raced_plans(study, done, (RULES, DEFAULTS, CONFIGURED)):
        finalist = tuning.contenders.get(plan.name)
        simulated = {"simulated": finalist.share, "breaks": finalist.breaks} if finalist else {}
        plans.append(plan.model_copy(update=simulated))
    winner = _winner(study, cells, done, tuning)
    decided = len(last_rounds(study, cells, done)) == len(cells)
    return Race(request=request, spent_s=spent, plans=tuple(plans), winner=winner, decided=decided)


def _numbers(cells: Sequence[Cell]) -> dict[str, int]:
    return {cell.levels[VARY]: cell.number for cell in cells}


def _against(study: Study, times: Times, base: int) -> Mapping[int, Judged]:
    return compared(times, base, [number for number in times if number != base], level_of(study))


def raced_plans(study: Study, done: Sequence[StudyRun], bases: Sequence[str]) -> tuple[RacedPlan, ...]:
    """Every plan of a race with its runs, and its difference from each of the ``bases``."""
    cells = cells_of(study)
    times, numbers = times_of(cells, done), _numbers(cells)
    against = {base: _against(study, times, numbers[base]) for base in bases if base in numbers}
    return tuple(
        RacedPlan(
            name=name,
            runs=len(times[number]),
            failed=sum(run.cell == number and run.repeat > 0 for run in done) - len(times[number]),
            elapsed_s=geometric_mean(times[number].values()) if times[number] else None,
            against={base: _difference(row[number]) for base, row in against.items() if number in row},
        )
        for name, number in numbers.items()
    )


def _difference(judged: Judged) -> MeasuredDifference:
    assert judged.ratio is not None
    low, high = judged.low, judged.high
    interval = (low - 1, high - 1) if low is not None and high is not None else None
    return MeasuredDifference(share=judged.ratio - 1, interval=interval, verdict=judged.verdict)


def _winner(study: Study, cells: Sequence[Cell], done: Sequence[StudyRun], tuning: Tuning) -> str:
    """The fastest candidate that keeps the rules and works, unless the rules' plan is as fast.

    A plan that failed too often does not work. If no candidate succeeded, the simulator's best of those wins
    that did not run.
    """
    times, numbers, failed = times_of(cells, done), _numbers(cells), failed_cells(done)
    kept = tuning.finalists[0].kept
    allowed = [name for name, finalist in tuning.contenders.items() if finalist.kept is kept]
    # In a short budget fewer candidates race than there are.
    names = {numbers[name]: name for name in allowed if name in numbers and numbers[name] not in failed}
    best = _fastest_of(study, cells, done, list(names))
    if best is None:
        started = {run.cell for run in done if run.repeat > 0}
        return next((name for number, name in names.items() if number not in started), RULES)
    judged = _against(study, times, numbers[RULES]).get(best)
    if judged is None or numbers[RULES] in failed:
        return names[best]
    if judged.verdict in (Verdict.SLOWER, Verdict.ALIKE) or (judged.ratio or 1) >= 1:
        return RULES
    return names[best]


def _fastest_of(
    study: Study, cells: Sequence[Cell], done: Sequence[StudyRun], numbers: Sequence[int]
) -> int | None:
    """The fastest contender if it is one of these, otherwise the closest to it; None if none succeeded."""
    first = fastest_contender(study, cells, done)
    if first is None or first in numbers:
        return first
    ratios = compared(times_of(cells, done), first, numbers, level_of(study))
    return min(ratios, key=lambda number: ratios[number].ratio or 1.0, default=None)
