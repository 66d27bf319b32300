"""YCSB's programs on HBase: the table is created, loaded, used, and read back."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

from howdah.engines.base import PartialResult
from howdah.engines.hbase.admin import Serving, kept_table, make_table
from howdah.engines.hbase.clients import (
    FAMILY,
    Answered,
    counts_once,
    operations_done,
    request_operations,
    splits,
)
from howdah.engines.hbase.target import HBaseContext, HBaseWork, RegionProbes, RunTable, table_name
from howdah.errors import RunFailed
from howdah.model.faults import CELLS_LOST, CELLS_READ
from howdah.model.reported import (
    OPERATIONS_PHASE,
    Counters,
    LatencyHistogram,
    OperationCount,
    RateStep,
    ResultMetric,
    summary,
)
from howdah.model.run import Phase, ValidationError
from howdah.model.workloads.ycsb import YCSB, Ycsb, YcsbLoad, YcsbMix, results
from howdah.model.workloads.ycsb_options import Settle

_SHARE = 0.99
_NEAR = 0.05  # Relative accuracy at which the search for the highest rate ends.
_LEAST_SHARE = 1 / 64  # At a rate so far below the throughput, waiting in line is no excuse.
_KEPT_UP = 0.97  # A rate was kept where so much of it was done: what is not done has been waiting by its end.
STEP_S = 10.0
WARM_UP_S = 5.0  # Each client is a JVM that has just started, and slow until it has compiled what runs often.
Measure = Callable[[float], RateStep]


def search(highest_per_s: float, measure: Measure) -> Iterator[RateStep]:
    """Ask at rates below the highest throughput, each nearer to the highest that holds."""
    least, most = 0.0, highest_per_s
    rate = highest_per_s / 2
    while True:
        step = measure(rate)
        yield step
        if step.held:
            least = rate
        else:
            most = rate
        if most - least <= _NEAR * most or (least == 0 and rate <= _LEAST_SHARE * highest_per_s):
            return
        rate = (least + most) / 2 if least else rate / 2


def highest_rate(
    work: HBaseWork[YcsbMix], table: RunTable
) -> tuple[float, tuple[RateStep, ...], tuple[Phase, ...]]:
    """The highest rate in time, each step and phase; raises RunFailed if even a small one is too late."""
    bound_s = work.workload.p99_s or 0.0
    clock, phases = work.context.clock, []

    def measure(rate: float | None) -> Answered:
        seconds = STEP_S + WARM_UP_S
        target = None if rate is None else max(1, round(rate))
        operations = work.workload.operations or 1
        if target is not None:
            operations = max(1, round(target * seconds))
        changed = {"target": target, "operations": operations, "warm_up_s": None}
        step = replace(work, workload=work.workload.model_copy(update=changed), last=False)
        begun_s = clock.now_s()
        answered = request_operations(cast(HBaseWork[Ycsb], step), table, recorded=False)
        name = "without a limit" if target is None else f"at {target:,}/s"
        phases.append(Phase(name=name, start_s=begun_s, end_s=clock.now_s()))
        return answered

    first = measure(None)
    highest = operations_done(first.timed) / max(first.ended_s - first.begun_s, 1e-9)
    steps = tuple(search(highest, lambda rate: _judged(rate, measure(rate), bound_s)))
    sustained = [step.asked_per_s for step in steps if step.held]
    if not sustained:
        last = steps[-1]
        took = f"99 % took {1000 * last.within_s:.3g} ms, not {1000 * bound_s:g}"
        problem = f"even at {last.asked_per_s:,.0f} operations a second {took}"
        raise RunFailed(work.workload.kind, problem, "give a longer time with --p99")
    return max(sustained), steps, tuple(phases)


def _judged(rate: float, answered: Answered, bound_s: float) -> RateStep:
    """Whether all kinds of operation were in time, from when each should have begun."""
    counted = [row for row in answered.timed if row.start_s >= answered.begun_s + WARM_UP_S]
    intended = [row for row in counted if row.operation.endswith(", intended")]
    within_s = 0.0
    for operation in dict.fromkeys(row.operation for row in intended):
        merged = summary((row.histogram for row in intended if row.operation == operation), (_SHARE,))
        within_s = max(within_s, merged.within_s(_SHARE) if merged else 0.0)
    seconds = answered.ended_s - min((row.start_s for row in counted), default=0.0)
    done_per_s = operations_done(counted) / max(seconds, 1e-9)
    sustained = 0 < within_s <= bound_s and done_per_s >= _KEPT_UP * rate
    return RateStep(asked_per_s=rate, done_per_s=done_per_s, within_s=within_s, held=sustained)


def ycsb_load(work: HBaseWork[YcsbLoad]) -> PartialResult:
    """Make the run's table, insert the records, and count the rows."""
    workload, context = work.workload, work.context
    name = table_name(context.job.run_id)
    keep = context.job.keep_data
    table = RunTable(name, workload.fields or 1, workload.field_bytes or 1, made_here=True, keep=keep)
    keys, records = splits(workload.regions or 1), workload.records or 0
    made = make_table(context, workload, YCSB, table, records, family=FAMILY, splits=keys)
    context.table = table
    _probe(context)
    made = made.model_copy(update={"end_s": context.clock.now_s()})
    return _measured(cast(HBaseWork[Ycsb], work), table, (made,))


