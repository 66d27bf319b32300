"""The first round of a race: runs that calibrate the simulator, with which the search then continues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple

from howdah.calibrate.calibrate import calibrate
from howdah.calibrate.case import Case
from howdah.calibrate.records import lab_values
from howdah.documents.files import read_calibration, write_calibration, write_study
from howdah.files import replacing
from howdah.model.calibration import BYTE_CPU, COMPILER, DISKS, Calibration
from howdah.model.run import Outcome, RunRecord
from howdah.model.tuning import Learned, LearnedTime, LearnedValue, RaceTarget, Tuning
from howdah.session.racing import only_race_on
from howdah.session.studies import GivenStudy, make_runs
from howdah.session.study_running import ShowStudy
from howdah.session.tuning import TuningWork, planned_race, search
from howdah.simulation.calibrations import default_values
from howdah.simulation.published_studies import simulate_typical
from howdah.store.predictions import TuningFolder, new_tuning, open_tuning
from howdah.study.directory import StudyDirectory, spent_s
from howdah.study.matrix import cells_of
from howdah.tune.candidates import TuneProgress
from howdah.tune.race import VARY, cases, first_round, free_numbers

CALIBRATION = "calibration.yaml"
_FOLDER, _AGAIN = "first-round", "again"
_EVEN_WORKERS = 128  # Workers that are simulated for a case: enough for a fit of a few parameters.
_LEAST_RUNS = 2

ShowSearch = Callable[[], AbstractContextManager[Callable[[TuneProgress], None]]]


class _FirstRound(NamedTuple):
    records: Mapping[str, RunRecord]
    cases: tuple[Case, ...]
    spent_s: float


def learns(folder: TuningFolder, tuning: Tuning) -> bool:
    """Whether a search has a first round before its race: only runs on what is tuned calibrate it."""
    race = folder.request.race
    return race is not None and race.per_job and tuning.learned is None and tuning.race is None


def learn(folder: TuningFolder, tuning: Tuning, show: ShowStudy, show_search: ShowSearch) -> Tuning:
    """Make the first round's runs, calibrate with them, search again, and store the result."""
    work = TuningWork(folder.request)
    made = _made(folder, tuning, work, show)
    if len(made.cases) < _LEAST_RUNS:
        learned = Learned(times=(), values=(), spent_s=made.spent_s, first=tuning.contenders)
        tuning = tuning.model_copy(update={"learned": learned})
    else:
        with show_search() as progress:
            tuning = _continued(folder, tuning, work, made, progress)
    folder.finish(tuning, {})
    return tuning


def _continued(
    folder: TuningFolder,
    tuning: Tuning,
    work: TuningWork,
    made: _FirstRound,
    progress: Callable[[TuneProgress], None],
) -> Tuning:
    progress(TuneProgress("calibrating", 0, 1, None))
    calibration = _calibration(folder, work, made)
    levels = {name: finalist.values for name, finalist in tuning.contenders.items()}
    learned = _learned(work, made, tuning, calibration)
    fastest = min(made.records, key=lambda name: made.records[name].elapsed_s)
    again = folder.request.model_copy(update={"calibration": calibration, "begin": levels.get(fastest, {})})
    exists = (folder.path / _AGAIN).is_dir()
    with open_tuning(folder.path, _AGAIN) if exists else new_tuning(folder.path, _AGAIN, again) as further:
        second = search(further, progress).tuning
    names = ("trials", "refused", "elapsed_s")
    sums = {name: getattr(tuning, name) + getattr(second, name) for name in names}
    return second.model_copy(update={"id": tuning.id, "learned": learned} | sums)


def learned_calibration(folder: TuningFolder) -> Calibration | None:
    """What a search rests on: the calibration from its first round, or the one that it was started with."""
    path = folder.path / CALIBRATION
    return read_calibration(path) if path.exists() else folder.request.calibration


