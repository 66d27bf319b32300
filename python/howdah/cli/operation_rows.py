"""A program of single operations as rows of a table: how many a second, and how long they took."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.reported import format_value
from howdah.model.run import WorkloadResult
from howdah.model.workloads.ycsb import THROUGHPUT
from howdah.units import format_seconds

_SHARES = ("50", "95", "99")
_WITHIN = " % within"
_NAME, _TIME, _RATE, _OPERATION, _DELAY = 17, 9, 12, 18, 9


def operation_head() -> str:
    """The heading of the rows."""
    columns = (
        "".ljust(_NAME),
        "time".rjust(_TIME),
        "per second".rjust(_RATE),
        "  ",
        "operation".ljust(_OPERATION),
    )
    return "".join((*columns, *(name.rjust(_DELAY) for name in ("p50", "p95", "p99", "maximum")))).rstrip()


def operation_rows(result: WorkloadResult, elapsed_s: float) -> Iterator[str]:
    """A row for each kind of operation, the first with the program's name, time and rate.

    There are none for a program that reports no rate of operations and no times of theirs.
    """
    metrics = {metric.name: metric for metric in result.metrics}
    rate = metrics.get(THROUGHPUT)
    suffix = f", {_SHARES[0]}{_WITHIN}"
    operations = [name.removesuffix(suffix) for name in metrics if name.endswith(suffix)]
    if rate is None:
        return
    program = result.workload.kind.ljust(_NAME) + format_seconds(elapsed_s).rjust(_TIME)
    program += f"{rate.value:,.0f}".rjust(_RATE)
    for operation in operations:
        times = [metrics[f"{operation}, {share}{_WITHIN}"] for share in _SHARES]
        delays = [metric.value for metric in times]
        longest = times[-1].longest_s
        cells = [format_value(delay, "s").rjust(_DELAY) for delay in delays]
        cells.append(("" if longest is None else format_value(longest, "s")).rjust(_DELAY))
        yield f"{program}  {operation.ljust(_OPERATION)}{''.join(cells)}".rstrip()
        program = " " * (_NAME + _TIME + _RATE)
