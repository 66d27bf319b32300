"""How far elapsed times lie apart over several simulations: medians and 90 % intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from howdah.model.simulated import Band
from howdah.simulation.outcome import Summary

_INTERVAL = (0.05, 0.5, 0.95)
_NS_PER_S = 1e9


def bands_of(summaries: Sequence[Summary]) -> tuple[Band, ...]:
    """One band for every workload and one for each of its phases; none of a single simulation."""
    return tuple(_bands(summaries)) if len(summaries) > 1 else ()


def _bands(summaries: Sequence[Summary]) -> Iterator[Band]:
    for number, workload in enumerate(summaries[0].workloads):
        alike = [summary.workloads[number] for summary in summaries]
        yield _band(workload.kind, None, [one.end_ns - one.start_ns for one in alike])
        for place, phase in enumerate(workload.phases):
            of_phase = [one.phases[place] for one in alike]
            yield _band(workload.kind, phase.name, [one.end_ns - one.start_ns for one in of_phase])


def _band(workload: str, phase: str | None, elapsed_ns: Sequence[int]) -> Band:
    low, median, high = np.quantile(np.array(elapsed_ns) / _NS_PER_S, _INTERVAL)
    return Band(workload=workload, phase=phase, low_s=float(low), median_s=float(median), high_s=float(high))
