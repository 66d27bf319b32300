"""The tuning of a user's own job: values alone, then the race of the best, each a study that can continue."""

from __future__ import annotations

import math
import secrets
import shlex
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from howdah.documents.files import read_narrowing, write_study
from howdah.documents.tree import read_text
from howdah.engines.hadoop.reached import running_lab
from howdah.errors import RunFailed, UserError
from howdah.model.comparison import Verdict
from howdah.model.engines import SET
from howdah.model.placement import UNSET_MB
from howdah.model.plan import Setting
from howdah.model.run import Outcome
from howdah.model.study import Budget, Study, StudyRun
from howdah.model.tuning import DEFAULTS_NAME, Narrowing, RacedPlan, RaceRequest, RaceTarget
from howdah.model.user_job import CONFIGURED_NAME, JobTuning, JobTuningRequest, ValueAlone
from howdah.releases.values import heap_bytes, read_float
from howdah.render.text import xml_file
from howdah.services.conf import ClientConf
from howdah.session.racing import only_race_on, possible_budget, raced_plans
from howdah.session.studies import GivenStudy, make_runs
from howdah.session.study_paper import write_study_paper
from howdah.session.study_running import ShowStudy, StudyObserver
from howdah.store.layout import new_run_id, write_model
from howdah.store.predictions import JOB_REQUEST, check_word, search_path
from howdah.study.directory import StudyDirectory, spent_s
from howdah.study.matrix import cells_of
from howdah.study.schedule import Due, tuning_runs
from howdah.tune import job
from howdah.tune.race import VARY
from howdah.units import MIB

RESULT = "job-tuning.json"
_ALONE, _RACE = "alone", "race"
_ALL_TASKS_OPTIONS = "mapred.child.java.opts"  # What tasks without options of their own have.
_HEAP_SHARE, _USUAL_HEAP_SHARE = "mapreduce.job.heap.memory-mb.ratio", 0.8


