"""Findings on workers that were lost: who, when, when that was known, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Evidence, Wait, WorkerLoss
from howdah.analysis.wording import listed, named, number, seconds
from howdah.model.finding import Finding
from howdah.model.run import RunRecord
from howdah.units import format_bytes, format_counted


def find_losses(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One warning for each worker that was missing during a workload."""
    for loss in evidence.losses:
        yield Finding(
            id="worker-lost",
            severity="warning",
            workload=loss.workload,
            phase=loss.phase,
            text="; ".join(_clauses(loss, evidence.time_of(loss.workload).start_s)),
            sure="measured",
            origin=record.origin,
            numbers=(
                number("attempts lost", len(loss.ended), "1"),
                number("work lost", loss.wasted_s, "s"),
                number("bytes lost", loss.wasted_bytes, "B"),
                number("waited", loss.waited_s, "s"),
                number("work done again", loss.rerun_s, "s"),
                number("end held up", loss.delay_s, "s"),
            ),
        )


def _clauses(loss: WorkerLoss, began_s: float) -> Iterator[str]:
    yield _when(loss, began_s)
    if loss.takeover_s is not None:
        what = "what was under way" if loss.ended else "all that it had begun, of which nobody tells"
        yield (
            f"the job's application master was lost as well, and with it {what}: the next one "
            f"began its first task {seconds(loss.takeover_s)} after the loss"
        )
    if loss.ended:
        text = f"{format_counted(len(loss.ended), 'task attempt')} ended with it"
        text += f", {seconds(loss.wasted_s)} of work"
        yield f"{text} over {format_bytes(loss.wasted_bytes)}" if loss.wasted_bytes else text
    elif loss.takeover_s is None:
        yield "no task attempt was lost with it"
    if len(loss.waits) == 1:
        yield f"for {seconds(loss.waited_s)} nobody did that work again, until {_ended(loss.waits[0])}"
    elif loss.waits:
        parts = listed([f"{seconds(wait.seconds)} until {_ended(wait)}" for wait in loss.waits])
        yield f"for {seconds(loss.waited_s)} nobody did that work again: {parts}"
    if loss.again:
        yield f"{format_counted(len(loss.again), 'attempt')} of {seconds(loss.rerun_s)} did it again"
    if loss.delay_s > 0:
        yield f"the end was held up by {seconds(loss.delay_s)}"


def _when(loss: WorkerLoss, began_s: float) -> str:
    who = f"the {listed(loss.daemons)} of {loss.worker} on {loss.host}"
    if loss.before_s > 0:
        text = f"{loss.workload} began without {loss.worker}: {who} had gone missing"
        text += f" {seconds(loss.before_s)} before"
    else:
        text = f"{named(loss.workload, loss.phase)}: {who} went missing"
        text += f" {seconds(loss.lost_s - began_s)} after the start"
    known = []
    if loss.noticed_s > loss.lost_s:
        known.append(f"noticed {seconds(loss.noticed_s - loss.lost_s)} later")
    if loss.given_up_s is not None:
        known.append(f"given up by YARN after {seconds(loss.given_up_s - loss.lost_s)}")
    if loss.back_s is not None:
        known.append(f"back after {seconds(loss.back_s - loss.lost_s)}")
    return f"{text} ({', '.join(known)})" if known else text


def _ended(wait: Wait) -> str:
    """What ended a wait, with the property that sets when it does."""
    if wait.setting is None:
        return wait.what
    value = "" if wait.value_s is None else f", {seconds(wait.value_s)} here"
    return f"{wait.what} ({wait.setting}{value})"
