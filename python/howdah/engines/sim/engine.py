"""The engine that simulates: a planned cluster's run, computed in seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import howdah
from howdah import _native
from howdah.engines.digests import job_digests
from howdah.engines.sim.results import asked_result, bands_of, detail_of, histograms, workload_result
from howdah.engines.sim.tables import columns_of, file_rates, sample_tables, task_tables
from howdah.engines.under_way import RunUnderWay, begun_record
from howdah.model.cluster import ClusterState
from howdah.model.job import Job
from howdah.model.plan import ClusterPlan, cluster_plan
from howdah.model.run import Origin, Outcome, RunRecord, RunWarning
from howdah.model.simulated import Simulated
from howdah.model.sink import Progress, SampleSink
from howdah.model.value import planned_text
from howdah.simulation.calibrations import saturation_warnings, within_range
from howdah.simulation.outcome import Summary
from howdah.simulation.replications import Done, Simulations
from howdah.simulation.room import capacity_bytes
from howdah.simulation.scenario import Scenario
from howdah.simulation.translate import Translated, translate

NAME = "sim"
OF_THE_OCCASION = frozenset({"id", "created", "pid", "command", "host"})
"""When, where and how a record was made; in all other fields the same input gives the same bytes."""
_SEEDS = 2**32
_PARTS = 1000
"""What a simulation's progress is counted in."""
_UNCALIBRATED = RunWarning(
    code="uncalibrated",
    text="the simulator uses default parameters, not fitted to measurements, so times may be far off;  "
    "`howdah calibrate` fits them to runs or to published tables",
)


def planned_state(plan: ClusterPlan, translated: Translated) -> ClusterState:
    """The cluster as it is before anything runs on it."""
    request, capacity = plan.cluster.request, capacity_bytes(translated.scenario.hosts)
    return ClusterState(
        hadoop_version=request.hadoop,
        client_version=request.hadoop,
        default_fs=planned_text(plan, "fs.defaultFS"),
        work_dir="/",
        secure=request.secure,
        free_bytes=capacity,
        capacity_bytes=capacity,
        datanodes=translated.machines.workers,
        nodemanagers=translated.machines.workers,
        queue="default",
    )


class SimTarget(NamedTuple):
    """The simulator's parameters, where they come from, and how often it is asked."""

    parameters: Mapping[str, float]
    """What is known of them; the others have their defaults."""
    calibration: str | None = None
    """The calibration's name; None where nothing was calibrated."""
    calibration_digest: str | None = None
    """SHA-256 of its content."""
    replications: int = 1
    """Simulations, each with a seed of its own."""
    warnings: tuple[RunWarning, ...] = ()
    """What a reader should know of the calibration."""
    draws: tuple[Mapping[str, float], ...] = ()
    """Parameters of each simulation after the first, where they are not known for sure."""


class SimEngine:
    """Simulates a job's suite on its plan; see ``howdah.engines.base.Engine``."""

    name = NAME
    version = howdah.__version__

    def __init__(self, target: SimTarget) -> None:
        self.target = target

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Simulate the job; raise UserError before anything is written if the plan cannot run it."""
        plan = cluster_plan(job.plan, "plan")
        translated = translate(plan, job.suite, self.target.parameters, seed=job.seed)
        written, warnings = detail_of(translated.scenario, job.sample_interval_s)
        translated = translated._replace(
            scenario=translated.scenario.model_copy(update={"record": written}),
            warnings=(*translated.warnings, *warnings),
        )
        scenarios = (translated.scenario, *self._others(job, plan))
        # The first simulation begins here, so that what the simulator refuses leaves no record.
        return _SimRun(job, sink, self.target, translated, Simulations(scenarios)).execute()

    def _others(self, job: Job, plan: ClusterPlan) -> Iterator[Scenario]:
        """The same with other seeds and, where they are not sure, other parameters; for their summaries."""
        for number in range(1, self.target.replications):
            drawn = self.target.draws[number - 1] if self.target.draws else self.target.parameters
            seed = (job.seed + number) % _SEEDS
            yield translate(plan, job.suite, within_range(drawn), seed=seed).scenario


class _SimRun:
    """One simulation of a job."""

    def __init__(
        self, job: Job, sink: SampleSink, target: SimTarget, translated: Translated, simulations: Simulations
    ) -> None:
        self._job = job
        self._target = target
        self._translated = translated
        self._simulations = simulations
        digest = target.calibration_digest
        record = begun_record(
            job,
            engine=NAME,
            version=howdah.__version__,
            created=datetime.now(UTC),
            digests=job_digests(job) | ({} if digest is None else {"calibration": digest}),
            origin=Origin.SIMULATED,
        )
        warnings = target.warnings if target.calibration else (_UNCALIBRATED,)
        known = {
            "warnings": (*warnings, *translated.warnings),
            "cluster": planned_state(cluster_plan(job.plan, "plan"), translated),
            "simulated": self._simulated(),
        }
        self._run = RunUnderWay(record.model_copy(update=known), sink)

    def execute(self) -> RunRecord:
        """Wait for the simulations and tell their outcome, workload by workload."""
        # An interrupt before the record has begun leaves none.
        self._run.change()
        with self._run.ending((_native.InputError, MemoryError, RuntimeError), _message):
            done = self._simulations.follow(partial(self._progress, time.monotonic()))
            self._run.sink.measured()
            self._tell(done)
        return self._run.record

    def _progress(self, began_s: float, done: Done) -> None:
        elapsed_s = time.monotonic() - began_s
        parts = round(_PARTS * done.share)
        self._run.sink.progress(Progress("simulation", done.workload, parts, _PARTS, "share", elapsed_s))

    def _tell(self, done: Sequence[_native.Simulation]) -> None:
        summaries = [Summary.model_validate_json(simulation.summary()) for simulation in done]
        summary, machines, suite = summaries[0], self._translated.machines, self._job.suite
        columns = columns_of(done[0].tasks())
        tasks = task_tables(columns, suite, machines)
        ends_ns = [workload.end_ns for workload in summary.workloads]
        samples = sample_tables(columns_of(done[0].samples()), machines, ends_ns)
        for warning in saturation_warnings(summary):
            self._run.warn(warning.code, warning.text)
        simulated = self._simulated().model_copy(
            update={"bands": bands_of(summaries), "activities": summary.activities}
        )
        for number, workload in enumerate(suite.workloads):
            self._run.sink.task_table(tasks[number])
            self._run.sink.sample_table(samples[number])
            outcome = summary.workloads[number]
            if outcome.asked is None:
                result = workload_result(number, workload, outcome, tasks[number], self._translated)
                result = result.model_copy(update={"files": file_rates(number, workload, columns)})
            else:
                timed = histograms(workload, outcome, outcome.asked)
                self._run.sink.latencies(timed)
                result = asked_result(workload, outcome, outcome.asked, timed)
            self._run.change(
                workloads=(*self._run.record.workloads, result), elapsed_s=result.end_s, simulated=simulated
            )
        self._run.change(outcome=Outcome.SUCCEEDED)

    def _simulated(self) -> Simulated:
        return Simulated(
            calibration=self._target.calibration,
            parameters=dict(self._target.parameters),
            replications=self._target.replications,
        )


def _message(error: BaseException) -> str:
    """One line that says what failed."""
    if isinstance(error, _native.InputError):
        return "{}: {}; {}".format(*error.args)
    return str(error) or type(error).__name__
