"""How far a run is, in words and numbers, one line each, as the terminal shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from howdah.model.run import Outcome, WorkloadResult
from howdah.model.sink import Progress
from howdah.model.workload import WorkloadKind
from howdah.session.run.spent import Spent
from howdah.units import format_count_short, format_rate, format_seconds

if TYPE_CHECKING:
    from howdah.session.run.reporting import WorkloadTime

_SHORT_CHECKSUM = 8


def result_line(result: WorkloadResult, time: WorkloadTime, *, short: bool) -> str:
    """A workload that ended: its time, its rate, its phases where it has several, what it found.

    ``short`` leaves of a checksum enough to recognise it by; the report has all of it.
    """
    if result.outcome is not Outcome.SUCCEEDED and not result.validation_errors:
        return f"{result.outcome.value} after {format_seconds(time.elapsed_s)}"
    parts = [f"{format_seconds(time.elapsed_s):>8}"]
    if time.rate is not None and time.rate.bytes_per_s > 0:
        parts.append(f"{format_rate(time.rate.bytes_per_s):>10}")
    if len(time.phases) > 1 and result.workload.kind is WorkloadKind.TERASORT:
        phases = (
            f"{phase.name} {format_seconds(phase.elapsed_s).removesuffix(' s')}" for phase in time.phases
        )
        parts.append(" · ".join(phases))
    return "   ".join([*parts, *_verdict(result, short=short)])


def _verdict(result: WorkloadResult, *, short: bool) -> list[str]:
    if result.validation_errors:
        return [result.validation_errors[0].message]
    if result.answer is not None:
        return [f"pi = {result.answer}" if result.workload.kind is WorkloadKind.PI else result.answer]
    if result.workload.kind is WorkloadKind.TERAVALIDATE and result.checksum is not None:
        checksum = f"{result.checksum[:_SHORT_CHECKSUM]}…" if short else result.checksum
        matches = "" if result.expected_checksum is None else " matches"
        return [f"in order · checksum {checksum}{matches}"]
    return []


def spent_line(spent: Spent) -> str:
    """What a simulation took of this machine's own time."""
    engine, recording, reporting = map(format_seconds, spent)
    return f"{engine} to simulate, {recording} to write the record, {reporting} to make the report"


def progress_line(step: Progress) -> str:
    """A workload under way, for those who see no bar: how much of it, which tasks, since when."""
    parts = [f"{min(1.0, step.done / step.total):4.0%}"] if step.total else []
    return "   ".join(
        [*parts, *filter(None, [step.tasks]), step.phase, f"for {format_seconds(step.elapsed_s)}"]
    )


def progress_state(step: Progress, amount: int, room: int) -> str:
    """A workload under way: seconds so far, rate, time left, phase; the last ones go where ``room`` ends.

    ``amount`` is what the whole of the work is rated by, so that the rate is the one to be told at its end.
    """
    parts = [f"{format_seconds(step.elapsed_s):>8}"]
    if step.elapsed_s > 0 and step.done and step.total:
        share = min(1.0, step.done / step.total)
        left_s = step.elapsed_s * (1 - share) / share
        # What is simulated in a second says nothing of the cluster.
        if step.unit != "share":
            parts.append(f"{_rate(share * amount / step.elapsed_s, step):>10}")
        parts.append(f"{format_seconds(left_s)} left")
    parts.append(step.phase)
    while len(parts) > 1 and len("   ".join(parts)) > room:
        parts.pop()
    return "   ".join(parts)


def _rate(per_s: float, step: Progress) -> str:
    return format_rate(per_s) if step.unit == "B" else f"{format_count_short(int(per_s))} {step.unit}/s"