def job_request(
    command: str, race: RaceRequest | None, space: Path | None, seed: int | None
) -> JobTuningRequest:
    """What the options of ``howdah tune --job`` ask for; raises UserError for what cannot be tuned."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UserError("--job", f"has unbalanced quotes: {error}", "quote it as for a shell") from error
    if not words:
        raise UserError("--job", "is empty", "give a command: --job 'hadoop jar app.jar Main IN OUT'")
    if race is None or not race.per_job:
        hint = "give --race LAB or --race DIR with the cluster's configuration"
        raise UserError("--job", "needs a lab or a cluster that runs: its program cannot be simulated", hint)
    narrowing = read_narrowing(space) if space is not None else Narrowing()
    if race.target is RaceTarget.CLUSTER:
        conf = ClientConf.read(Path(race.name))
    elif (state := running_lab(race.name)) is not None:
        conf = ClientConf.read(state.client_conf)
    else:
        raise UserError(f"--race {race.name}", "is not up", "build it: howdah lab up plan.yaml")

    def current(key: str) -> str:
        text = conf.get(key) or ""
        if key in job.HEAP_OPTIONS.values():
            return text or conf.get(_ALL_TASKS_OPTIONS) or ""
        if key in job.HEAP_OPTIONS and text in ("", "-1"):
            # Hadoop derives it from the heap, if that is set (MAPREDUCE-5785).
            heap = heap_bytes(current(job.HEAP_OPTIONS[key]))
            share = read_float(conf.get(_HEAP_SHARE) or "") or _USUAL_HEAP_SHARE
            return str(UNSET_MB if heap is None else math.ceil(heap / MIB / share))
        return text

    varied, fixed = job.job_space(words, current, narrowing, str(space or ""))
    seed = secrets.randbelow(2**32) if seed is None else seed
    heaps = job.configured_heaps(current)
    defaults = job.default_properties(words, varied)
    return JobTuningRequest(
        command=words, race=race, space=varied, fixed=fixed, seed=seed, heaps=heaps, defaults=defaults
    )


def start_job(request: JobTuningRequest, directory: Path, name: str | None) -> Path:
    """Make the directory of a new search; raises UserError if the name is taken or nothing can be stored."""
    if name is not None:
        check_word(name, "a search")
    path = directory / (name or new_run_id(datetime.now(), "job", directory))
    try:
        path.mkdir(parents=True)
        write_model(path / JOB_REQUEST, request)
    except FileExistsError as error:
        hint = "give another --name, or continue it: --resume"
        raise UserError(str(path), "already exists", hint) from error
    except OSError as error:
        hint = "give a writable --tune-dir"
        raise UserError(str(directory), f"cannot store a search ({error.strerror})", hint) from error
    return path


def find_job(directory: Path, name: str) -> Path | None:
    """The directory of the search of this name, ``last`` for the newest; None if it is not that of a job."""
    path = search_path(directory, name)
    return path if (path / JOB_REQUEST).is_file() else None


def tune_job(
    path: Path, show: ShowStudy, budget_s: float | None = None
) -> tuple[JobTuning, tuple[Path, ...]]:
    """Make the runs left, or those of more time, store the result, and return it with the pages of runs."""
    file, result = path / JOB_REQUEST, path / RESULT
    try:
        request = JobTuningRequest.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise UserError(str(file), "is not the request of a search", "start a new search") from error
    if budget_s is None and result.exists():
        try:
            tuning = JobTuning.model_validate_json(result.read_bytes())
        except ValidationError as error:
            raise UserError(str(result), "is not the result of a search", "remove the file") from error
        papers = (path / folder / "paper" / "study.html" for folder in (_ALONE, _RACE))
        return tuning, tuple(paper for paper in papers if paper.exists())
    if budget_s is not None:
        race = request.race.model_copy(update={"budget_s": possible_budget(budget_s)})
        request = request.model_copy(update={"race": race})
    with only_race_on(request.race):
        if budget_s is not None:
            # Killed from here on, the search continues with this time, and an earlier result is none.
            write_model(file, request)
            result.unlink(missing_ok=True)
        first = _run_alone(request, path, show)
        measured = raced_plans(first.study, first.done, (CONFIGURED_NAME,))
        if not any(plan.runs for plan in measured if plan.name == CONFIGURED_NAME):
            hint = f"give it more time: howdah tune --resume {path.name} --budget TIME"
            raise RunFailed("--budget", "ended before the job had run as it is configured", hint)
        alone = _values(request, measured)
        study = _race_study(request, path, alone, first.spent_s)
        second = _made(path, _RACE, study, show) if study is not None else None
    plans = raced_plans(second.study, second.done, (CONFIGURED_NAME, DEFAULTS_NAME)) if second else ()
    differences = ((plan, plan.against.get(CONFIGURED_NAME)) for plan in plans if plan.name != DEFAULTS_NAME)
    # Plans that left the race early ran at other times: their differences are of the rounds that both ran.
    faster = [
        (change.share, plan)
        for plan, change in differences
        if change and change.verdict is Verdict.FASTER and not plan.failed
    ]
    best = min(faster, key=itemgetter(0))[1] if faster else None
    tuning = JobTuning(
        id=path.name,
        request=request,
        alone=alone,
        plans=plans,
        values=_properties(second.study, best.name) if second and best else {},
        winner=best.name if best else CONFIGURED_NAME,
        spent_s=first.spent_s + (second.spent_s if second else 0.0),
        decided=second is None or any(plan.against for plan in plans),
    )
    write_model(result, tuning)
    return tuning, tuple(made.paper for made in (first, second) if made is not None)


class _OfWorkingJob:
    """Passes everything on to an observer, but ends the runs if the job fails as it is configured.

    Its first repeat that succeeds shows that the job ``works``, and can run again.
    """

    def __init__(self, observer: StudyObserver, *, works: bool) -> None:
        self.begins = observer.begins
        self.report = observer.report
        self.progress = observer.progress
        self._observer = observer
        self._works = works

    def ended(self, due: Due, run: StudyRun) -> None:
        self._observer.ended(due, run)
        if self._works or due.cell.levels[VARY] != CONFIGURED_NAME:
            return
        if run.figures.outcome is Outcome.FAILED:
            problem = f"fails as it is configured: {run.figures.error}"
            hint = "give a command that can run many times: a script can remove its output first"
            raise RunFailed("--job", problem, hint)
        self._works = due.repeat > 0


class _Made(NamedTuple):
    study: Study
    done: tuple[StudyRun, ...]
    paper: Path
    spent_s: float


def _run_alone(request: JobTuningRequest, path: Path, show: ShowStudy) -> _Made:
    """Make the runs of each value alone, as long as no candidates race: further runs could lead to others."""
    study, directory = job.alone_study(request, path.name), StudyDirectory(path / _ALONE)
    if StudyDirectory(path / _RACE).begun:
        with directory.locked():
            study = directory.study()
            return _with_paper(directory, study, tuning_runs(study, cells_of(study), directory.done()))
    return _made(path, _ALONE, study, show)


def _race_study(
    request: JobTuningRequest, path: Path, alone: Sequence[ValueAlone], spent_s: float
) -> Study | None:
    """The race that has begun, in the time that is left, or that of the best values; None if none helped."""
    race = StudyDirectory(path / _RACE)
    if race.begun:
        budget = Budget(hours=job.remaining_s(request, spent_s) / 3600)
        return race.study().model_copy(update={"budget": budget})
    candidates = job.racing(request, alone)
    return job.race_study(request, path.name, candidates, spent_s) if candidates else None


def _made(path: Path, folder: str, study: Study, show: ShowStudy) -> _Made:
    """Make the runs of a study that are left; a stored one gets the budget of ``study``."""
    directory = StudyDirectory(path / folder)
    with directory.locked():
        if directory.begun:
            study = directory.study().model_copy(update={"budget": study.budget})
        # Candidates race only if the job has run as it is configured.
        works = folder == _RACE or _works(study, directory)
        with show() as observer:
            requested = GivenStudy(study, write_study(study), path)
            done = make_runs(requested, directory, _OfWorkingJob(observer, works=works), tunes=True)
        return _with_paper(directory, study, done)


def _works(study: Study, directory: StudyDirectory) -> bool:
    """Whether a repeat of the job as configured succeeded; if none did, runs that failed are removed.

    They failed for what made the job fail, and are made again.
    """
    cells = cells_of(study)
    configured = next(cell.number for cell in cells if cell.levels[VARY] == CONFIGURED_NAME)
    done = tuning_runs(study, cells, directory.done())
    ended_well = [run for run in done if run.figures.outcome is Outcome.SUCCEEDED]
    if any(run.cell == configured and run.repeat > 0 for run in ended_well):
        return True
    directory.remove(run for run in done if run.figures.outcome is Outcome.FAILED)
    return False


def _with_paper(directory: StudyDirectory, study: Study, done: Sequence[StudyRun]) -> _Made:
    return _Made(study, tuple(done), write_study_paper(directory).page, spent_s(directory, done))


def _properties(study: Study, name: str) -> dict[str, str]:
    """The properties of a candidate, as it raced."""
    (factor,) = study.factors
    level = next(level for level in factor.levels if level.label == name)
    properties = level.of(SET)
    return dict(properties or ())


def _values(request: JobTuningRequest, plans: Sequence[RacedPlan]) -> tuple[ValueAlone, ...]:
    by_name = {plan.name: plan for plan in plans}
    values: list[ValueAlone] = []
    for label, alone in job.values_alone(request).items():
        if (plan := by_name.get(label)) is not None:
            change, runs = plan.against.get(CONFIGURED_NAME), {"runs": plan.runs, "failed": plan.failed}
            share = change.share if change else None
            values += (ValueAlone(name=name, value=text, share=share, **runs) for name, text in alone.items())
    return tuple(values)


_SOURCE = "howdah tune"  # In the first lines of every file of tuned properties.
_FIRST_LINES = 3


def check_properties(path: Path) -> None:
    """Raise UserError for a file that is none of tuned properties."""
    lines = read_text(path, "give another file").splitlines()[:_FIRST_LINES]
    if not any(_SOURCE in line for line in lines):
        raise UserError(str(path), f"does not begin with the words {_SOURCE}", "give another file")


def properties_text(tuning: JobTuning) -> str:
    """The tuned properties as a file: for ``-conf`` of Hadoop, or ``--properties-file`` of Spark."""
    source, reason = f"{_SOURCE} {tuning.id}", "measured in a race of real runs"
    pairs = tuning.values.items()
    if job.starts_spark(tuning.request.command):
        return "\n".join((f"# {source}", *(f"{key} {value}" for key, value in pairs), ""))
    settings = [Setting(key=key, value=value, reason=reason, source=source) for key, value in pairs]
    return xml_file(f"Tuned properties of a job, {source}", settings)