def ycsb_mix(work: HBaseWork[YcsbMix]) -> PartialResult:
    """Ask a mix of the run's table, or of one that an earlier run kept."""
    context = work.context
    if context.table is None:
        context.table = kept_table(context.admin, work.workload)
    _probe(context)
    phases: tuple[Phase, ...] = ()
    if work.workload.settle not in (None, Settle.NONE):
        begun_s = context.clock.now_s()
        work.progress(f"{work.workload.settle}", 0, 0)
        settle = context.admin.flush if work.workload.settle is Settle.FLUSH else context.admin.compact
        settle(context.table.name)
        phases = (Phase(name=f"{work.workload.settle}", start_s=begun_s, end_s=context.clock.now_s()),)
    if work.workload.p99_s is None:
        return _measured(cast(HBaseWork[Ycsb], work), context.table, phases)
    rate, steps, searched = highest_rate(work, context.table)
    # Run the workload's operations at the highest rate.
    at_rate = replace(work, workload=work.workload.model_copy(update={"target": round(rate)}))
    result = _measured(cast(HBaseWork[Ycsb], at_rate), context.table, (*phases, *searched))
    name = f"highest rate with 99 % within {1000 * work.workload.p99_s:g} ms"
    tried = f"{len(steps)} rates tried"
    highest = ResultMetric(name=name, value=rate, unit="1/s", better="higher", over=tried)
    return PartialResult(**{**result, "rates": steps, "metrics": (highest, *result["metrics"])})


def _measured(work: HBaseWork[Ycsb], table: RunTable, before: tuple[Phase, ...]) -> PartialResult:
    """Time the operations, and look whether all that was acknowledged is there."""
    answered = request_operations(work, table)
    ran = Phase(name=OPERATIONS_PHASE, start_s=answered.begun_s, end_s=answered.ended_s)
    healed = _healed(work, table)
    unsure = 0
    if work.context.faulty and "insert" in work.workload.shares:
        # Records may be there although their insert was not acknowledged.
        requested = work.workload.asked.number if work.workload.asked else 0
        unsure = requested - answered.returns.get("insert", {}).get("OK", 0)
    faults, after, metrics = _read_back(work, table, unsure=unsure)
    failures = operation_faults(work.workload, answered)
    if work.context.faulty:
        # Failed operations are only warnings in a run with faults.
        for failure in failures:
            work.context.warn("operations-failed", f"{work.workload.kind}: {failure.message}")
    else:
        faults = (*failures, *faults)
    counted_s, timed = _counted(work, answered)
    counts: Counter[str] = Counter()
    for row in timed:
        if counts_once(row.operation):
            counts[row.operation.removesuffix(", failed")] += row.operations
    returns = {name: dict(answered.returns.get(name, {})) for name in counts}
    return PartialResult(
        counters=Counters(),
        validation_errors=faults,
        phases=(*before, ran, *healed, *after),
        operations=tuple(
            OperationCount(operation=name, done=done, returns=returns[name]) for name, done in counts.items()
        ),
        metrics=(*results(operations_done(timed), counted_s, timed), *metrics),
    )


def _probe(context: HBaseContext) -> None:
    """Begin to probe the table's regions in a run with faults."""
    if context.faulty and context.probes is None and context.table is not None:
        context.probes = RegionProbes(context.target, context.table.name, context.clock.seconds)


def _healed(work: HBaseWork[Ycsb], table: RunTable) -> tuple[Phase, ...]:
    """Wait until all regions are served in a run with faults; at the run's end faults are reverted first."""
    context = work.context
    if context.target.heal is None:
        return ()
    begun_s = context.clock.now_s()
    if work.last:
        work.progress("revert faults", 0, 0)
        context.target.heal()
    wait_until_whole(work, table)
    if work.last and context.probes is not None:
        context.probes.end()
    return (Phase(name="wait for regions", start_s=begun_s, end_s=context.clock.now_s()),)


