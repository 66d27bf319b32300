"""PerformanceEvaluation at work: HBase's own benchmark, on a table of howdah's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from howdah.engines.base import PartialResult
from howdah.engines.hbase.admin import attributes_of, made_for
from howdah.engines.hbase.target import HBaseWork, RunTable, table_name
from howdah.engines.processes import RunningProgram
from howdah.errors import RunFailed
from howdah.model.reported import OperationCount, ResultMetric
from howdah.model.run import Outcome, Phase, ValidationError
from howdah.model.workloads.ycsb import PE, THROUGHPUT, PerformanceEvaluation, PeWrite
from howdah.scratch import scratch_folder

MAIN = "org.apache.hadoop.hbase.PerformanceEvaluation"
FAMILY = "info0"
"""PerformanceEvaluation's column family; it uses an existing table with this single family."""
_KEY_DIGITS = 26
_POLL_S = 0.2
_TIMINGS = re.compile(r"Summary of timings \(ms\): \[([\d, ]+)\]")
_LATENCIES = re.compile(r"Latency \(us\) : .*?99th=([\d.]+)")
_ROWS = re.compile(r"Finished .* over (\d+) rows")


class Evaluated(NamedTuple):
    """The statistics that it prints at its end."""

    seconds: float
    """Duration of the slowest thread."""
    within_s: tuple[float, ...]
    """The time within which 99 % of each thread's operations ended."""


def evaluate(work: HBaseWork[PerformanceEvaluation]) -> PartialResult:
    """Run one of its commands; it prints the time of each of its threads."""
    context, workload = work.context, work.workload
    clock, phases = context.clock, []
    if isinstance(workload, PeWrite):
        begun_s = clock.now_s()
        context.table = RunTable(table_name(context.job.run_id), 1, workload.field_bytes or 1, made_here=True)
        context.admin.make(
            context.table.name,
            family=FAMILY,
            splits=splits(workload.rows, workload.regions or 1),
            attributes=attributes_of(workload.compression, workload.block_encoding, workload.bloom_filter),
            made=made_for(context.job, PE, workload.rows, context.table),
        )
        phases.append(Phase(name="make the table", start_s=begun_s, end_s=clock.now_s()))
    if context.table is None:
        raise RunFailed(workload.kind, "has no table to read", f"run the suite {PE}")
    begun_s = clock.now_s()
    evaluated = _run(work, context.table.name)
    phases.append(Phase(name="run", start_s=begun_s, end_s=clock.now_s()))
    faults: tuple[ValidationError, ...] = ()
    if isinstance(workload, PeWrite):
        context.table.rows = workload.rows
        rows = context.admin.count(context.table.name).rows
        if rows != context.table.rows:
            message = f"the table has {rows:,} rows, but {context.table.rows:,} were written"
            faults = (ValidationError(kind="rows", message=message),)
    done = workload.rows
    return PartialResult(
        outcome=Outcome.FAILED if faults else Outcome.SUCCEEDED,
        validation_errors=faults,
        phases=tuple(phases),
        operations=(OperationCount(operation=workload.operation, done=done),),
        metrics=_metrics(workload.operation, done, evaluated),
    )


def splits(rows: int, regions: int) -> list[str]:
    """The first keys of all regions but the first: its keys are numbers of 26 digits."""
    return [f"{number * rows // regions:0{_KEY_DIGITS}d}" for number in range(1, regions)]


def arguments(workload: PerformanceEvaluation, table: str) -> list[str]:
    """Its command line: each thread has its own part of the rows, and nothing is buffered."""
    threads = workload.threads or 1
    return [
        "--nomapred",
        f"--table={table}",
        f"--rows={workload.rows // threads}",
        f"--valueSize={workload.field_bytes or 1}",
        "--autoFlush=true",
        "--oneCon=true",
        workload.command,
        str(threads),
    ]


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


def _metrics(operation: str, done: int, evaluated: Evaluated) -> tuple[ResultMetric, ...]:
    over = "the time of its slowest thread"
    throughput = ResultMetric(
        name=THROUGHPUT, value=done / evaluated.seconds, unit="1/s", better="higher", over=over
    )
    if not evaluated.within_s:
        return (throughput,)
    # It prints only percentiles of its threads' histograms.
    slowest = ResultMetric(
        name=f"{operation}, 99 % within",
        value=max(evaluated.within_s),
        unit="s",
        better="lower",
        over=f"the slowest of {len(evaluated.within_s)} threads",
    )
    return (throughput, slowest)
