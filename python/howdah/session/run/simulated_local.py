"""A run of the local engine on a machine that was measured, made ready to be simulated."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from howdah.documents.files import read_host
from howdah.engines.local.memory import USUAL_PROCESS_BYTES, sort_needs
from howdah.engines.sim.local.engine import USUAL_REPLICATIONS, SimLocalEngine, check_room, scenario_of
from howdah.errors import UserError
from howdah.model.engine_names import LOCAL, SIM
from howdah.model.engine_options import CALIBRATION, DATA_DIR, PLAN, PROBE, REPLICATIONS
from howdah.model.host import Host
from howdah.planner.local.plan import LocalPlanner, sample_interval_s
from howdah.planner.suite.request import RunRequest, plan_line, requested_programs
from howdah.probe.host import host_line
from howdah.session.run.prepared import Prepared, new_job
from howdah.simulation.replications import check_replications


def prepare_simulated_local(
    request: RunRequest,
    *,
    runs_dir: Path,
    command: Sequence[str],
    seed: int | None = None,
    keep_data: bool = False,
) -> Prepared:
    """Plan the request on the probed machine as the local engine would, and make a job of it.

    Nothing is written. Raises UserError for what the request gets wrong, and for a machine or a directory
    that was not measured.
    """
    _check_suite(request)
    if keep_data:
        raise UserError("--keep-data", "has no effect, because a simulation writes no data", "leave it out")
    probe = _probe(request)
    host = read_host(probe)
    # What this process has grown to is nothing to a run that another would make.
    needs = partial(sort_needs, process_bytes=USUAL_PROCESS_BYTES)
    plan, suite = LocalPlanner(_where_measured(request, host).on(LOCAL), host, needs).plan()
    job = new_job(
        suite,
        plan,
        host,
        runs_dir=runs_dir,
        command=command,
        seed=seed,
        keep_data=False,
        sample_interval_s=sample_interval_s(plan),
    )
    check_room(job)
    scenario_of(job)
    return Prepared(
        job=job,
        engine=SimLocalEngine(_replications(request)),
        introduction=(
            ("host", host_line(host, [Path(path) for path in plan.workers[0].data_dirs])),
            ("plan", plan_line(plan, suite)),
            ("sim", f"every figure below is simulated, none is measured; rates and costs from {probe}"),
        ),
        kept=dict,
    )


def _probe(request: RunRequest) -> Path:
    """The probe's file, beside which nothing else says what to simulate."""
    for flag, value in ((PLAN.flag, request.of(PLAN)), (CALIBRATION.flag, request.of(CALIBRATION))):
        if value is not None:
            raise UserError(
                flag, "simulates a cluster, but --probe simulates one machine", "give only one of them"
            )
    probe = request.of(PROBE)
    if probe is None:
        raise UserError("--probe", "is missing", "give a file that `howdah probe --measure -o FILE` wrote")
    return probe


def _replications(request: RunRequest) -> int:
    asked = request.of(REPLICATIONS)
    replications = USUAL_REPLICATIONS if asked is None else asked
    check_replications(replications)
    return replications


def _check_suite(request: RunRequest) -> None:
    """Data that an earlier run left is not there to be read."""
    first = requested_programs(request, called=SIM)[0]
    if first.folder is None or first.reads is not None:
        raise UserError(
            "SUITE",
            f"{request.suite} cannot be simulated alone on one machine",
            "give teragen, terasuite, dfsio-write or dfsio, which create their own input",
        )


def _where_measured(request: RunRequest, host: Host) -> RunRequest:
    """Data lies in the directories that were measured where none is given."""
    given = request.of(DATA_DIR)
    if given or host.measured is None:
        return request
    measured = tuple(Path(directory.data_dir) for directory in host.measured.directories)
    return request.with_value(DATA_DIR, measured)
