"""What is known of the work that a simulated run did: published figures, and measured runs beside it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from howdah.calibrate.case import phase_times
from howdah.calibrate.scoring import other_plan, other_work
from howdah.model.known import KnownTimes
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.store.listing import list_runs

_MOST_RUNS = 3
"""Of many measured runs the newest are shown."""


def known_times(record: RunRecord, runs_dir: Path) -> tuple[KnownTimes, ...]:
    """Published figures of the same work, then the newest measured runs of it; nothing of a measured run."""
    if record.origin is not Origin.SIMULATED:
        return ()
    # What a report of measured times does without.
    from howdah.simulation.published_runs import published_times  # noqa: PLC0415

    return (*published_times(record), *islice(_measured(record, runs_dir), _MOST_RUNS))


def _measured(record: RunRecord, runs_dir: Path) -> Iterator[KnownTimes]:
    for summary in reversed(list_runs(runs_dir)):
        candidate = summary.record
        if candidate is not None and _same(record, candidate):
            yield KnownTimes(origin="measured", source=candidate.id, times=_times(candidate))


def _same(record: RunRecord, candidate: RunRecord) -> bool:
    if candidate.origin is not Origin.MEASURED or candidate.outcome is not Outcome.SUCCEEDED:
        return False
    # A plan of one machine names no machine.
    elsewhere = record.plan.cluster is None and candidate.host.name != record.host.name
    work, plan = other_work(record.suite, candidate.suite), other_plan(record.plan, candidate.plan)
    return not (elsewhere or work or plan)


def _times(record: RunRecord) -> dict[str, float]:
    times: dict[str, float] = {}
    for result in record.workloads:
        kind = result.workload.kind
        times[kind] = result.elapsed_s
        times |= {f"{kind}/{phase}": elapsed_s for phase, elapsed_s in phase_times(result).items()}
    return {name: elapsed_s for name, elapsed_s in times.items() if elapsed_s > 0}
