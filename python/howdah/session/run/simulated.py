"""A run on a cluster that need not exist, made ready."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from howdah.calibrate.draws import draws
from howdah.calibrate.extents import beyond
from howdah.documents.files import read_plan, write_calibration
from howdah.engines.digests import sha256
from howdah.engines.sim.engine import SimEngine, SimTarget
from howdah.engines.sim.results import sample_interval_s
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.engine_names import SIM
from howdah.model.engine_options import CALIBRATION, PLAN, PROBE, REPLICATIONS, SAMPLE_INTERVAL
from howdah.model.plan import Plan
from howdah.model.run import RunWarning
from howdah.model.workloads.suite import Suite
from howdah.planner.suite.cluster import size_planned
from howdah.planner.suite.request import RunRequest, requested_programs, suite_line
from howdah.probe import probe_host
from howdah.session.run.prepared import Prepared, new_job
from howdah.session.run.simulated_local import prepare_simulated_local
from howdah.simulation.calibrations import load_calibration
from howdah.simulation.replications import check_replications
from howdah.simulation.translate import Translated, translate
from howdah.units import format_counted


def prepare_simulation(
    request: RunRequest,
    *,
    runs_dir: Path,
    command: Sequence[str],
    seed: int | None = None,
    keep_data: bool = False,
) -> Prepared:
    """Read the plan and the calibration, size the suite and make a job of it; nothing is written.

    Raises UserError for whatever the request gets wrong, and for a plan that could not run it.
    """
    if request.of(PROBE) is not None:
        return prepare_simulated_local(
            request, runs_dir=runs_dir, command=command, seed=seed, keep_data=keep_data
        )
    requested_programs(request, SIM)
    if keep_data:
        raise UserError("--keep-data", "has no effect, because a simulation writes no data", "leave it out")
    seed = secrets.randbelow(2**32) if seed is None else seed
    plan = _plan(request.of(PLAN))
    sized = size_planned(request, plan)
    target = _target(request, plan, sized.suite, seed)
    translated = translate(plan, sized.suite, target.parameters, seed=seed)
    job = new_job(
        sized.suite,
        plan.model_copy(update={"settings": (*plan.settings, *sized.settings)}),
        probe_host(),
        runs_dir=runs_dir,
        command=command,
        seed=seed,
        keep_data=False,
        sample_interval_s=request.of(SAMPLE_INTERVAL) or sample_interval_s(translated.scenario),
    )
    return Prepared(
        job=job,
        engine=SimEngine(target),
        introduction=(
            ("cluster", _cluster_line(plan, translated)),
            ("plan", suite_line(sized.suite)),
            ("sim", _simulation_line(target)),
        ),
        kept=dict,
    )


def _plan(file: Path | None) -> Plan:
    if file is None:
        raise UserError(
            "--plan",
            "is missing: it names the cluster to simulate",
            "howdah plan hosts.yaml makes plan.yaml; then give --plan plan.yaml",
        )
    plan = read_plan(file)
    if plan.cluster is None:
        raise UserError(
            f"--plan {file}",
            "is a plan of one machine, not of a cluster",
            "howdah plan hosts.yaml makes one of a cluster",
        )
    return plan


def _target(request: RunRequest, plan: Plan, suite: Suite, seed: int) -> SimTarget:
    asked, calibrated = request.of(REPLICATIONS), request.of(CALIBRATION)
    replications = 1 if asked is None else asked
    check_replications(replications)
    if calibrated is None:
        return SimTarget({}, replications=replications)
    calibration = load_calibration(calibrated)
    return SimTarget(
        parameters=calibration.values,
        calibration=calibration.name,
        calibration_digest=sha256(write_calibration(calibration)),
        replications=replications,
        warnings=tuple(_outside(calibration, plan, suite)),
        draws=draws(calibration, replications, seed)[1:],
    )


def _outside(calibration: Calibration, plan: Plan, suite: Suite) -> Iterator[RunWarning]:
    """An extrapolation is told, for nothing shows how right it is."""
    outside = beyond(calibration, plan, suite)
    if outside:
        text = f"outside the range of the calibration {calibration.name}: {'; '.join(outside)}"
        yield RunWarning(code="outside-calibration", text=text)


def _cluster_line(plan: Plan, translated: Translated) -> str:
    machines = translated.machines
    name = plan.cluster.inventory.cluster if plan.cluster else ""
    return (
        f"{name} · {format_counted(len(machines.hosts), 'host')}, {plan.platform} · "
        f"{format_counted(len(machines.workers), 'worker')}"
    )


def _simulation_line(target: SimTarget) -> str:
    grounds = (
        "every figure below is simulated, none is measured; not calibrated"
        if target.calibration is None
        else f"every figure below is simulated, none is measured; calibrated by {target.calibration}"
    )
    if target.replications == 1:
        return grounds
    return f"{grounds}; bands over {format_counted(target.replications, 'simulation')}"
