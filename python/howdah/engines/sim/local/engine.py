"""The engine that simulates the local engine on a machine that was measured."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

import howdah
from howdah import _native
from howdah.engines.digests import job_digests
from howdah.engines.local.memory import USUAL_PROCESS_BYTES, pool_bytes
from howdah.engines.local.ready import needed_bytes, too_little_room
from howdah.engines.local.workspace import FREE_SHARE, Shortage
from howdah.engines.sim.engine import NAME
from howdah.engines.sim.local.results import attempts, bands, samples, workload_result
from howdah.engines.under_way import begun_record
from howdah.errors import UserError
from howdah.model.job import Job
from howdah.model.measured import MeasuredFigure
from howdah.model.run import Origin, Outcome, RunRecord, RunWarning
from howdah.model.simulated import Simulated
from howdah.model.sink import SampleSink
from howdah.model.storage import FileSystem
from howdah.simulation.local.outcome import LocalOutcome
from howdah.simulation.local.scenario import LocalScenario
from howdah.simulation.local.translate import Draw, median, translate_local

USUAL_REPLICATIONS = 100
"""Draws that bands are over where nobody says how many: a simulation takes milliseconds."""


def check_room(job: Job) -> None:
    """Raise UserError if a data directory had too little room when the machine was probed.

    Directories on one file system share its room; of one on an unknown file system nothing is known.
    """
    data_dirs = job.plan.workers[0].data_dirs
    mounts = {name: job.host.mount_of(Path(name)) for name in data_dirs}
    known = {name: mount for name, mount in mounts.items() if isinstance(mount, FileSystem)}
    sharing = Counter(mount.mount for mount in known.values())
    needed = needed_bytes(job, USUAL_PROCESS_BYTES)
    for name, mount in known.items():
        wanted = -(-needed // len(data_dirs)) * sharing[mount.mount]
        room = mount.free_bytes * FREE_SHARE
        if wanted > room:
            raise too_little_room(job, needed, Shortage(Path(name), mount.free_bytes, room / wanted))


class SimLocalEngine:
    """Simulates a job of the local engine; see ``howdah.engines.base.Engine``."""

    name = NAME
    version = howdah.__version__

    def __init__(self, replications: int = USUAL_REPLICATIONS) -> None:
        self._replications = replications

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Simulate the job; raise UserError before anything is written if it cannot be simulated."""
        check_room(job)
        outcome = _simulate(scenario_of(job))
        record = begun_record(
            job,
            engine=NAME,
            version=howdah.__version__,
            created=datetime.now(UTC),
            digests=job_digests(job),
            origin=Origin.SIMULATED,
        ).model_copy(update={"warnings": _warnings(job)})
        sink.update(record)
        sink.measured()
        sink.samples(samples(outcome, job))
        for workload, ran in zip(job.suite.workloads, outcome.workloads, strict=True):
            sink.tasks(attempts(workload, ran, job))
            result = workload_result(workload, ran, job.plan.workers[0].memory_bytes)
            record = record.model_copy(
                update={"workloads": (*record.workloads, result), "elapsed_s": result.end_s}
            )
            sink.update(record)
        record = record.model_copy(
            update={"outcome": Outcome.SUCCEEDED, "simulated": self._simulated(job, outcome)}
        )
        sink.update(record)
        return record

    def _simulated(self, job: Job, outcome: LocalOutcome) -> Simulated:
        """How sure it is: the same with every figure drawn from what its repeats leave possible."""
        if self._replications == 1:
            return Simulated(calibration=None)
        random = np.random.default_rng(job.seed)

        def draw(figure: MeasuredFigure) -> float:
            if figure.least == figure.most:
                return figure.value
            return float(random.triangular(figure.least, figure.value, figure.most))

        others = [_simulate(scenario_of(job, draw)) for _ in range(self._replications - 1)]
        return Simulated(
            calibration=None,
            replications=self._replications,
            bands=bands(job.suite.workloads, [outcome, *others]),
        )


def scenario_of(job: Job, draw: Draw = median) -> LocalScenario:
    """The scenario of a job in a process as large as usual; raises UserError as ``translate_local`` does."""
    return translate_local(job, pool_bytes(job, USUAL_PROCESS_BYTES), draw)


def _simulate(scenario: LocalScenario) -> LocalOutcome:
    try:
        return LocalOutcome.model_validate_json(_native.simulate_local(scenario.text))
    except _native.InputError as error:
        where, what, hint = error.args
        raise UserError(f"simulator: {where}", what, hint) from error


def _warnings(job: Job) -> tuple[RunWarning, ...]:
    """What was in doubt when the machine was measured is in doubt here."""
    missing = job.host.measured.not_measured if job.host.measured else ()
    return tuple(
        RunWarning(code="measured-in-doubt", text=f"{measured.what}: {measured.why}") for measured in missing
    )
