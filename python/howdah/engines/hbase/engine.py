"""The engine of a real HBase: YCSB's clients, and HBase's own PerformanceEvaluation."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

from howdah.engines.base import PartialResult, RunClock, RunUnderWay, begun_run, clock_was_set
from howdah.engines.hbase.admin import HBaseAdmin, balanced, check_status, clear_leftovers, make_table
from howdah.engines.hbase.target import HBaseContext, HBaseTarget, HBaseWork, RunTable, table_name
from howdah.engines.processes import RunningProgram
from howdah.errors import HowdahError, RunFailed
from howdah.files import scratch_folder
from howdah.model.engines import HBASE
from howdah.model.reported import OPERATIONS_PHASE, OperationCount, ResultMetric
from howdah.model.run import Phase, RunRecord, ValidationError
from howdah.model.tables import Job, SampleSink
from howdah.model.workloads.base import Workload
from howdah.model.workloads.ycsb import PE, THROUGHPUT, PerformanceEvaluation, PeWrite
from howdah.telemetry.daemons import logged_events

Opened = Callable[[Job], AbstractContextManager[tuple[HBaseTarget, HBaseAdmin]]]
"""Makes the cluster ready for a job: an existing one, or one that is started and stopped with the run."""


class HBaseEngine:
    """Runs a job's suite on HBase; see ``howdah.engines.base.Engine``."""

    name = HBASE

    def __init__(self, version: str, opened: Opened) -> None:
        self.version = version  # The release of the client's jars; the cluster's is in the record.
        self._opened = opened

    def run(self, job: Job, sink: SampleSink) -> RunRecord:
        """Run the job; raise UserError before anything is written if it cannot start."""
        with self._opened(job) as (target, admin):
            check_status(admin)
            leftovers = clear_leftovers(admin)
            status, uneven = balanced(admin, check_status(admin), may_move=target.lab is not None)
            clock = RunClock()
            run = begun_run(job, sink, clock, HBASE, self.version)
            context = HBaseContext(job, target, admin, clock, sink, run.warn)
            run.change(hbase=status, built=target.lab)
            if status.version.partition("-")[0] != self.version:
                text = f"the client's jars are HBase {self.version}, but the cluster runs {status.version}"
                run.warn("client-version", text)
            if uneven is not None:
                run.warn("regions-uneven", uneven)
            for name in leftovers:
                text = f"table {name} belongs to a run of another machine, which may still be active"
                run.warn("data-left", text)
            return _execute(context, run)


def _execute(context: HBaseContext, run: RunUnderWay) -> RunRecord:
    """Run the workloads, and remove the run's table unless it is to be kept."""
    job, target, clock = context.job, context.target, context.clock

    def program(workload: Workload, start_s: float) -> PartialResult:
        last = len(run.record.workloads) + 1 == len(job.suite.workloads)
        function: Callable[[HBaseWork[Workload]], PartialResult] = resolve_name(workload.programs[HBASE])
        return function(HBaseWork(workload, context, start_s, last))

    if context.faulty:
        context.ledger = Path(tempfile.mkdtemp(prefix="howdah-ledger-"))
    try:
        interval_s, follow = job.sample_interval_s, target.follow
        with (
            run.sampled(target.sources, clock, interval_s=interval_s, follow=follow) as sampler,
            run.ending((HowdahError, OSError)),
        ):
            run.carry_out(job.suite.workloads, sampler, clock.now_s, program)
    finally:
        if target.heal is not None:
            target.heal()
        if context.probes is not None:
            context.probes.end()
            run.change(probes=context.probes.reports())
        if context.ledger is not None:
            shutil.rmtree(context.ledger, ignore_errors=True)
        # What is not removed now goes when the next run starts.
        table = context.table
        if table is not None and table.made_here and not table.keep:
            with run.removing(f"table {table.name}"):
                context.admin.remove(table.name)
    for logs in target.logs:
        run.sink.server_events(logged_events(logs, clock.start_epoch_s))
    for warning in clock_was_set(clock):
        run.warn(warning.code, warning.text)
    return run.record


MAIN = "org.apache.hadoop.hbase.PerformanceEvaluation"
FAMILY = "info0"  # PerformanceEvaluation's column family; it uses an existing table with this single family.
_KEY_DIGITS = 26
_POLL_S = 0.2
_TIMINGS = re.compile(r"Summary of timings \(ms\): \[([\d, ]+)\]")
_LATENCIES = re.compile(r"Latency \(us\) : .*?99th=([\d.]+)")
_ROWS = re.compile(r"Finished .* over (\d+) rows")


