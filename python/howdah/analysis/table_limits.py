"""What kept a workload of single operations from doing more in a second, and its answer in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.operations import RegionServerUse, ThroughputBound, ThroughputLimit
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.machines import Timeline
from howdah.analysis.operation_steps import StepCounts, Stretch, TimedRun, in_stretches
from howdah.analysis.region_servers import hottest
from howdah.analysis.step_causes import BUSY, FULL, SERVER, hot_from, region_servers
from howdah.analysis.tails import set_by
from howdah.analysis.use import cpu_share
from howdah.analysis.wording import conclude, phrase, seconds, took
from howdah.model.comparison import Finding
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.ycsb import Ycsb
from howdah.units import format_per_s

ON_TARGET = 0.98  # A rate from this share of the target on has reached the target.
OWN_TIME = 0.7  # Clients with fewer requests under way, of those possible, are busy themselves.
_STATIONS: Mapping[str, ThroughputBound] = {
    "client processors": "client CPU", "server processors": "server CPU", "disks": "disk", "links": "link",
    "log": "log",
}  # fmt: skip
HELD_UP = 0.1  # Writes that are held up for so much of the time limit what can be done.


def throughput_limits(timed: TimedRun, servers: Sequence[RegionServerUse]) -> tuple[ThroughputLimit, ...]:
    return tuple(
        _limit(timed, [use for use in servers if use.workload == time.workload], time, requests)
        for time in timed.times
        if (requests := timed.requests(time)) is not None
    )


def _limit(
    timed: TimedRun, servers: Sequence[RegionServerUse], time: WorkloadTime, requests: StepCounts
) -> ThroughputLimit:
    result = time.result
    workload, primary, still = result.workload, result.primary, timed.still[time.workload]
    apart, apart_steps = requests.apart(still), ~in_stretches(requests.edges_s, still)
    apart_s = float(np.diff(requests.edges_s)[apart_steps].sum())
    answered_per_s = float(apart.operations.sum()) / apart_s if apart_s else 0.0
    mean_s = apart.mean_s() if answered_per_s else requests.mean_s()
    span_s = float(requests.edges_s[-1] - requests.edges_s[0])
    reported = primary.value if primary and primary.unit == "1/s" else None
    per_s = float(requests.operations.sum()) / span_s if reported is None else reported
    threads, target = (workload.threads, workload.target) if isinstance(workload, Ycsb) else (None, None)
    at_once = threads * len(timed.clients(time)) if threads else None
    still_s = sum(end_s - start_s for start_s, end_s in still)
    bound: tuple[ThroughputBound, float, str]
    if target and per_s >= ON_TARGET * target:
        bound = "the target", per_s / target, ""
    else:
        bound = next(chain(_simulated(result), _bounds(timed, servers, time)), ("waiting", 0.0, ""))
    return ThroughputLimit(
        time.workload, per_s, *bound, at_once, answered_per_s * mean_s, mean_s, still_s, answered_per_s
    )


def _bounds(
    timed: TimedRun, servers: Sequence[RegionServerUse], time: WorkloadTime
) -> Iterator[tuple[ThroughputBound, float, str]]:
    """What was held up or full, the most special first."""
    clients = timed.clients(time)
    names = region_servers(timed.timeline) or clients
    apart = [name for name in clients if name not in names]
    candidates: tuple[tuple[ThroughputBound, dict[str, float], float], ...] = (
        ("blocked writes", _used(timed, [use.machine for use in servers], time, _blocked), HELD_UP),
        ("client CPU", _used(timed, apart, time, _cpu), FULL),
        ("server CPU", _used(timed, names, time, _cpu), FULL),
        ("disk", _used(timed, names, time, _disk), BUSY),
    )
    for bound, values, least in candidates:
        machine = max(values, key=lambda name: values[name], default=None)
        if machine is not None and values[machine] >= least:
            yield bound, values[machine], machine
    if len(servers) > 1 and any(use.judged for use in servers):
        most, ratio = hottest(servers)
        if ratio >= hot_from(len(servers)):
            yield "hot server", ratio / len(servers), most.machine


def _simulated(result: WorkloadResult) -> Iterator[tuple[ThroughputBound, float, str]]:
    """What was full in a simulation, which knows how busy the busiest station of each kind was."""
    for station in sorted(result.used.stations if result.used else (), key=lambda entry: -entry.busy):
        bound = _STATIONS.get(station.station)
        if bound is not None and station.busy >= (FULL if bound.endswith("CPU") else BUSY):
            yield bound, station.busy, "" if bound == "client CPU" else "the busiest RegionServer"


def _used(
    timed: TimedRun,
    names: Sequence[str],
    time: WorkloadTime,
    share: Callable[[Timeline, str, Stretch], float | None],
) -> dict[str, float]:
    """What was used of each machine outside of outages, or of its host where its own use was not sampled."""
    used_share = {}
    stretches = timed.apart(time)
    whole_s = sum(end_s - start_s for start_s, end_s in stretches)
    for name in names:
        for place in dict.fromkeys((name, timed.host_of(name))):
            used = [(share(timed.timeline, place, stretch), stretch[1] - stretch[0]) for stretch in stretches]
            sampled = [(value, length_s) for value, length_s in used if value is not None]
            if sampled:
                used_share[name] = sum(value * length_s for value, length_s in sampled) / whole_s
                break
    return used_share


def _cpu(timeline: Timeline, machine: str, stretch: Stretch) -> float | None:
    share = cpu_share(timeline, machine, *stretch)
    return share.busy if share else None


def _disk(timeline: Timeline, machine: str, stretch: Stretch) -> float | None:
    grown = [
        timeline.growth(machine, f"disk/{disk}/busy_s", *stretch)
        for disk in timeline.instances(machine, "disk")
    ]
    return min(1.0, max(grown) / (stretch[1] - stretch[0])) if grown else None


def _blocked(timeline: Timeline, machine: str, stretch: Stretch) -> float | None:
    return timeline.growth(machine, f"{SERVER}/blocked_s", *stretch) / (stretch[1] - stretch[0])


def limited_by(limit: ThroughputLimit) -> str:
    """What limited it, in words."""
    client = f"the client {limit.machine}" if limit.machine else "the busiest client"
    return phrase("limited-by", limit, words=limit.bound, client=client)


def _waiting(limit: ThroughputLimit) -> list[str]:
    """Little's law: requests under way are those of a second times how long each took; empty if full."""
    if limit.bound != "waiting":
        return []
    words = "some"
    if limit.at_once is not None:
        words = "few" if limit.under_way < OWN_TIME * limit.at_once else "all"
    return [phrase("requests-waited", limit, words=words)]


