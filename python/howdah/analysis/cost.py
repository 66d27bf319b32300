"""What the measuring itself cost, and whether it kept its rhythm."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence
from howdah.analysis.machines import on_cluster
from howdah.analysis.wording import number, percent, seconds
from howdah.model.finding import Finding
from howdah.model.run import RunRecord

# Telemetry is to stay under 1 % of one core at 1 Hz; what it costs grows with its rate.
SHARE_AT_1_HZ = 0.01
# A laboratory is several machines with their daemons, all sampled by one process.
ON_CLUSTER = 0.02
LATE_SHARE = 0.05
# Starting to sample costs more than a sample; the share is judged only where that is spread over some time.
JUDGED_FROM_S = 1.0


def find_cost(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A sampler that cost more than it may, or came too late too often."""
    del evidence
    cost = record.telemetry
    if cost is None or cost.elapsed_s <= 0 or cost.interval_s <= 0:
        return
    share = cost.cpu_s / cost.elapsed_s
    allowed = (ON_CLUSTER if on_cluster(record) else SHARE_AT_1_HZ) * max(1.0, 1.0 / cost.interval_s)
    if share > allowed and cost.elapsed_s >= JUDGED_FROM_S:
        yield Finding(
            id="telemetry-cost",
            severity="warning",
            text=f"measuring took {percent(share)} of one core at an interval of {seconds(cost.interval_s)}, "
            f"more than the {percent(allowed)} it may; a longer interval would disturb less",
            sure="measured",
            origin=record.origin,
            numbers=(number("CPU share of one core", share, "1"),),
        )
    if cost.ticks and cost.late_ticks / cost.ticks > LATE_SHARE:
        yield Finding(
            id="late-samples",
            severity="note",
            text=f"{cost.late_ticks} of {cost.ticks} samples came late: the machine was too busy to "
            "measure on time; totals are exact all the same, short peaks are not",
            sure="measured",
            origin=record.origin,
            numbers=(number("late samples", cost.late_ticks / cost.ticks, "1"),),
        )