class Evaluated(NamedTuple):
    """The statistics that it prints at its end."""

    seconds: float  # Duration of the slowest thread.
    within_s: tuple[float, ...]  # The time within which 99 % of each thread's operations ended.


def evaluate(work: HBaseWork[PerformanceEvaluation]) -> PartialResult:
    """Run one of its commands; it prints the time of each of its threads."""
    context, workload = work.context, work.workload
    clock, phases = context.clock, []
    if isinstance(workload, PeWrite):
        table = RunTable(table_name(context.job.run_id), 1, workload.field_bytes or 1, made_here=True)
        # What was made is removed even if an error ends the making.
        context.table = table
        keys = splits(workload.rows, workload.regions or 1)
        phases.append(make_table(context, workload, PE, table, workload.rows, family=FAMILY, splits=keys))
    if context.table is None:
        raise RunFailed(workload.kind, "has no table to read", f"run the suite {PE}")
    begun_s = clock.now_s()
    evaluated = _run(work, context.table.name)
    phases.append(Phase(name=OPERATIONS_PHASE, start_s=begun_s, end_s=clock.now_s()))
    faults: tuple[ValidationError, ...] = ()
    if isinstance(workload, PeWrite):
        context.table.rows = workload.rows
        rows = context.admin.count(context.table.name).rows
        if rows != context.table.rows:
            message = f"the table has {rows:,} rows, but {context.table.rows:,} were written"
            faults = (ValidationError(kind="rows", message=message),)
    rate, over = workload.rows / evaluated.seconds, "the time of its slowest thread"
    metrics = [ResultMetric(name=THROUGHPUT, value=rate, unit="1/s", better="higher", over=over)]
    if evaluated.within_s:
        # It prints only percentiles of its threads' histograms.
        slowest_s, over = max(evaluated.within_s), f"the slowest of {len(evaluated.within_s)} threads"
        name = f"{workload.operation}, 99 % within"
        metrics.append(ResultMetric(name=name, value=slowest_s, unit="s", better="lower", over=over))
    return PartialResult(
        validation_errors=faults,
        phases=tuple(phases),
        operations=(OperationCount(operation=workload.operation, done=workload.rows),),
        metrics=tuple(metrics),
    )


def splits(rows: int, regions: int) -> list[str]:
    """The first keys of all regions but the first: its keys are numbers of 26 digits."""
    return [f"{number * rows // regions:0{_KEY_DIGITS}d}" for number in range(1, regions)]


def arguments(workload: PerformanceEvaluation, table: str) -> list[str]:
    """Its command line: each thread has its own part of the rows, and nothing is buffered."""
    threads = workload.threads or 1
    rows, size = f"--rows={workload.rows // threads}", f"--valueSize={workload.field_bytes or 1}"
    options = ["--nomapred", f"--table={table}", rows, size, "--autoFlush=true", "--oneCon=true"]
    return [*options, workload.command, str(threads)]


def read_evaluated(lines: Iterable[str]) -> Evaluated | None:
    """Return the results in its output; None if it did not finish."""
    seconds, within = None, []
    for line in lines:
        if match := _TIMINGS.search(line):
            seconds = max(int(number) for number in match[1].split(",")) / 1000
        elif match := _LATENCIES.search(line):
            within.append(float(match[1]) / 1e6)
    return Evaluated(seconds, tuple(within)) if seconds else None


def _run(work: HBaseWork[PerformanceEvaluation], table: str) -> Evaluated:
    target = work.context.target
    place = target.places[0]
    command = target.java(place, MAIN, *arguments(work.workload, table))
    total = work.workload.rows
    with scratch_folder("pe") as folder:
        program = _Evaluating(command, folder, environment=place.environment)
        try:
            while not program.wait(_POLL_S):
                work.progress("run", min(program.done, total), total)
        finally:
            program.end()
    evaluated = read_evaluated(program.lines)
    if evaluated is None:
        last = program.lines[-1] if program.lines else f"exit code {program.exit_code()}"
        raise RunFailed("PerformanceEvaluation", f"did not finish: {last}")
    return evaluated


class _Evaluating(RunningProgram):
    """Its JVM, which prints the progress at every tenth of each thread's part."""

    done = 0

    def read_line(self, line: str) -> None:
        if match := _ROWS.search(line):
            self.done += int(match[1])
