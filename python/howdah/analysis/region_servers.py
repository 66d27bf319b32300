"""RegionServers: requests to each, how they spread over regions, and the events of the servers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Final, NamedTuple

import numpy as np

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.operations import RegionServerUse, RegionUse
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.machines import Timeline
from howdah.analysis.operation_steps import Stretch, TimedRun
from howdah.analysis.phases import grouped
from howdah.analysis.step_causes import SERVER, hot_from, region_servers
from howdah.analysis.wording import conclude, signed
from howdah.model.comparison import Finding
from howdah.model.reported import OperationCount
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.tables import COLLECTION, COMPACTION, FLUSH, MOVE, SPLIT, RunData, ServerEvent
from howdah.model.workloads.ycsb import Ycsb
from howdah.model.workloads.ycsb_options import Durability


def region_uses(timed: TimedRun) -> tuple[RegionUse, ...]:
    """Every region that anything was asked of, workload by workload, the hottest first."""
    uses: list[RegionUse] = []
    for time in timed.times:
        rows: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for machine in region_servers(timed.timeline):
            end_s = seen_until(timed.timeline, machine, time, timed.times)
            for region in timed.timeline.instances(machine, "region"):
                grown = timed.timeline.growth(machine, f"region/{region}/requests", time.start_s, end_s)
                if grown:
                    rows[region][machine] = grown
        uses_here = [
            RegionUse(time.workload, region, max(on, key=lambda name: on[name]), sum(on.values()))
            for region, on in rows.items()
        ]
        uses += sorted(uses_here, key=lambda use: -use.rows)
    return tuple(uses)


def find_hot_regions(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """The hottest region of each workload: a warning where it has a multiple of the others' requests."""
    for mine in grouped(evidence.regions, lambda item: item.workload).values():
        if len(mine) > 1:
            share = mine[0].rows / sum(use.rows for use in mine)
            ratio = share * len(mine)
            yield conclude(
                "hot-region",
                mine[0],
                warns=ratio >= hot_from(len(mine)),
                numbers=((f"rows of {use.region}", use.rows, "1") for use in mine[:10]),
                share=share,
                regions=len(mine),
                ratio=ratio if ratio >= UNEVEN else None,
                even=None if ratio >= UNEVEN else ": it was spread evenly",
            )


_COUNTERS: Final = (
    (COLLECTION, "regionserver", "jvm/regionserver/gc_s", "{:.3g} s of collections"),
    (FLUSH, "regionserver", "regionserver/flushes", "{:.0f} of them ended"),
    (COMPACTION, "regionserver", "regionserver/compactions", "{:.0f} of them ended"),
    (MOVE, "hmaster", "hmaster/moves", "{:.0f} of them began"),
    (SPLIT, "hmaster", "hmaster/splits", "{:.0f} of them began"),
)  # Counters that grow with a kind of event of a daemon, and what is said of their growth.
LEAST_S = 0.001  # Time in collections that is worth a mark, between two samples.


def server_events(run: RunData, timeline: Timeline) -> tuple[ServerEvent, ...]:
    """All events, logged or between two samples in which a counter grew, in the order they began."""
    logged = [ServerEvent(**row) for row in run.server_events.to_pylist()]
    read = {(event.machine, event.daemon) for event in logged}
    events = list(logged)
    for (kind, daemon, metric, words), machine in product(_COUNTERS, timeline.hosts):
        track = timeline.track(machine, metric)
        if track is None or (machine, daemon) in read:
            continue
        least = LEAST_S if kind == COLLECTION else 0.5
        for (start_s, before), (end_s, after) in pairwise(zip(track.times_s, track.values, strict=True)):
            if after - before >= least:
                text = f"{words.format(after - before)} between two samples"
                events.append(ServerEvent(float(start_s), float(end_s), machine, daemon, kind, text, None))
    return tuple(sorted(events, key=lambda event: event.start_s))


AGREE = 0.01  # Requests for the table of regions, and those that were sent again, are counted besides.
SAME = 0.0005  # A smaller difference is not worth a word.
UNEVEN = 1.3  # A server with so many times the mean of the requests is worth a word.
_READS, _WRITES = ("read",), ("update", "insert")  # By request; read-modify-write counts as both.