def _made(folder: TuningFolder, tuning: Tuning, work: TuningWork, show: ShowStudy) -> _FirstRound:
    race = folder.request.race
    assert race is not None
    planned = first_round(planned_race(work, tuning), race.budget_s)
    directory = StudyDirectory(folder.path / _FOLDER)
    calibrated = _calibrated_cases(folder)
    with only_race_on(race), directory.locked():
        # A search that is continued may have another budget.
        begun = directory.study() if directory.begun else planned
        study = begun.model_copy(update={"budget": planned.budget})
        if calibrated is not None:
            done = directory.done()
        else:
            requested = GivenStudy(study, write_study(study), folder.path)
            with show() as observer:
                done = make_runs(requested, directory, observer, tunes=True)
        names = {cell.number: cell.levels[VARY] for cell in cells_of(study)}
        ended = ((names[run.cell], record) for run, record in directory.ended() if run.repeat > 0)
        records = {name: record for name, record in ended if record.outcome is Outcome.SUCCEEDED}
    (factor,) = study.factors
    levels = {name: finalist.values for name, finalist in tuning.contenders.items()}
    runs = tuple(
        case
        for case in cases(factor.all_levels(), records, levels, work.candidates)
        if calibrated is None or case.name in calibrated
    )
    return _FirstRound(records, runs, spent_s(directory, done))


def _calibrated_cases(folder: TuningFolder) -> frozenset[str] | None:
    """The cases that the first round's calibration has; None before it, when more runs can be made."""
    path = folder.path / CALIBRATION
    return frozenset(cell.case for cell in read_calibration(path).cells) if path.exists() else None


def _calibration(folder: TuningFolder, work: TuningWork, made: _FirstRound) -> Calibration:
    """The calibration from the runs, stored with the search; what they do not determine stays as before."""
    path = folder.path / CALIBRATION
    if path.exists():
        return read_calibration(path)
    request = folder.request
    before = work.candidates.calibration
    on_lab = request.race is not None and request.race.target is RaceTarget.LAB
    free = free_numbers(before, on_lab=on_lab)
    fitted_names = {number.name for number in free}
    kept = [value for value in (before.parameters if before else ()) if value.name not in fitted_names]
    fixed = {value.name: value.value for value in kept if "/" not in value.name}
    fitted = calibrate(
        f"the first round of {folder.path.name}",
        made.cases,
        free,
        lambda case, values, seed: simulate_typical(case, {**fixed, **values}, seed, even=_EVEN_WORKERS),
        seed=request.seed % 2**31,
    )
    of_lab = lab_values(list(made.records.values())) if on_lab else ()
    for at, value in enumerate(kept):
        if value.origin == "fitted":
            kept[at] = value.model_copy(update={"origin": "given"})
    whole = fitted.model_copy(update={"parameters": (*fitted.parameters, *kept, *of_lab)})
    with replacing(path) as file:
        file.write(write_calibration(whole).encode())
    return whole


def _learned(work: TuningWork, made: _FirstRound, tuning: Tuning, calibration: Calibration) -> Learned:
    before = work.candidates.calibration
    earlier = before.values if before else {}
    after = {cell.case + cell.quantity: cell.simulated for cell in calibration.cells}
    times = []
    for run in made.cases:
        predicted = simulate_typical(run.work, earlier, work.request.seed % 2**31, even=_EVEN_WORKERS)
        for workload, measured_s in run.known.items():
            if "/" not in workload:
                seconds = {"measured_s": measured_s, "before_s": predicted[workload]}
                seconds["after_s"] = after[run.name + workload]
                times.append(LearnedTime(plan=run.name, workload=workload, **seconds))
    factors = (*COMPILER, DISKS)
    usual = {factor.name: factor.default for factor in factors} | default_values() | earlier
    values = []
    for fitted in (value for value in calibration.parameters if value.origin == "fitted"):
        name, interval = fitted.name, (fitted.low, fitted.high)
        earlier_value = usual.get(name, 1.0 if name == BYTE_CPU else 0.0)
        values.append(LearnedValue(name=name, before=earlier_value, value=fitted.value, interval=interval))
    first, spent_s = tuning.contenders, made.spent_s
    return Learned(times=tuple(times), values=tuple(values), spent_s=spent_s, first=first)
