"""Hadoop's quasi-Monte-Carlo pi."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

from howdah import _native
from howdah.engines.local.work import LocalContext, Watch
from howdah.engines.under_way import PartialResult
from howdah.model.reported import Counters
from howdah.model.workloads.hadoop_programs import Pi, estimate_of_pi

_SCALE = Decimal(1).scaleb(-20)


def pi(context: LocalContext, workload: Pi, watch: Watch) -> PartialResult:
    """Count points and print the estimate with Hadoop's digits."""
    counted = watch.follow(_native.pi(workload.maps or 1, workload.samples or 1, context.worker.map_slots))
    return PartialResult(
        counters=Counters(input_rows=counted.total),
        metrics=(estimate_of_pi(estimate(counted.inside, counted.total)),),
    )


def estimate(inside: int, total: int) -> str:
    """4 · inside / total with 20 decimals, rounded half up, as QuasiMonteCarlo's BigDecimal does."""
    exact = Context(prec=60, rounding=ROUND_HALF_UP)
    return format(exact.quantize(exact.divide(Decimal(4 * inside), Decimal(total)), _SCALE), "f")
