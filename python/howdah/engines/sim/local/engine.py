"""The engine that simulates the local engine on a machine that was measured."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

import howdah
from howdah import _native
from howdah.engines.begun import begun_record
from howdah.engines.digests import job_digests
from howdah.engines.sim.engine import NAME
from howdah.engines.sim.local.outcome import LocalOutcome
from howdah.engines.sim.local.results import attempts, bands, samples, workload_result
from howdah.engines.sim.local.room import check_room
from howdah.engines.sim.local.scenario import LocalScenario
from howdah.engines.sim.local.translate import translate_local
from howdah.errors import UserError
from howdah.model.job import Job
from howdah.model.measured import Figure
from howdah.model.run import Origin, Outcome, RunRecord, RunWarning
from howdah.model.simulated import Simulated
from howdah.model.sink import SampleSink

REPLICATIONS = 100
"""Draws that bands are over where nobody says how many: a simulation takes milliseconds."""


class SimLocalEngine:
    """Simulates a job of the local engine; see ``howdah.engines.base.Engine``."""

    name = NAME
    version = howdah.__version__

    def __init__(self, replications: int = REPLICATIONS) -> None:
        self._replications = replications

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Simulate the job; raise UserError before anything is written if it cannot be simulated."""
        check_room(job)
        outcome = _simulate(translate_local(job))
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

        def draw(figure: Figure) -> float:
            if figure.least == figure.most:
                return figure.value
            return float(random.triangular(figure.least, figure.value, figure.most))

        others = [_simulate(translate_local(job, draw)) for _ in range(self._replications - 1)]
        return Simulated(
            calibration=None,
            replications=self._replications,
            bands=bands(job.suite.workloads, [outcome, *others]),
        )


def _simulate(scenario: LocalScenario) -> LocalOutcome:
    try:
        return LocalOutcome.model_validate_json(_native.simulate_local(scenario.text))
    except _native.InputError as error:
        where, what, hint = error.args
        raise UserError(f"simulator: {where}", what, hint) from error


def _warnings(job: Job) -> tuple[RunWarning, ...]:
    """What was in doubt when the machine was measured is in doubt here."""
    missing = job.host.measured.not_measured if job.host.measured else ()
    return tuple(RunWarning(code="measured-in-doubt", text=f"{one.what}: {one.why}") for one in missing)
