"""The highest rate at which operations are answered in time, found by asking at one rate after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from howdah.engines.hbase.clients import Answered, ask, operations_done
from howdah.engines.hbase.work import HBaseWork, RunTable
from howdah.errors import RunFailed
from howdah.model.latencies import summary
from howdah.model.reported import RateStep
from howdah.model.run import Phase
from howdah.model.workloads.ycsb import Ycsb, YcsbMix

_SHARE = 0.99
_NEAR = 0.05
"""A rate is found where one that is so much higher is too high."""
_LEAST_SHARE = 1 / 64
"""At a rate this far below the highest throughput, waiting in line is no reason to be late."""
_KEPT_UP = 0.97
"""A rate was kept where so much of it was done: what is not done has been waiting by its end."""
STEP_S = 10.0
WARM_UP_S = 5.0
"""Each client is a JVM that has just started, and slow until it has compiled what runs often."""

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
    """The rate that was found, every step that led there, and when these were.

    Raises RunFailed where even a small part of the highest throughput is answered too late.
    """
    bound_s = work.workload.p99_s or 0.0
    clock, phases = work.context.clock, []

    def asked(rate: float | None) -> Answered:
        seconds = STEP_S + WARM_UP_S
        target = None if rate is None else max(1, round(rate))
        operations = work.workload.operations or 1
        if target is not None:
            operations = max(1, round(target * seconds))
        changed = {"target": target, "operations": operations, "warm_up_s": None}
        step = HBaseWork(work.workload.model_copy(update=changed), work.context, work.start_s, last=False)
        begun_s = clock.now_s()
        answered = ask(cast(HBaseWork[Ycsb], step), table, told=False)
        name = "without a limit" if target is None else f"at {target:,}/s"
        phases.append(Phase(name=name, start_s=begun_s, end_s=clock.now_s()))
        return answered

    first = asked(None)
    highest = operations_done(first.timed) / max(first.ended_s - first.begun_s, 1e-9)
    steps = tuple(search(highest, lambda rate: _judged(rate, asked(rate), bound_s)))
    held = [step.asked_per_s for step in steps if step.held]
    if not held:
        last = steps[-1]
        took = f"99 % took {1000 * last.within_s:.3g} ms, not {1000 * bound_s:g}"
        what = f"even at {last.asked_per_s:,.0f} operations a second {took}"
        raise RunFailed(work.workload.kind, what, "give a longer time with --p99")
    return max(held), steps, tuple(phases)


def _judged(rate: float, answered: Answered, bound_s: float) -> RateStep:
    """Whether all kinds of operation were in time, from when each should have begun."""
    counted = [row for row in answered.timed if row.start_s >= answered.begun_s + WARM_UP_S]
    intended = [row for row in counted if row.operation.endswith(", intended")]
    within = [0.0]
    for operation in dict.fromkeys(row.operation for row in intended):
        merged = summary((row.histogram for row in intended if row.operation == operation), (_SHARE,))
        if merged is not None:
            within.append(merged.within_s(_SHARE))
    if counted:
        seconds = answered.ended_s - min(row.start_s for row in counted)
        done_per_s = operations_done(counted) / max(seconds, 1e-9)
    else:
        done_per_s = 0.0
    held = 0 < max(within) <= bound_s and done_per_s >= _KEPT_UP * rate
    return RateStep(asked_per_s=rate, done_per_s=done_per_s, within_s=max(within), held=held)
