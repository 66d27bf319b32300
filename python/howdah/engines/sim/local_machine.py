"""The local engine simulated: a suite without Hadoop on one measured machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import howdah
from howdah import _native
from howdah.engines.local.engine import needed_bytes, too_little_room
from howdah.engines.local.work import USUAL_PROCESS_BYTES, attempt_of, pool_bytes
from howdah.engines.local.workspace import FREE_SHARE, Shortage
from howdah.engines.sim.engine import NAME, simulated_record
from howdah.engines.sim.results import NS_PER_S, bands_of, simulated_result
from howdah.errors import UserError
from howdah.model.host import FileSystem
from howdah.model.measured import MeasuredFigure
from howdah.model.reported import Counters, Simulated
from howdah.model.run import Outcome, RunRecord, RunWarning, Sample, WorkloadResult
from howdah.model.tables import Job, SampleSink
from howdah.model.workloads.base import Moved, Workload
from howdah.model.workloads.terasort import ROW_BYTES, TeraRows
from howdah.simulation.local_engine import Draw, LocalOutcome, Ran, median, translate_local
from howdah.simulation.scenario import LocalScenario


def workload_result(workload: Workload, ran: Ran, memory_bytes: int) -> WorkloadResult:
    """Return a workload's result in the form of the local engine."""
    rows = workload.rows or 0 if isinstance(workload, TeraRows) else 0
    moved = workload.moved(Counters()) or Moved(0, 0)
    spilled = rows if workload.shuffles and not ran.in_memory else 0
    counters = Counters(
        input_rows=rows if moved.read else 0,
        output_rows=rows if moved.write else 0,
        read_bytes=moved.read,
        written_bytes=moved.write,
        spilled_rows=spilled,
        spilled_raw_bytes=spilled * ROW_BYTES,
        spilled_bytes=ran.spilled_bytes if workload.shuffles else 0,
        spill_read_bytes=ran.spill_read_bytes if workload.shuffles else 0,
    )
    return simulated_result(
        workload, ran, counters=counters, memory_bytes=memory_bytes, in_memory=ran.in_memory
    )


def samples(outcome: LocalOutcome, job: Job) -> Iterator[Sample]:
    """What the machine's samplers would have recorded, in the order of time."""
    host, cpus = job.host.name, job.host.usable_cpus
    mounts = [job.host.mount_of(Path(name)) for name in job.plan.workers[0].data_dirs]
    disks = [(isinstance(mount, FileSystem) and mount.disk) or "data" for mount in mounts]
    sampled = outcome.samples
    for number, time_ns in enumerate(sampled.time_ns):
        now_s = time_ns / NS_PER_S
        busy_s = sampled.cpu_s[number]
        yield Sample(now_s, host, "cpu/all/user_s", busy_s)
        yield Sample(now_s, host, "cpu/all/idle_s", max(0.0, cpus * now_s - busy_s))
        for metric, values in (("read_bytes", sampled.read_bytes), ("written_bytes", sampled.written_bytes)):
            by_disk: defaultdict[str, float] = defaultdict(float)
            for disk, value in zip(disks, values[number], strict=True):
                by_disk[disk] += value
            for disk, value in by_disk.items():
                yield Sample(now_s, host, f"disk/{disk}/{metric}", value)


USUAL_REPLICATIONS = 100  # The default number of draws for bands; a simulation takes milliseconds.


def check_room(job: Job) -> None:
    """Raise UserError if a known file system had too little room for its directories when probed."""
    data_dirs = job.plan.workers[0].data_dirs
    mounts = {name: job.host.mount_of(Path(name)) for name in data_dirs}
    mounted = {name: mount for name, mount in mounts.items() if isinstance(mount, FileSystem)}
    sharing = Counter(mount.mount for mount in mounted.values())
    needed = needed_bytes(job, USUAL_PROCESS_BYTES)
    for name, mount in mounted.items():
        share_bytes = -(-needed // len(data_dirs)) * sharing[mount.mount]
        room = mount.free_bytes * FREE_SHARE
        if share_bytes > room:
            raise too_little_room(job, needed, Shortage(Path(name), mount.free_bytes, room / share_bytes))


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
        # What was in doubt when the machine was measured is in doubt here.
        missing = job.host.measured.not_measured if job.host.measured else ()
        texts = (f"{measured.what}: {measured.why}" for measured in missing)
        warnings = tuple(RunWarning(code="measured-in-doubt", text=text) for text in texts)
        record = simulated_record(job).model_copy(update={"warnings": warnings})
        sink.update(record)
        sink.measured()
        sink.samples(list(samples(outcome, job)))
        host, worker = job.host.name, job.plan.workers[0]
        for workload, ran in zip(job.suite.workloads, outcome.workloads, strict=True):
            tasks = sorted(ran.tasks, key=lambda task: (task.start_ns, task.kind, task.task))
            names = (workload.kind, host, worker.name)
            sink.tasks([attempt_of(task, *names, lambda ns: ns / NS_PER_S) for task in tasks])
            result = workload_result(workload, ran, worker.memory_bytes)
            changes = {"workloads": (*record.workloads, result), "elapsed_s": result.end_s}
            record = record.model_copy(update=changes)
            sink.update(record)
        last = {"outcome": Outcome.SUCCEEDED, "simulated": self._simulated(job, outcome)}
        sink.update(record := record.model_copy(update=last))
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

        repeats = [_simulate(scenario_of(job, draw)) for _ in range(self._replications - 1)]
        kinds = [workload.kind for workload in job.suite.workloads]
        bands = bands_of(kinds, [simulation.workloads for simulation in (outcome, *repeats)])
        return Simulated(calibration=None, replications=self._replications, bands=bands)


def scenario_of(job: Job, draw: Draw = median) -> LocalScenario:
    """The scenario of a job in a process as large as usual; raises UserError as ``translate_local`` does."""
    return translate_local(job, pool_bytes(job, USUAL_PROCESS_BYTES), draw)


def _simulate(scenario: LocalScenario) -> LocalOutcome:
    try:
        return LocalOutcome.model_validate_json(_native.simulate_local(scenario.text))
    except _native.InputError as error:
        where, problem, hint = error.args
        raise UserError(f"simulator: {where}", problem, hint) from error
