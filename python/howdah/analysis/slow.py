"""Findings on stragglers: who, why, and on which numbers that rests."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import Cause, Evidence, Sign, Straggler
from howdah.analysis.others import disturbance_of, used_meanwhile
from howdah.analysis.wording import Sure, number, percent, seconds, times
from howdah.model.finding import Finding
from howdah.model.run import RunRecord
from howdah.units import format_bytes, format_rate

_CONTENDED: Cause = "contended machine"
_IS = {
    "skewed partition": "was given more bytes than its like",
    "slow disk": "waited for a slow disk",
    "slow link": "waited for a slow link",
    "garbage collection": "collected garbage",
    "CPU held back": "was held back in its use of CPUs",
    "late start": "began late",
    "contended machine": "was slow while others used the machine that it shares with them",
    "cannot tell": "was slow, and neither telemetry nor tasks tell why",
}
_WHOSE = {"plan": "planned", "peers": "its peers'", "quiet": "a quiet machine's"}
LIKELY = 0.7


def find_stragglers(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One warning for each straggler with its cause, the numbers for it, and the next likely cause."""
    for each in evidence.stragglers:
        who = each.worker if each.task is None else f"{each.kind} task {each.task} on {each.worker}"
        text = f"{each.workload}: {who} {_IS[each.cause]}"
        if each.signs:
            text += f": {_stands_on(each.signs[0])}"
            # What others used was not lost to one worker alone, and nobody knows how much of it was.
            if each.cause != _CONTENDED:
                text += f", which cost it {percent(each.signs[0].lost_share)} of its time"
        if each.slowdown > 1 and each.task is None:
            text += f"; its tasks took {times(each.slowdown)} as long per byte as others'"
        others = disturbance_of(evidence, each.workload)
        if others is not None and each.cause != _CONTENDED:
            text += f"; {used_meanwhile(others)}, which makes this less sure"
        if len(each.signs) > 1:
            text += f"; weaker: {each.signs[1].cause}, {_stands_on(each.signs[1])}"
        yield Finding(
            id="straggler",
            severity="warning",
            workload=each.workload,
            text=text,
            sure=_sure(each),
            origin=record.origin,
            numbers=(
                number("confidence", each.confidence, "1"),
                number("seconds per byte over others'", each.slowdown, "1"),
                *(number(_lost(sign), sign.lost_share, "1") for sign in each.signs),
            ),
        )


def _sure(straggler: Straggler) -> Sure:
    return "likely" if straggler.confidence >= LIKELY else "guess"


def _lost(sign: Sign) -> str:
    return sign.quantity if sign.cause == _CONTENDED else f"time lost to {sign.cause}"


def _stands_on(sign: Sign) -> str:
    value, reference = (_worded(each, sign.unit) for each in (sign.value, sign.reference))
    whose = _WHOSE[sign.against]
    text = f"{sign.quantity} {value} against {whose} {reference}"
    return f"{text} for {percent(sign.held_share)} of the time" if sign.held_share is not None else text


def _worded(value: float, unit: str) -> str:
    if unit == "B/s":
        return format_rate(value)
    if unit == "B":
        return format_bytes(value)
    if unit == "s":
        return seconds(value)
    return f"{value:.2g}" if unit == "CPUs" else percent(value)