def _rate(limit: ThroughputLimit) -> str:
    text = format_per_s(limit.per_s)
    if limit.still_s:
        text += f" ({format_per_s(limit.apart_per_s)} outside of {seconds(limit.still_s)} of outages)"
    return text


def find_throughput(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    for limit in evidence.throughput_limits:
        yield conclude(
            "throughput-limit",
            limit,
            clauses=", ".join([_rate(limit), limited_by(limit), *_waiting(limit)]),
            outside_per_s=limit.apart_per_s if limit.still_s else None,
            outages_s=limit.still_s or None,
            used=100 * limit.value or None,
        )


def answer_sentences(record: RunRecord, evidence: Evidence, time: WorkloadTime, *, brief: bool) -> list[str]:
    """A workload of single operations: how many, who waited, its tail, its limit unless brief; else empty."""
    limit = next((entry for entry in evidence.throughput_limits if entry.workload == time.workload), None)
    if limit is None or time.outcome is not Outcome.SUCCEEDED:
        return []
    did, limited = took(record, "did", "do"), None if brief else limited_by(limit)
    text = [phrase("answer", time, words="rate", did=did, rate=_rate(limit), limit=limited)]
    text += [] if brief else _waiting(limit)
    tail = next((entry for entry in evidence.tails if entry.workload == time.workload), None)
    if tail is not None:
        cause = f"was {cause}" if (cause := set_by(tail)) else "is unknown"
        text.append(phrase("answer", tail, words="tail", took=took(record), cause=cause))
    return text


def together(record: RunRecord, evidence: Evidence, main: Sequence[WorkloadTime]) -> list[str] | None:
    """Several programs of single operations: slowest and fastest, and what set their tails.

    None where any of them reports no rate of operations.
    """
    rates = {}
    for time in main:
        primary = time.result.primary
        if primary is None or primary.unit != "1/s":
            return None
        rates[time.workload] = primary.value
    slowest, fastest = min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)
    values = {"least": rates[slowest], "slowest": slowest, "most": rates[fastest], "fastest": fastest}
    ran, count = took(record, "ran", "run"), len(rates)
    sentences = [phrase("answer", words="rates", workloads=count, ran=ran, **values)]
    tails = [tail for tail in evidence.tails if tail.workload in rates]
    if not tails:
        return sentences
    longest = max(tails, key=lambda tail: tail.within_s)
    sentences.append(phrase("answer", longest, words="slowest_tail", took=took(record)))
    causes = Counter(filter(None, map(set_by, tails)))
    if causes:
        cause, times = causes.most_common(1)[0]
        sentences.append(phrase("answer", words="tails_set", cause=cause, count=times, workloads=count))
    return sentences
