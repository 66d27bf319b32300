"""What faults did to a cluster: how long who had no answer, what daemons did about it, and what was lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from howdah.analysis.evidence import Evidence, FaultEffect
from howdah.analysis.wording import listed, number, seconds
from howdah.faults.recovery import SEVERAL
from howdah.model.faults import CELLS_LOST, CELLS_READ, LEDGER_UNREAD, FaultTold, ProbeOutage, RecoveryStep
from howdah.model.finding import Finding, Number
from howdah.model.run import RunRecord
from howdah.units import format_count, format_counted

_SOON_S = 5.0
_AT_ONCE_S = 2.0
"""What comes so soon after a fault is undone comes of it, most likely: clients ask every two seconds."""


def fault_effects(record: RunRecord) -> tuple[FaultEffect, ...]:
    """Every fault that was done, in the order of time."""
    done = [(fault.begun_s, fault) for fault in record.faults if fault.begun_s is not None]
    done.sort(key=lambda one: one[0])
    ends = [*(begun_s for begun_s, _ in done[1:]), record.elapsed_s]
    return tuple(
        _effect(record, fault, begun_s, until_s)
        for (begun_s, fault), until_s in zip(done, ends, strict=False)
    )


def _effect(record: RunRecord, fault: FaultTold, begun_s: float, until_s: float) -> FaultEffect:
    asking = [probe for probe in record.probes if probe.start_s <= until_s and probe.end_s >= begun_s]
    caused = [[outage for outage in probe.outages if _within(outage, begun_s, until_s)] for probe in asking]
    every = [outage for outages in caused for outage in outages]
    over = all(outage.ended for outage in every)
    back_s = max((outage.end_s - begun_s for outage in every), default=0.0)
    # What is logged later has nothing to do with it: regions are moved at any time.
    looked_s = begun_s + back_s + _SOON_S if asking else until_s
    return FaultEffect(
        fault=fault,
        begun_s=begun_s,
        probes=len(asking),
        out=sum(map(bool, caused)),
        longest_s=max((outage.elapsed_s for outage in every), default=0.0),
        # A program that is to probe waits itself for a cluster that is hit while it starts.
        blind_s=max(0.0, min((probe.start_s - begun_s for probe in asking), default=0.0)),
        back_s=back_s if over else None,
        steps=_steps(record.recovery, begun_s, min(until_s, looked_s)),
    )


def _within(outage: ProbeOutage, begun_s: float, until_s: float) -> bool:
    """Whether it began between two faults, by the last good answer, or was under way at the first."""
    return outage.end_s > begun_s and outage.start_s < until_s


def _steps(steps: Sequence[RecoveryStep], begun_s: float, until_s: float) -> tuple[RecoveryStep, ...]:
    """One of each name, in order."""
    each: dict[str, RecoveryStep] = {}
    for step in steps:
        if begun_s <= step.time_s < until_s and (step.name not in each or step.name in SEVERAL):
            each[step.name] = step
    told = [step.model_copy(update={"time_s": step.time_s - begun_s}) for step in each.values()]
    return tuple(sorted(told, key=lambda step: step.time_s))


def find_faults(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One for each fault that was done; a warning for what was still out when probes ended."""
    for effect in evidence.fault_effects:
        yield _finding(
            record,
            "fault",
            "note" if effect.back_s is not None else "warning",
            f"{effect.fault.fault} hit {listed(effect.fault.hit)} at {seconds(effect.begun_s)}: "
            f"{_without_answer(effect)}{_recovered(effect)}",
            number("longest without an answer", effect.longest_s, "s"),
            *([] if effect.back_s is None else [number("all answered again after", effect.back_s, "s")]),
            *(number(step.name, step.time_s, "s") for step in effect.steps),
        )


