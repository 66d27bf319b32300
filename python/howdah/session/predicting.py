"""What a plan will take, predicted and kept before it runs, and how right that was."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import howdah
from howdah.calibrate.forecast import forecasts
from howdah.calibrate.records import in_lab
from howdah.calibrate.scoring import score_times, why_not
from howdah.calibrate.uncertainty import distance_of
from howdah.documents.files import read_plan, write_calibration
from howdah.engines.base import sha256
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import LoadSweep, Prediction, PredictionTally, Score, Sweep, WhatIf, tally
from howdah.model.run import RunRecord
from howdah.model.run_request import RunRequest
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import OUTPUT_REPLICATION, TeraSort
from howdah.planner.host_claims import with_idle_neighbours
from howdah.planner.suite.cluster import size_planned
from howdah.report.document import Document
from howdah.report.prediction import changes, growth, predicted
from howdah.session.laboratories import state_of
from howdah.session.reporting import write_page
from howdah.simulation.calibrations import calibration_warnings, load_calibration, saturation_warnings
from howdah.simulation.hbase import asks_hbase
from howdah.simulation.replications import Done, check_replications, scenarios, simulate, stretches
from howdah.simulation.settings import policy_of
from howdah.simulation.translate import replicas_of
from howdah.simulation.what_if import (
    Repetition,
    simulate_changes,
    simulate_loads,
    simulate_sizes,
    sweeps_load,
)
from howdah.store.layout import new_run_id
from howdah.store.predictions import (
    check_name,
    keep_scores,
    list_predictions,
    load_prediction,
    read_scores,
    save_prediction,
)
from howdah.store.reader import find_run, read_record
from howdah.units import format_counted

_MAKE_ONE = "make one before a run: howdah predict plan.yaml"

_LEAST_REPLICATIONS = 3  # Fewer show nothing of how far apart they lie.


def sized(request: RunRequest, plan: ClusterPlan) -> Suite:
    """The suite as large as it is requested."""
    try:
        return size_planned(request, plan).suite
    except UserError as error:
        # Here the suite is what a flag says, not a word of the command's own.
        where = "--suite" if error.where == "SUITE" else error.where
        raise UserError(where, error.what, error.hint) from error


def predict(
    target: Path | str,
    request: RunRequest,
    *,
    calibration: str | None,
    replications: int,
    seed: int | None,
    name: str | None,
    directory: Path,
    report: Callable[[Done], None],
) -> Prediction:
    """Predict a suite on the plan in a file, or on the lab of that name as it was built; write nothing."""
    check_replications(replications, least=_LEAST_REPLICATIONS)
    laboratory = None
    if isinstance(target, Path):
        plan = read_plan(target)
    else:
        state = state_of(target)
        plan, laboratory = state.plan, state.laboratory
    suite = sized(request, plan)
    name = name or new_run_id(datetime.now(), suite.name, directory)
    check_name(directory, name)
    calibrated = _calibration(calibration)
    simulated = plan
    if laboratory is not None:
        simulated, calibrated = in_lab(plan, laboratory, calibrated, operations=asks_hbase(suite))
    seed = secrets.randbelow(2**32) if seed is None else seed
    idle = with_idle_neighbours(simulated)
    several = list(scenarios(simulated, suite, calibrated, count=replications, seed=seed))
    several += scenarios(idle, suite, calibrated, count=replications, seed=seed) if idle else ()
    summaries = simulate(several, report)
    times = [stretches(summary) for summary in summaries]
    away = distance_of(calibrated, simulated, suite)
    length = away.length if away else 0.0
    digests = {"plan": sha256(plan.model_dump_json()), "suite": sha256(suite.model_dump_json())}
    if calibrated is not None:
        digests["calibration"] = sha256(write_calibration(calibrated))
    return Prediction(
        id=name,
        created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        howdah_version=howdah.__version__,
        seed=seed,
        replications=replications,
        calibration=calibrated.name if calibrated else None,
        best_of=calibrated.best_of if calibrated else 1,
        distance=away,
        digests=digests,
        plan=plan,
        laboratory=laboratory,
        suite=suite,
        forecasts=forecasts(times[:replications], calibrated, length),
        neighbours_idle=forecasts(times[replications:], calibrated, length) if idle else (),
        warnings=(*calibration_warnings(simulated, suite, calibrated), *saturation_warnings(summaries[0])),
    )


def keep(
    prediction: Prediction, directory: Path, output: Path | None, calibration: str | None
) -> tuple[Path, Document, Path]:
    """Keep a prediction and write its page there or elsewhere; return path, document and page."""
    path = save_prediction(directory, prediction)
    document = predicted.predicted(prediction, _calibration(calibration))
    return path, document, write_page(document, output or path)


def vary(
    file: Path,
    request: RunRequest,
    *,
    changes: Sequence[str],
    sweep: str | None,
    calibration: str | None,
    replications: int,
    seed: int,
    report: Callable[[Done], None],
) -> WhatIf | Sweep | LoadSweep:
    """Simulate a planned cluster with each of ``changes`` made by itself, or over the range of ``sweep``."""
    plan = read_plan(file)
    suite = sized(request, plan)
    repetition = Repetition(_calibration(calibration), replications, seed, report)
    check_replications(replications)
    if sweep is None:
        return simulate_changes(plan, suite, request, changes, repetition)
    if sweeps_load(sweep):
        return simulate_loads(plan, suite, sweep, repetition)
    return simulate_sizes(plan, suite, request, sweep, repetition)


def replicas_text(prediction: Prediction) -> str | None:
    """How many replicas are written, or the policy of coded files; None if nothing is sorted."""
    plan, suite = prediction.plan, prediction.suite
    if not any(isinstance(workload, TeraSort) for workload in suite.workloads):
        return None
    if (policy := policy_of(plan.cluster, suite)) is not None:
        return f"sorted from and into files with {policy.name}"
    replicas = replicas_of(plan, suite)
    read = format_counted(replicas.generated, "replica")
    return f"sorted from {read} into {replicas.sorted} ({OUTPUT_REPLICATION.flag})"


class Scored(NamedTuple):
    """A run's scores, and all there are so far, these among them, oldest first."""

    prediction: Prediction
    run: str
    scores: tuple[Score, ...]
    history: tuple[Score, ...]

    @property
    def so_far(self) -> PredictionTally | None:
        """How right predictions were, this one among them."""
        return tally(self.history)


