"""How long timed operations took: the histograms of all machines and intervals, merged."""

from __future__ import annotations

from collections import defaultdict

from howdah.analysis.evidence import OperationLatency
from howdah.model.latencies import SHARES, summary
from howdah.model.tables import RunData

CURVE = tuple(1 - 10 ** (-step / 8) for step in range(41))
"""Shares of all operations from none to all but one in 100,000, evenly on a scale of how many take longer."""


def latencies(run: RunData) -> tuple[OperationLatency, ...]:
    """Every operation of every workload, in the order in which they were first timed."""
    histograms: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    columns = run.latencies.select(["workload", "operation", "histogram"])
    for workload, operation, histogram in zip(
        *(column.to_pylist() for column in columns.columns), strict=True
    ):
        histograms[workload, operation].append(histogram)
    found = []
    for (workload, operation), texts in histograms.items():
        merged = summary(texts, (*SHARES, *CURVE))
        if merged is not None:
            # Beyond what so many operations can tell there is only the slowest one.
            told = tuple(
                pair for pair in merged.shares[len(SHARES) :] if (1 - pair[0]) * merged.operations >= 1
            )
            found.append(
                OperationLatency(
                    workload=workload,
                    operation=operation,
                    count=merged.operations,
                    within_s=merged.shares[: len(SHARES)],
                    longest_s=merged.longest_s,
                    curve=(*told, (1 - 1 / merged.operations, merged.longest_s)),
                )
            )
    return tuple(found)
