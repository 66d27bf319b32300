"""Hadoop's quasi-Monte-Carlo pi."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

from howdah import _native
from howdah.engines.local.context import Bench, Yield
from howdah.engines.local.work import Watch
from howdah.model.counters import Counters
from howdah.model.workloads.pi import Pi

_SCALE = Decimal(1).scaleb(-20)


def pi(bench: Bench, workload: Pi, watch: Watch) -> Yield:
    """Count points and print the estimate with Hadoop's digits."""
    counted = watch.follow(_native.pi(workload.maps or 1, workload.samples or 1, bench.worker.map_slots))
    return Yield(counters=Counters(input_rows=counted.total), answer=estimate(counted.inside, counted.total))


def estimate(inside: int, total: int) -> str:
    """4 · inside / total with 20 decimals, rounded half up, as QuasiMonteCarlo's BigDecimal does."""
    exact = Context(prec=60, rounding=ROUND_HALF_UP)
    return format(exact.quantize(exact.divide(Decimal(4 * inside), Decimal(total)), _SCALE), "f")