def find_not_done(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A warning for each fault that did not happen, or was not undone."""
    del evidence
    for fault in record.faults:
        if fault.state in ("not happened", "not undone"):
            verb = "did not happen" if fault.state == "not happened" else "could not be undone"
            yield _finding(record, "fault-state", "warning", f"{fault.fault} {verb}: {fault.why}")


def find_kept(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Whether anything that was acknowledged is lost, of rows and of what clients wrote to HDFS."""
    del evidence
    counted, ledger = kept(record), record.ledger
    if counted is not None:
        read, lost = counted
        yield _finding(
            record,
            "acknowledged",
            "warning" if lost else "note",
            f"of {format_count(read)} fields the last acknowledged write was sought after all faults "
            f"were undone: {f'{format_count(lost)} are lost' if lost else 'none is lost'}",
            number(CELLS_READ, read, "1"),
            number(CELLS_LOST, lost, "1"),
        )
    if ledger is not None:
        broken = [f"{listed(what)} {name}" for name, what in ledger.broken.items()]
        yield _finding(
            record,
            "acknowledged",
            "warning" if broken else "note",
            f"{format_counted(ledger.clients, 'client')} asked HDFS for {format_count(ledger.asked)} things, "
            f"{format_count(ledger.acknowledged)} were acknowledged, and "
            f"{format_counted(ledger.files, 'file')} read back after all faults were undone: "
            f"{'; '.join(broken) or 'all is as HDFS promises'}",
            number("acknowledged", ledger.acknowledged, "1"),
            number("failed", ledger.failed, "1"),
        )


def in_short(record: RunRecord, evidence: Evidence) -> str:
    """What happened, how long nothing worked, and whether anything was lost; empty without faults."""
    effects = evidence.fault_effects
    if not effects:
        return ""
    text = f"after {listed([effect.fault.fault.split(' at ')[0] for effect in effects])}"
    if any(effect.probes for effect in effects):
        worst = max(effects, key=lambda effect: effect.longest_s)
        blind_s = max(effect.blind_s for effect in effects)
        if worst.out:
            out = f"up to {seconds(worst.longest_s)} without an answer"
        else:
            unseen = f"nothing was asked for the first {seconds(blind_s)}"
            out = unseen if blind_s else "no time without an answer"
        text += f": {out}"
    counted = kept(record)
    if counted is not None and counted[1]:
        return f"{text}, {format_count(counted[1])} acknowledged writes lost"
    if record.ledger is not None and not record.ledger.sound:
        return f"{text}, HDFS did not keep its word"
    if any(warning.code == LEDGER_UNREAD for warning in record.warnings):
        return f"{text}, what was acknowledged not read back"
    return text if counted is None and record.ledger is None else f"{text}, nothing acknowledged lost"


def kept(record: RunRecord) -> tuple[int, int] | None:
    """Fields whose last acknowledged write was sought, and those that lost it; None if nobody looked."""
    said = {metric.name: round(metric.value) for result in record.workloads for metric in result.metrics}
    return (said[CELLS_READ], said[CELLS_LOST]) if CELLS_READ in said else None


def _without_answer(effect: FaultEffect) -> str:
    if not effect.probes:
        return "nothing probed the cluster meanwhile"
    asked = format_counted(effect.probes, "probe")
    if effect.blind_s:
        asked += f", first asking {seconds(effect.blind_s)} after it,"
    if not effect.out:
        return f"{asked} always had an answer within a second"
    text = f"{effect.out} of {asked} had no answer, the longest for {seconds(effect.longest_s)}"
    if effect.back_s is None:
        return f"{text}, and not all had one when probing ended"
    waited = " (not before it was undone)" if _undoing_ended_it(effect) else ""
    return f"{text}; all had one again {seconds(effect.back_s)} after it{waited}"


def _undoing_ended_it(effect: FaultEffect) -> bool:
    """Whether the last answer came with the undoing, so that without it there would have been none yet."""
    if effect.back_s is None or effect.fault.ended_s is None:
        return False
    return 0 <= effect.begun_s + effect.back_s - effect.fault.ended_s <= _AT_ONCE_S


def _recovered(effect: FaultEffect) -> str:
    steps = [f"{step.name} after {seconds(step.time_s)}" for step in effect.steps]
    return f" ({listed(steps)})" if steps else ""


def _finding(
    record: RunRecord, kind: str, severity: Literal["warning", "note"], text: str, *numbers: Number
) -> Finding:
    return Finding(
        id=kind, severity=severity, text=text, sure="measured", origin=record.origin, numbers=tuple(numbers)
    )
