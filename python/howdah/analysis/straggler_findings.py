"""What is said of stragglers: one sentence each, and one for many of a kind with the same cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.analysis.evidence import Cause, Evidence, Sign, Straggler
from howdah.analysis.others import disturbance_of, used_meanwhile
from howdah.analysis.wording import Sure, number, percent, seconds, times, took
from howdah.model.finding import Finding
from howdah.model.run import RunRecord
from howdah.units import format_bytes, format_counted, format_rate

MOST_SENTENCES = 3
"""More stragglers of one kind and cause than these share a sentence, with as many examples."""

LIKELY = 0.7
_CONTENDED: Cause = "contended machine"
_DID: dict[Cause, tuple[str, str]] = {
    "skewed partition": (
        "was given more bytes than others of its kind",
        "were given more bytes than others of their kind",
    ),
    "slow disk": ("waited for a slow disk", "waited for slow disks"),
    "slow link": ("waited for a slow link", "waited for slow links"),
    "garbage collection": ("collected garbage", "collected garbage"),
    "CPU held back": ("was limited in its use of CPUs", "were limited in their use of CPUs"),
    "late start": ("began late", "began late"),
    "contended machine": (
        "was slow while others used the machine that it shares with them",
        "were slow while others used the machine that they share with them",
    ),
    "cannot tell": (
        "was slow, and neither telemetry nor tasks show why",
        "were slow, and neither telemetry nor tasks show why",
    ),
}
"""What is said of one straggler of a cause, and of several."""
_WHOSE = {"plan": "planned", "peers": "its peers'", "quiet": "a quiet machine's"}


def find_stragglers(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A warning for each straggler with its cause and the numbers for it; those that are many share one."""
    alike: dict[tuple[str, str, bool, Cause], list[Straggler]] = {}
    for straggler in evidence.stragglers:
        key = (straggler.workload, straggler.kind, straggler.task is None, straggler.cause)
        alike.setdefault(key, []).append(straggler)
    for group in alike.values():
        if len(group) > MOST_SENTENCES:
            yield _of_many(record, evidence, group)
        else:
            yield from (_of_one(record, evidence, straggler) for straggler in group)


def _of_one(record: RunRecord, evidence: Evidence, straggler: Straggler) -> Finding:
    text = f"{straggler.workload}: {_who(straggler)} {_DID[straggler.cause][0]}"
    if straggler.signs:
        text += f": {_reason(straggler)}"
    if straggler.slowdown > 1 and straggler.task is None:
        text += f"; its tasks {took(record)} {times(straggler.slowdown)} as long per byte as others'"
    text += _disturbed(evidence, straggler)
    if len(straggler.signs) > 1:
        text += f"; weaker: {straggler.signs[1].cause}, {_stands_on(straggler.signs[1])}"
    numbers = (
        number("confidence", straggler.confidence, "1"),
        number("seconds per byte over others'", straggler.slowdown, "1"),
        *(number(_lost(sign), sign.lost_share, "1") for sign in straggler.signs),
    )
    return Finding(
        id="straggler",
        severity="warning",
        workload=straggler.workload,
        text=text,
        sure=_sure(straggler.confidence),
        origin=record.origin,
        numbers=numbers,
    )


def _of_many(record: RunRecord, evidence: Evidence, group: Sequence[Straggler]) -> Finding:
    """The strongest come first, and are the examples."""
    first = group[0]
    noun = "worker" if first.task is None else f"{first.kind} task"
    text = f"{first.workload}: {format_counted(len(group), noun)} {_DID[first.cause][1]}, such as "
    text += "; ".join(
        f"{_who(straggler)}, {_reason(straggler)}" if straggler.signs else _who(straggler)
        for straggler in group[:MOST_SENTENCES]
    )
    text += _disturbed(evidence, first)
    surest = max(straggler.confidence for straggler in group)
    numbers = [number("stragglers", len(group), "1"), number("largest confidence", surest, "1")]
    if first.signs:
        most = max(straggler.signs[0].lost_share for straggler in group)
        numbers.append(number(f"most {_lost(first.signs[0])}", most, "1"))
    return Finding(
        id="straggler",
        severity="warning",
        workload=first.workload,
        text=text,
        sure=_sure(surest),
        origin=record.origin,
        numbers=tuple(numbers),
    )


def _who(straggler: Straggler) -> str:
    if straggler.task is None:
        return straggler.worker
    return f"{straggler.kind} task {straggler.task} on {straggler.worker}"


def _reason(straggler: Straggler) -> str:
    sign = straggler.signs[0]
    # What others used was not lost to one worker alone, and nobody knows how much of it was.
    if straggler.cause == _CONTENDED:
        return _stands_on(sign)
    return f"{_stands_on(sign)}, which cost it {percent(sign.lost_share)} of its time"


def _disturbed(evidence: Evidence, straggler: Straggler) -> str:
    others = disturbance_of(evidence, straggler.workload)
    if others is None or straggler.cause == _CONTENDED:
        return ""
    return f"; {used_meanwhile(others)}, which makes this less sure"


def _sure(confidence: float) -> Sure:
    return "likely" if confidence >= LIKELY else "guess"


def _lost(sign: Sign) -> str:
    return sign.quantity if sign.cause == _CONTENDED else f"time lost to {sign.cause}"


def _stands_on(sign: Sign) -> str:
    value, reference = (_worded(amount, sign.unit) for amount in (sign.value, sign.reference))
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
