"""What a plan will take, predicted and kept before it runs."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import howdah
from howdah.calibrate.forecast import forecasts
from howdah.calibrate.records import as_built
from howdah.calibrate.uncertainty import distance_of
from howdah.documents.files import read_plan, write_calibration
from howdah.engines.base import sha256
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import LoadSweep, Prediction, Sweep, WhatIf
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import OUTPUT_REPLICATION, TeraSort
from howdah.planner.host_claims import with_idle_neighbours
from howdah.planner.suite.cluster import size_planned
from howdah.planner.suite.request import RunRequest
from howdah.session.lab.laboratories import state_of
from howdah.simulation.calibrations import calibration_warnings, load_calibration, saturation_warnings
from howdah.simulation.loads import simulate_loads, sweeps_load
from howdah.simulation.replications import Done, check_replications, scenarios, simulate, stretches
from howdah.simulation.settings import policy_of
from howdah.simulation.translate import replicas_of
from howdah.simulation.what_if import simulate_changes, simulate_sizes
from howdah.store.layout import new_run_id
from howdah.store.predictions import check_name, save_prediction
from howdah.units import format_counted

__all__ = ["save_prediction"]

_LEAST_REPLICATIONS = 3
"""Fewer say nothing of how far apart they lie."""


def planned_work(file: Path, request: RunRequest) -> tuple[ClusterPlan, Suite]:
    """The plan in a file, and the suite as large as it is asked for; raises UserError."""
    plan = read_plan(file)
    return plan, _sized(request, plan)


def _sized(request: RunRequest, plan: ClusterPlan) -> Suite:
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
    """Predict a suite on the plan in a file, or on the lab of that name as it was built; write nothing.

    Raises UserError for what cannot be predicted.
    """
    check_replications(replications, least=_LEAST_REPLICATIONS)
    laboratory = None
    if isinstance(target, Path):
        plan, suite = planned_work(target, request)
    else:
        state = state_of(target)
        plan, laboratory = state.plan, state.laboratory
        suite = _sized(request, plan)
    name = name or new_run_id(datetime.now(), suite.name, directory)
    check_name(directory, name)
    calibrated = load_calibration(calibration) if calibration is not None else None
    simulated = plan
    if laboratory is not None:
        simulated = as_built(plan, laboratory)
        calibrated = calibrated and _without_core_speed(calibrated)
    seed = secrets.randbelow(2**32) if seed is None else seed
    idle = with_idle_neighbours(simulated)
    several = [
        scenario
        for simulation in (simulated, *([idle] if idle else []))
        for scenario in scenarios(simulation, suite, calibrated, count=replications, seed=seed)
    ]
    summaries = simulate(several, report)
    times = [stretches(summary) for summary in summaries]
    away = distance_of(calibrated, simulated, suite)
    length = away.length if away else 0.0
    return Prediction(
        id=name,
        created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        howdah_version=howdah.__version__,
        seed=seed,
        replications=replications,
        calibration=calibrated.name if calibrated else None,
        best_of=calibrated.best_of if calibrated else 1,
        distance=away,
        digests=_digests(plan, suite, calibrated),
        plan=plan,
        laboratory=laboratory,
        suite=suite,
        forecasts=forecasts(times[:replications], calibrated, length),
        neighbours_idle=forecasts(times[replications:], calibrated, length) if idle else (),
        warnings=(*calibration_warnings(simulated, suite, calibrated), *saturation_warnings(summaries[0])),
    )


def _without_core_speed(calibration: Calibration) -> Calibration:
    """The calibration without the speed of a core, which the lab's own limits give."""
    parameters = tuple(parameter for parameter in calibration.parameters if parameter.name != "core_speed")
    return calibration.model_copy(update={"parameters": parameters})


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
    """Simulate the cluster that is planned in a file with one thing changed at a time.

    Each of ``changes`` is made by itself; ``sweep`` is a range of hosts, data or requests instead. Raises
    UserError for what cannot be planned or simulated.
    """
    plan, suite = planned_work(file, request)
    calibrated = load_calibration(calibration) if calibration is not None else None
    settings: dict[str, Any] = {
        "known": calibrated,
        "replications": replications,
        "seed": seed,
        "tell": report,
    }
    if sweep is None:
        return simulate_changes(plan, suite, request, changes, **settings)
    if sweeps_load(sweep):
        return simulate_loads(plan, suite, sweep, **settings)
    return simulate_sizes(plan, suite, request, sweep, **settings)


def replicas_text(prediction: Prediction) -> str | None:
    """How many replicas are written, which no plan decides of TeraSort; None if nothing is sorted.

    Of coded files it names the policy instead.
    """
    cluster, suite = prediction.plan.cluster, prediction.suite
    if not any(isinstance(workload, TeraSort) for workload in suite.workloads):
        return None
    if (policy := policy_of(cluster, suite)) is not None:
        return f"sorted from and into files with {policy.name}"
    replicas = replicas_of(prediction.plan, cluster, suite)
    read = format_counted(replicas.generated, "replica")
    return f"sorted from {read} into {replicas.sorted} ({OUTPUT_REPLICATION.flag})"


def _digests(plan: ClusterPlan, suite: Suite, calibration: Calibration | None) -> dict[str, str]:
    digests = {"plan": sha256(plan.model_dump_json()), "suite": sha256(suite.model_dump_json())}
    return (
        digests if calibration is None else digests | {"calibration": sha256(write_calibration(calibration))}
    )