_GROWN = (
    "flushes", "flushed_bytes", "compactions", "compacted_bytes", "wal_appends", "blocked_s", "exceptions",
    "too_busy", "not_serving",
)  # fmt: skip
"""Counters of a RegionServer that its use has under the same names."""


def region_server_uses(timed: TimedRun) -> tuple[RegionServerUse, ...]:
    """Every RegionServer that was sampled, in every workload in which it answered anything."""
    timeline, times_ = timed.timeline, timed.times
    servers = region_servers(timeline)
    if not servers:
        return ()
    pauses = [
        event
        for event in (ServerEvent(**row) for row in timed.run.server_events.to_pylist())
        if event.kind == COLLECTION and event.daemon == SERVER
    ]
    hit_s = first_hit_s(timed.run.record, servers)
    uses = (
        _use(timeline, name, time, (seen_until(timeline, name, time, times_), stretches), pauses)
        for time in times_
        # A workload's requests should have spread evenly over all servers until a fault hit one.
        for stretches in [
            [(start_s, min(end_s, hit_s)) for start_s, end_s in timed.apart(time) if start_s < hit_s]
        ]
        for name in servers
    )
    return tuple(use for use in uses if use.requests)


def first_hit_s(record: RunRecord, servers: Sequence[str]) -> float:
    """When a fault first hit a RegionServer or its machine: from then on others do its work, as they must."""
    hits = (
        fault.begun_s
        for fault in record.faults
        if fault.begun_s is not None
        and any(hit in servers or hit.partition(" on ")[0] == SERVER for hit in fault.hit)
    )
    return min(hits, default=math.inf)


def interval_s(timeline: Timeline, machine: str) -> float:
    """How far apart a server's samples are, as a rule; what it says is as old at most."""
    track = timeline.track(machine, f"{SERVER}/get_requests")
    return float(np.median(np.diff(track.times_s))) if track and len(track.times_s) > 1 else 0.0


def seen_until(timeline: Timeline, machine: str, time: WorkloadTime, times_: Sequence[WorkloadTime]) -> float:
    """When samples tell of all that a workload did: an interval after it, or when the next one began."""
    late_s = time.end_s + interval_s(timeline, machine)
    return min([late_s, *(other.start_s for other in times_ if other.start_s >= time.end_s)])


def _use(
    timeline: Timeline,
    machine: str,
    time: WorkloadTime,
    judged: tuple[float, Sequence[Stretch]],
    pauses: Sequence[ServerEvent],
) -> RegionServerUse:
    start_s, (end_s, stretches) = time.start_s, judged

    def grown(metric: str, subject: str = SERVER) -> float:
        return timeline.growth(machine, f"{subject}/{metric}", start_s, end_s)

    def most(metric: str) -> float | None:
        """The most that was sampled between the ends, or at them."""
        track = timeline.track(machine, f"{SERVER}/{metric}")
        if track is None:
            return None
        inside = track.values[(track.times_s >= start_s) & (track.times_s <= end_s)]
        return float(np.max([*inside, *track.at(np.array([start_s, end_s]))]))

    hits, misses, syncs = grown("cache_hits"), grown("cache_misses"), grown("wal_syncs")
    logged = [event for event in pauses if event.machine == machine]
    inside = [event.seconds for event in logged if event.end_s >= start_s and event.start_s <= end_s]
    return RegionServerUse(
        workload=time.workload,
        machine=machine,
        gets=grown("get_requests"),
        mutations=grown("mutate_requests"),
        scans=grown("scan_requests"),
        seconds=time.elapsed_s,
        hit_share=hits / (hits + misses) if hits + misses else None,
        **{metric: grown(metric) for metric in _GROWN},
        memstore_bytes=most("memstore_bytes") or 0.0,
        compaction_queue=most("compaction_queue") or 0.0,
        wal_bytes=grown("wal_written_bytes"),
        sync_s=grown("wal_sync_s") / syncs if syncs else None,
        gc_share=grown(f"{SERVER}/gc_s", "jvm") / time.elapsed_s if time.elapsed_s else 0.0,
        longest_pause_s=max(inside, default=0.0) if logged else None,
        cpu_s=grown(f"{SERVER}/cpu_s", "jvm"),
        regions=most("regions") or 0.0,
        local_share=most("local_share"),
        judged=sum(
            timeline.growth(machine, f"{SERVER}/{request}_requests", *stretch)
            for request in ("get", "mutate", "scan")
            for stretch in stretches
        ),
    )


