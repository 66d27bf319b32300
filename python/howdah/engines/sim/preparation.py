"""A run on a cluster that need not exist, made ready."""

from __future__ import annotations

import secrets
from functools import partial
from pathlib import Path
from typing import Unpack

from howdah.calibrate.uncertainty import beyond, draws, for_release
from howdah.documents.files import read_host, read_plan, write_calibration
from howdah.engines.base import Prepared, RunStart, new_job, sha256
from howdah.engines.local.work import USUAL_PROCESS_BYTES, sort_needs
from howdah.engines.sim.engine import SimEngine, SimTarget
from howdah.engines.sim.local_machine import USUAL_REPLICATIONS, SimLocalEngine, check_room, scenario_of
from howdah.engines.sim.results import simulated_interval_s
from howdah.errors import UserError
from howdah.model.engines import CALIBRATION, DATA_DIR, LOCAL, PLAN, PROBE, REPLICATIONS, SAMPLE_INTERVAL, SIM
from howdah.model.plan import ClusterPlan
from howdah.model.run import RunWarning
from howdah.model.run_request import RunRequest
from howdah.model.workloads.suite import Suite
from howdah.planner.local_plan import LocalPlanner, sample_interval_s
from howdah.planner.suite.cluster import size_planned
from howdah.planner.suite.request import plan_line, requested_programs, suite_line
from howdah.probe import probe_host
from howdah.probe.host import host_line
from howdah.simulation.calibrations import load_calibration
from howdah.simulation.replications import check_replications
from howdah.simulation.translate import translate
from howdah.units import format_counted


def _prepare_local(request: RunRequest, probe: Path, **start: Unpack[RunStart]) -> Prepared:
    """Plan the request on the probed machine; raises UserError for mistakes and what was not measured."""
    first = requested_programs(request, called=SIM)[0]
    if first.folder is None or first.reads is not None:
        hint = "give teragen, terasuite, dfsio-write or dfsio, which create their own input"
        raise UserError("SUITE", f"{request.suite} cannot be simulated alone on one machine", hint)
    if start["keep_data"]:
        raise UserError("--keep-data", "has no effect, because a simulation writes no data", "leave it out")
    for flag, value in ((PLAN.flag, request.of(PLAN)), (CALIBRATION.flag, request.of(CALIBRATION))):
        if value is not None:
            problem = "simulates a cluster, but --probe simulates one machine"
            raise UserError(flag, problem, "give only one of them")
    host = read_host(probe)
    # The current size of this process says nothing about the process of a real run.
    needs = partial(sort_needs, process_bytes=USUAL_PROCESS_BYTES)
    if not request.of(DATA_DIR) and host.measured is not None:
        # Data lies in the directories that were measured.
        measured = tuple(Path(directory.data_dir) for directory in host.measured.directories)
        request = request.with_value(DATA_DIR, measured)
    plan, suite = LocalPlanner(request.on(LOCAL), host, needs).plan()
    job = new_job(suite, plan, host, sample_interval_s=sample_interval_s(plan), **start)
    check_room(job)
    scenario_of(job)
    replications = _replications(request, USUAL_REPLICATIONS)
    return Prepared(
        job=job,
        engine=SimLocalEngine(replications),
        introduction=(
            ("host", host_line(host, [Path(path) for path in plan.workers[0].data_dirs])),
            ("plan", plan_line(plan, suite)),
            ("sim", f"every figure below is simulated, none is measured; rates and costs from {probe}"),
        ),
        kept=dict,
    )


def _replications(request: RunRequest, usual: int) -> int:
    requested = request.of(REPLICATIONS)
    replications = usual if requested is None else requested
    check_replications(replications)
    return replications


def prepare_simulation(request: RunRequest, **start: Unpack[RunStart]) -> Prepared:
    """Read plan and calibration and return the prepared job; raises UserError for mistakes."""
    probe = request.of(PROBE)
    if probe is not None:
        return _prepare_local(request, probe, **start)
    requested_programs(request, SIM)
    if start["keep_data"]:
        raise UserError("--keep-data", "has no effect, because a simulation writes no data", "leave it out")
    seed = secrets.randbelow(2**32) if start["seed"] is None else start["seed"]
    start["seed"] = seed
    file = request.of(PLAN)
    if file is None:
        hint = "howdah plan hosts.yaml makes plan.yaml; then give --plan plan.yaml"
        raise UserError("--plan", "is missing: it names the cluster to simulate", hint)
    plan = read_plan(file)
    sized = size_planned(request, plan)
    target = _target(request, plan, sized.suite, seed)
    translated = translate(plan, sized.suite, target.parameters, seed=seed)
    interval_s = request.of(SAMPLE_INTERVAL) or simulated_interval_s(translated.scenario)
    sized_plan = plan.model_copy(update={"settings": (*plan.settings, *sized.settings)})
    job = new_job(sized.suite, sized_plan, probe_host(), sample_interval_s=interval_s, **start)
    hosts = format_counted(len(translated.machines.hosts), "host")
    workers = format_counted(len(translated.machines.workers), "worker")
    grounds = "not calibrated" if target.calibration is None else f"calibrated by {target.calibration}"
    bands = f"; bands over {format_counted(target.replications, 'simulation')}"
    bands = bands if target.replications != 1 else ""
    return Prepared(
        job=job,
        engine=SimEngine(target),
        introduction=(
            ("cluster", f"{plan.cluster.inventory.cluster} · {hosts}, {plan.platform} · {workers}"),
            ("plan", suite_line(sized.suite)),
            ("sim", f"every figure below is simulated, none is measured; {grounds}{bands}"),
        ),
        kept=dict,
    )


def _target(request: RunRequest, plan: ClusterPlan, suite: Suite, seed: int) -> SimTarget:
    replications, calibrated = _replications(request, 1), request.of(CALIBRATION)
    if calibrated is None:
        return SimTarget({}, replications=replications)
    calibration = load_calibration(calibrated)
    # The accuracy of an extrapolation is unknown.
    outside = "; ".join(beyond(calibration, plan, suite))
    text = f"outside the range of the calibration {calibration.name}: {outside}"
    fitting = for_release(calibration, plan)
    return SimTarget(
        parameters=fitting.values,
        calibration=calibration.name,
        calibration_digest=sha256(write_calibration(calibration)),
        replications=replications,
        warnings=(RunWarning(code="outside-calibration", text=text),) if outside else (),
        draws=draws(fitting, replications, seed)[1:],
    )
