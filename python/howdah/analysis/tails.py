"""The slowest requests of a workload: merged histograms, the tail, and the causes that coincide with it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.operations import OperationLatency, Tail, TailCause, TailKind
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.machines import on_cluster
from howdah.analysis.operation_steps import INTENDED, StepCounts, TimedRun
from howdah.analysis.step_causes import Mask, StepCause, region_servers, scene, step_causes
from howdah.analysis.wording import Figure, conclude, delay, percent, phrase, sentences
from howdah.analysis.wording import times as multiple
from howdah.model.comparison import Finding
from howdah.model.reported import SHARES, summary
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.units import listed

CURVE = tuple(1 - 10 ** (-step / 8) for step in range(41))
"""Shares of all operations from none to all but one in 100,000, evenly on a scale of how many take longer."""


def latencies(run: RunData) -> tuple[OperationLatency, ...]:
    """Every operation of every workload, in the order in which they were first timed."""
    histograms: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    columns = run.latencies.select(["workload", "operation", "histogram"])
    for workload, operation, histogram in zip(
        *(column.to_pylist() for column in columns.columns), strict=True
    ):
        histograms[workload, operation].append(histogram)
    operations = []
    for (workload, operation), texts in histograms.items():
        merged = summary(texts, (*SHARES, *CURVE))
        if merged is not None:
            # Beyond what so many operations can tell there is only the slowest one.
            curve = tuple(
                pair for pair in merged.shares[len(SHARES) :] if (1 - pair[0]) * merged.operations >= 1
            )
            operations.append(
                OperationLatency(
                    workload=workload,
                    operation=operation,
                    count=merged.operations,
                    within_s=merged.shares[: len(SHARES)],
                    longest_s=merged.longest_s,
                    curve=(*curve, (1 - 1 / merged.operations, merged.longest_s)),
                )
            )
    return tuple(operations)


SLOW = 0.99  # The share of the requests that are not slow.
OVER_CHANCE = 2.0  # A cause catches so many times the slow requests that an unrelated one would.
LEAST_CAUGHT = 0.1  # A cause of fewer slow requests than this share is not worth a word.
RARE = 0.05  # What chance does more often proves nothing.
NEARLY_ALL = 0.8  # What held for so much of the time has nothing to be compared with.
SET = 0.3  # A cause of fewer slow requests than this share did not set the tail.
_STEADY: frozenset[TailKind] = frozenset({"server CPU", "client CPU", "disk", "cache misses", "hot server"})
"""What makes requests wait as long as it lasts."""

WORDS: Mapping[TailKind, str] = sentences()["tail"]["causes"]
"""What a cause is called, to be said after ``set by``."""


def tails(timed: TimedRun) -> tuple[Tail, ...]:
    slowest = (
        _tail(timed, time, requests, within_s)
        for time in timed.times
        if (requests := timed.requests(time)) is not None
        and (within_s := requests.together_s(SLOW)) is not None
        and requests.slower(within_s).sum()
    )
    return tuple(slowest)


def _tail(timed: TimedRun, time: WorkloadTime, requests: StepCounts, within_s: float) -> Tail:
    slow = requests.slower(within_s)
    sought = list(step_causes(scene(timed, time, requests, within_s)))
    kinds = tuple(cause.kind for cause in sought)
    # A store within the program that asks has no servers that could have been sampled.
    looked = on_cluster(timed.run.record) or region_servers(timed.timeline)
    always = [cause for cause in sought if _share(cause.steps, requests.operations) >= NEARLY_ALL]
    return Tail(
        workload=time.workload,
        within_s=within_s,
        slow=int(slow.sum()),
        step_s=requests.step_s,
        causes=tuple(_explained(requests, slow, [cause for cause in sought if cause not in always])),
        steady=tuple(
            _tail_cause(requests, slow, cause, cause.steps, 1.0) for cause in always if cause.kind in _STEADY
        ),
        sought=kinds,
        unknown=tuple(kind for kind in WORDS if kind not in (*kinds, "outage")) if looked else (),
    )


def _explained(
    requests: StepCounts, slow: NDArray[np.int64], causes: Sequence[StepCause]
) -> Iterator[TailCause]:
    """Causes one by one, the one that explains most first; what one has caught counts for no other."""
    unexplained: Mask = np.ones(len(slow), dtype=bool)
    waiting = list(causes)
    while waiting:
        tried = []
        for cause in waiting:
            chance = _chance(cause.steps, unexplained, slow)
            tried.append((_tail_cause(requests, slow, cause, cause.steps & unexplained, chance), cause))
        # A cause counts if it catches many more slow requests than chance would; few steps prove little.
        fit = [
            (candidate, cause)
            for candidate, cause in tried
            if candidate.caught >= max(LEAST_CAUGHT, OVER_CHANCE * candidate.held)
            and candidate.chance <= max(RARE, 1 / len(slow))
        ]
        if not fit:
            return
        # Special causes stand before general ones, and win where they explain as much.
        candidate, cause = max(fit, key=lambda pair: round(pair[0].caught - pair[0].held, 2))
        yield candidate
        unexplained = unexplained & ~cause.steps
        waiting.remove(cause)


def _tail_cause(
    requests: StepCounts, slow: NDArray[np.int64], cause: StepCause, steps: Mask, chance: float
) -> TailCause:
    return TailCause(
        kind=cause.kind,
        caught=_share(steps, slow),
        held=_share(steps, requests.operations),
        without_s=requests.together_s(SLOW, ~cause.steps),
        measure=cause.measure,
        most=cause.most,
        unit=cause.unit,
        machine=cause.machine,
        chance=chance,
    )


def _share(steps: Mask, counts: NDArray[np.int64]) -> float:
    return float(counts[steps].sum() / counts.sum())


def _chance(steps: Mask, unexplained: Mask, slow: NDArray[np.int64]) -> float:
    """In how many of all shifts, its own included, a cause catches as many slow requests as in its own."""
    own = slow[steps & unexplained].sum()
    caught = [slow[np.roll(steps, shift) & unexplained].sum() for shift in range(len(steps))]
    return float(np.mean(np.asarray(caught) >= own))


def set_by(tail: Tail) -> str | None:
    """What set the tail, in words; None where that cannot be told."""
    main = [cause for cause in tail.causes if cause.caught >= SET]
    if main:
        return WORDS[main[0].kind]
    return WORDS[tail.steady[0].kind] if tail.steady else None


def find_tails(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """One finding for each: what the slowest requests coincided with, or that it cannot be told."""
    for tail in evidence.tails:
        numbers: list[Figure] = []
        for cause in (*tail.causes, *tail.steady):
            most = (100 * cause.most, "%") if cause.unit == "share" else (cause.most, cause.unit)
            numbers += [
                (f"{cause.kind}: of slower requests", 100 * cause.caught, "%"),
                (f"{cause.kind}: of all requests", 100 * cause.held, "%"),
                (f"{cause.kind}: {cause.measure}", *most),
                (f"{cause.kind}: 99 % within otherwise", cause.without_s, "s"),
            ]
        clauses = [
            phrase(
                "tail-cause",
                cause,
                words="caught" if cause in tail.causes else "steady",
                step="second" if round(tail.step_s, 1) == 1 else f"{tail.step_s:.3g} s",
                what=WORDS[cause.kind],
                measured=_measured(cause),
                sooner_s=cause.without_s if (cause.without_s or math.inf) < tail.within_s else None,
            )
            for cause in (*tail.causes, *tail.steady)
        ]
        # Coinciding is no proof, but what is much rarer by chance is likely.
        likely = tail.causes[0].chance <= RARE if tail.causes else bool(tail.steady)
        # A request at a rate that cannot begin in time is late before it begins.
        late = [
            f"{delay(dict(latency.within_s)[SLOW])} ({latency.operation.removesuffix(INTENDED)})"
            for latency in evidence.latencies
            if latency.workload == tail.workload and latency.operation.endswith(INTENDED)
        ]
        unexplained = 1 - tail.explained
        yield conclude(
            "tail",
            tail,
            words="known" if clauses else "unknown",
            sure="likely" if likely else "guess",
            numbers=numbers,
            clauses="; ".join(clauses),
            unexplained=unexplained if tail.causes and unexplained >= LEAST_CAUGHT else None,
            sought=listed([WORDS[kind] for kind in tail.sought], "or") or "anything",
            missing=[WORDS[kind] for kind in tail.unknown] or None,
            late=late or None,
        )


def measured(cause: TailCause) -> str:
    """The most that was measured of a cause."""
    return {"s": delay(cause.most), "share": percent(cause.most)}.get(cause.unit, f"{cause.most:.3g}")


def _measured(cause: TailCause) -> str:
    value = multiple(cause.most) if cause.kind == "hot server" else measured(cause)
    return f"{cause.measure} {value} {'of' if cause.kind == 'outage' else 'on'} {cause.machine}"