def operation_faults(workload: Ycsb, answered: Answered) -> tuple[ValidationError, ...]:
    """Operations that were not executed, and those with another result than OK."""
    why = f": {answered.complaint}" if answered.complaint else ""
    faults = [
        ValidationError(kind="return", message=f"{count:,} of {operation} came to {word}{why}")
        for operation, returns in answered.returns.items()
        for word, count in returns.items()
        if word != "OK"
    ]
    # Both halves of an operation that reads and writes are counted as such, too.
    halves = answered.operations.get("read-modify-write", 0)
    done = sum(answered.operations.values()) - 2 * halves
    requested = workload.asked.number if workload.asked else 0
    if done < requested:
        message = f"{done:,} of {requested:,} operations were done{why}"
        faults.append(ValidationError(kind="operations", message=message))
    return tuple(faults)


def _read_back(
    work: HBaseWork[Ycsb], table: RunTable, *, unsure: int
) -> tuple[tuple[ValidationError, ...], tuple[Phase, ...], tuple[ResultMetric, ...]]:
    """Count rows after a load, compare all after the last program; ``unsure`` may not have been inserted."""
    admin, clock = work.context.admin, work.context.clock
    adds = isinstance(work.workload, YcsbLoad) or "insert" in work.workload.shares
    if not work.last and not adds:
        return (), (), ()
    begun_s = clock.now_s()
    name = "read back" if work.last else "count rows"
    work.progress(name, 0, 0)
    whole = (table.name, table.fields, table.field_bytes)
    verified = admin.verify(*whole) if work.last else admin.count(table.name)
    faults = []
    if not table.rows <= verified.rows <= table.rows + unsure:
        message = f"the table has {verified.rows:,} rows, but {table.rows:,} were acknowledged"
        faults.append(ValidationError(kind="rows", message=message))
    if verified.wrong:
        message = f"{verified.wrong:,} rows differ from what was written: {verified.first}"
        faults.append(ValidationError(kind="values", message=message))
    table.rows = max(table.rows, verified.rows)
    metrics: tuple[ResultMetric, ...] = ()
    if work.last:
        lost, kept = verify_writes(work, table)
        faults += lost
        rows = float(verified.rows)
        metrics = (ResultMetric(name="rows read back", value=rows, unit="1", over="all of the table"), *kept)
    return tuple(faults), (Phase(name=name, start_s=begun_s, end_s=clock.now_s()),), metrics


def _counted(work: HBaseWork[Ycsb], answered: Answered) -> tuple[float, tuple[LatencyHistogram, ...]]:
    """For how long operations count, and those that do: the warm-up's are left out by whole intervals."""
    warm_up_s = work.workload.warm_up_s if isinstance(work.workload, YcsbMix) else None
    if not warm_up_s:
        return answered.ended_s - answered.begun_s, answered.timed
    timed = tuple(row for row in answered.timed if row.start_s >= answered.begun_s + warm_up_s)
    if not timed:
        problem = f"all operations were done within the warm-up of {warm_up_s:g} s"
        raise RunFailed(work.workload.kind, problem, "give more --operations, or a shorter --warm-up")
    return answered.ended_s - min(row.start_s for row in timed), timed


WHOLE_S = 600.0  # How long regions may take: a log of a few hundred MB is split within a minute.
_POLL_S = 1.0


def wait_until_whole(work: HBaseWork[Ycsb], table: RunTable) -> None:
    """Wait until every region is served; raises RunFailed where that does not come about in time."""
    admin, deadline = work.context.admin, time.monotonic() + WHOLE_S
    serving: Serving | None = None
    why = "no master answers"
    while time.monotonic() < deadline:
        try:
            serving = admin.serving(table.name)
        except RunFailed as error:
            why = str(error)
        else:
            if serving.whole:
                return
            why = f"{serving.unserved} of {serving.regions} regions are not served"
        served, regions = (serving.regions - serving.unserved, serving.regions) if serving else (0, 0)
        work.progress("wait for regions", served, regions)
        time.sleep(_POLL_S)
    problem = f"has not recovered {WHOLE_S:.0f} s after the last fault: {why}"
    raise RunFailed(table.name, problem, "see the HMaster's log")


def verify_writes(
    work: HBaseWork[Ycsb], table: RunTable
) -> tuple[tuple[ValidationError, ...], tuple[ResultMetric, ...]]:
    """Hold all that was acknowledged, of the programs and of the probes, against the table."""
    context = work.context
    faults: list[ValidationError] = []
    metrics: list[ResultMetric] = []
    if context.ledger is not None:
        verified = context.admin.acknowledged(table.name, context.ledger)
        metrics += [
            ResultMetric(name=CELLS_READ, value=float(verified.cells), unit="1", over="all clients"),
            ResultMetric(name=CELLS_LOST, value=float(verified.lost), unit="1", better="lower"),
        ]
        if verified.lost:
            lost = f"{verified.lost:,} of {verified.cells:,} acknowledged writes are lost"
            faults.append(ValidationError(kind="lost", message=f"{lost}: {verified.first}"))
    if context.probes is not None:
        faults += [ValidationError(kind="lost", message=text) for text in context.probes.lost]
    return tuple(faults), tuple(metrics)
