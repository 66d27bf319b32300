"""A run reduced to what a comparison needs: a few kilobytes, whatever the size of its tables."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.comparing.comparable import amount_of
from howdah.analysis.comparing.facts import facts_of
from howdah.analysis.comparing.readings import SampledUse, readings_of, seen_in
from howdah.analysis.others import disturbed
from howdah.analysis.phases import workload_times
from howdah.analysis.wording import listed, percent
from howdah.model.comparison import RunFigures
from howdah.model.run import Outcome, RunRecord
from howdah.model.tables import RunData
from howdah.units import format_counted

LATE_SHARE = 0.05
"""From this share of samplings on, late ones say that something else had the machine."""


def figures_of(run: RunData) -> RunFigures:
    """What a comparison sees of a run; one that did not succeed has no readings."""
    record = run.record
    times = workload_times(run)
    seen = seen_in(run, times) if record.outcome is Outcome.SUCCEEDED else None
    return RunFigures(
        run=record.id,
        created=record.created,
        origin=record.origin,
        engine=record.engine,
        uncalibrated=record.simulated is not None and record.simulated.calibration is None,
        suite=record.suite.name,
        outcome=record.outcome,
        error=record.error,
        amounts=tuple(amount_of(time.workload, record.workloads[time.index]) for time in times),
        facts=facts_of(record),
        readings=() if seen is None else tuple(readings_of(run, times, seen)),
        remarks=(*_remarks(record), *(_disturbances(seen) if seen else ())),
    )


def _remarks(record: RunRecord) -> Iterator[str]:
    """What sets a run apart from its repeats without being a fact of it."""
    for event in record.events:
        if event.kind.endswith(("-lost", "failover")):
            yield f"{event.worker}: {event.text}"
    cost = record.telemetry
    if cost is not None and cost.late_ticks > LATE_SHARE * cost.ticks:
        samples = f"{cost.late_ticks:,} of {format_counted(cost.ticks, 'sample')}"
        yield f"{samples} came late: other processes may have used the machine"
    if any(result.buffered_io for result in record.workloads):
        yield "direct I/O was refused, so the page cache served part of it"


def _disturbances(seen: SampledUse) -> Iterator[str]:
    """That others had much of the machine: in one sentence for all workloads."""
    uses = [use for use in seen.others if use.phase is None and disturbed(use)]
    if uses:
        shares = listed([f"{percent(use.others)} in {use.workload}" for use in uses])
        yield f"other processes used CPU time on {uses[0].machine}: {shares}"