def score_run(run: str, name: str | None, *, runs_dir: Path, predictions_dir: Path) -> Scored:
    """Score a run by the prediction of that name, or by the newest that predicted it; keep the history."""
    record = read_record(find_run(runs_dir, run))
    names = sorted(path.name for path in list_predictions(predictions_dir))
    if name is None:
        prediction = _newest_fitting(predictions_dir, record)
    elif name in names:
        prediction = load_prediction(predictions_dir / name)
    else:
        hint = f"the newest are {', '.join(names[-5:])}" if names else _MAKE_ONE
        raise UserError(f"--prediction {name}", f"no such prediction in {predictions_dir}", hint)
    scores = score_times(prediction, record)
    return Scored(prediction, record.id, scores, tuple(keep_scores(predictions_dir, scores)))


def past_scores(predictions_dir: Path) -> tuple[Score, ...]:
    """Every score so far, oldest first; raises UserError where there is none."""
    history = tuple(read_scores(predictions_dir))
    if not history:
        raise UserError(str(predictions_dir), "contains no score", "give a run to score: howdah score last")
    return history


def _newest_fitting(directory: Path, record: RunRecord) -> Prediction:
    predictions = sorted(map(load_prediction, list_predictions(directory)), key=attrgetter("created"))
    if not predictions:
        raise UserError(str(directory), "contains no prediction", _MAKE_ONE)
    fitting = [prediction for prediction in predictions if why_not(prediction, record) is None]
    if not fitting:
        newest = predictions[-1]
        differs = f"the newest, {newest.id}, differs: {why_not(newest, record)}"
        hint = "predict a plan, then run the same suite on it, then score"
        raise UserError(f"run {record.id}", f"matches no prediction in {directory}; {differs}", hint)
    return fitting[-1]


def check_directory(out_dir: Path) -> None:
    """Raise UserError for what can hold no page, before simulations begin."""
    if out_dir.exists() and not out_dir.is_dir():
        raise UserError(f"--output {out_dir}", "is a file", "give a directory; it is created if needed")


def variation_page(variation: WhatIf | Sweep | LoadSweep, calibration: str | None) -> Document:
    """The page of changes, growth or loads."""
    calibrated = _calibration(calibration)
    match variation:
        case WhatIf():
            return changes.changes(variation, calibrated)
        case Sweep():
            return growth.growth(variation, calibrated)
        case LoadSweep():
            return growth.loads(variation, calibrated)


def calibration_of(prediction: Prediction, name: str | None) -> Calibration | None:
    """The calibration that a prediction rests on, if it is the one of this name and can be read."""
    with suppress(UserError):
        calibration = _calibration(name)
        if calibration is not None and calibration.name == prediction.calibration:
            return calibration
    return None


def _calibration(name: str | None) -> Calibration | None:
    return load_calibration(name) if name is not None else None