class RequestCheck(NamedTuple):
    """What clients requested and RegionServers counted: gets, mutations or entries of the WAL."""

    kind: str
    requested: float
    counted: float
    resolution: float  # Bounds the error that comes from samples not falling on the workload's ends.

    @property
    def apart(self) -> float:
        return (self.counted - self.requested) / self.requested


def _request_checks(
    timed: TimedRun, time: WorkloadTime, uses: Sequence[RegionServerUse]
) -> list[RequestCheck]:
    """What clients count next to what servers do; not where faults were done, as probes ask there, too."""
    result = time.result
    # Where the highest rate was looked for, servers were asked for much beside what the record counts.
    if timed.run.record.faults or not result.operations or not uses or result.rates:
        return []
    writes = asked_for(result.operations, _WRITES)
    counted = {
        "gets": (asked_for(result.operations, _READS), sum(use.gets for use in uses)),
        "mutations": (writes, sum(use.mutations for use in uses)),
        "entries in the WAL": (writes if is_logged(result) else 0, sum(use.wal_appends for use in uses)),
    }
    # A workload's neighbours may count for it: an interval at each end.
    most_s = max(interval_s(timed.timeline, use.machine) for use in uses)
    blur = min(1.0, 2 * most_s / time.elapsed_s)
    return [
        RequestCheck(kind, float(requested), server, blur * requested)
        for kind, (requested, server) in counted.items()
        if requested
    ]


def is_logged(result: WorkloadResult) -> bool:
    """Whether a workload's writes go to the WAL."""
    workload = result.workload
    return not (isinstance(workload, Ycsb) and workload.durability is Durability.SKIP_WAL)


def asked_for(operations: Sequence[OperationCount], names: Sequence[str]) -> int:
    """How many a client asked for, those of its warm-up too, of which it has but the answers."""
    mine = [count for count in operations if count.operation in names]
    return sum(sum(count.returns.values()) or count.done for count in mine)


def hottest(uses: Sequence[RegionServerUse]) -> tuple[RegionServerUse, float]:
    """The server with most requests while all did their part, and how many times the mean of all that is."""
    most = max(uses, key=lambda use: use.judged)
    return most, most.judged * len(uses) / sum(use.judged for use in uses)


def find_checks(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Whether servers counted what clients asked for: a warning where they did not."""
    for uses in grouped(evidence.region_servers, lambda item: item.workload).values():
        time = evidence.time_of(uses[0].workload)
        mine = _request_checks(evidence.timed, time, uses)
        if not mine:
            continue
        off = [
            check
            for check in mine
            if abs(check.counted - check.requested) > AGREE * check.requested + check.resolution
        ]
        blur = max(check.resolution / check.requested for check in mine)
        yield conclude(
            "request-accounting",
            uses[0],
            words="off" if off else "agree",
            warns=bool(off),
            numbers=(
                (f"{check.kind}, {by}", value, "1")
                for check in mine
                for by, value in (("requested", check.requested), ("counted", check.counted))
            ),
            off="; ".join(
                f"RegionServers counted {check.counted:,.0f} {check.kind} where clients asked for "
                f"{check.requested:,.0f} ({signed(check.apart)})"
                for check in off
            ),
            counts=[
                f"{check.counted:,.0f} {check.kind}"
                + ("" if abs(check.apart) < SAME else f" ({signed(check.apart)})")
                for check in mine
            ],
            blur=blur if blur > AGREE else None,
        )


def find_skew(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """How requests spread over servers: a warning where one has a multiple of the others'."""
    for mine in grouped(evidence.region_servers, lambda item: item.workload).values():
        if len(mine) > 1 and any(use.judged for use in mine):
            most, ratio = hottest(mine)
            hit_s = first_hit_s(record, [use.machine for use in mine])
            hit = hit_s <= evidence.time_of(most.workload).end_s
            yield conclude(
                "request-skew",
                most,
                warns=ratio >= hot_from(len(mine)),
                numbers=((f"requests of {use.machine}", use.judged, "1") for use in mine),
                share=ratio / len(mine),
                servers=len(mine),
                before=" before a fault hit one" if hit else None,
                ratio=ratio if ratio >= UNEVEN else None,
                even=None if ratio >= UNEVEN else ": they were spread evenly",
            )
