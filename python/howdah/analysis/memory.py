"""Memory: the peak against the budget, and swapping."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.wording import number, percent
from howdah.model.finding import Finding
from howdah.model.run import RunRecord
from howdah.units import format_memory

# Swap in use may jitter by a few pages; growth beyond this is the run pushing memory out.
SWAP_GROWTH_BYTES = 16 << 20


def find_budget(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Every workload whose peak resident set went beyond its budget; where none did, the highest peak."""
    peaks = []
    for time in evidence.workloads:
        result = record.workloads[time.index]
        if result.peak_rss_bytes is not None and result.memory_bytes:
            peaks.append((result.peak_rss_bytes, result.memory_bytes, time.workload))
    over = [each for each in peaks if each[0] > each[1]]
    for peak, budget, workload in over:
        yield _budget(
            record,
            workload,
            f"{workload} held {format_memory(peak)} at most, {format_memory(peak - budget)} more than its "
            f"budget of {format_memory(budget)}",
            (peak, budget),
        )
    if peaks and not over:
        peak, budget, workload = max(peaks)
        yield _budget(
            record,
            workload,
            f"{workload} used the most memory, {format_memory(peak)} or {percent(peak / budget)} of its "
            f"budget of {format_memory(budget)}",
            (peak, budget),
        )


def _budget(record: RunRecord, workload: str, text: str, sizes: tuple[int, int]) -> Finding:
    peak, budget = sizes
    return Finding(
        id="memory-budget",
        severity="warning" if peak > budget else "note",
        workload=workload,
        text=text,
        sure="measured",
        origin=record.origin,
        numbers=(number("peak RSS", peak, "B"), number("budget", budget, "B")),
    )


def find_swapping(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Swap that grew while the run went, host by host."""
    for gauge in evidence.gauges:
        if gauge.metric != "memory/swap_used_bytes" or len(gauge.values) == 0:
            continue
        grown = float(gauge.values.max() - gauge.values[0])
        if grown > SWAP_GROWTH_BYTES:
            yield Finding(
                id="swapping",
                severity="warning",
                text=f"{gauge.host} swapped out {format_memory(grown)} during the run; "
                "every time here includes it",
                sure="measured",
                origin=record.origin,
                numbers=(number("swap growth", grown, "B"),),
            )
