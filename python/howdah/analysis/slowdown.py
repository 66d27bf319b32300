"""Tasks that take longer and longer: a trend over time that equal work should not show."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howdah.analysis.evidence import Evidence, FloatArray
from howdah.analysis.others import disturbance_of, used_meanwhile
from howdah.analysis.wording import number, times
from howdah.model.finding import Finding
from howdah.model.run import RunRecord

# With fewer tasks than this a trend over time is too easily chance.
DRIFT_TASKS = 12
DRIFT_RATIO = 1.25
DRIFT_RANK = 0.6


def drift_of(starts: FloatArray, lengths: FloatArray, moved: FloatArray) -> tuple[float, float]:
    """Whether later tasks took longer per byte than earlier ones: ratio of thirds, rank correlation."""
    per_byte = lengths / moved if (moved > 0).all() else lengths
    order = np.argsort(starts, kind="stable")
    third = len(order) // 3
    if third == 0:
        return 1.0, 0.0
    early = float(np.median(per_byte[order[:third]]))
    late = float(np.median(per_byte[order[-third:]]))
    ranks = np.argsort(np.argsort(per_byte[order], kind="stable"), kind="stable").astype(np.float64)
    rank = float(np.corrcoef(np.arange(len(ranks)), ranks)[0, 1])
    return (late / early if early > 0 else 1.0), rank


def find_slowdown(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Tasks that grow slower as time passes: heat, other tenants, or a disk reaching its inner zones."""
    for spread in evidence.spreads:
        if spread.tasks < DRIFT_TASKS or spread.drift < DRIFT_RATIO or spread.drift_rank < DRIFT_RANK:
            continue
        others = disturbance_of(evidence, spread.workload)
        yield Finding(
            id="slowing-down",
            severity="warning",
            workload=spread.workload,
            phase=spread.phase,
            text=f"{spread.workload}: the last third of its {spread.kind} tasks took "
            f"{times(spread.drift)} as long per byte as the first; "
            "a CPU that throttles, other tenants, or a disk that reaches its inner zones"
            + (f"; {used_meanwhile(others)}" if others else ""),
            sure="guess",
            origin=record.origin,
            numbers=(number("last third over first", spread.drift, "1"),),
        )
