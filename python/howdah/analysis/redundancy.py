"""Blocks that HDFS copied or rebuilt: after it lost DataNodes, for drained ones, and in measured rebuilds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

import numpy as np

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import Rebuild, WorkerDrain
from howdah.analysis.evidence.times import WorkloadTime
from howdah.analysis.evidence.use import MachineOfRun
from howdah.analysis.layers import LAG_S
from howdah.analysis.machines import counted, setting_s, setting_text
from howdah.analysis.outages import DAEMONS, Outage, outages
from howdah.analysis.phases import attempts_of
from howdah.analysis.timeline import Timeline, Track
from howdah.analysis.wording import listed, number, seconds
from howdah.model.cluster import Event
from howdah.model.comparison import Finding, Number
from howdah.model.run import Outcome, RunRecord, TaskAttempt, WorkloadResult
from howdah.model.tables import RunData
from howdah.model.workloads.hadoop_programs import REBUILD_TIME, REDUNDANCY
from howdah.releases.values import read_seconds
from howdah.units import format_bytes, format_counted, format_rate

_LIVE, _FEW = "namenode/live_datanodes", "namenode/under_replicated"
_TOGETHER_S = 30.0
"""Workers of a host are lost together."""
_RECHECK, _HEARTBEAT = "dfs.namenode.heartbeat.recheck-interval", "dfs.heartbeat.interval"


def rebuilds(record: RunRecord, timeline: Timeline) -> tuple[Rebuild, ...]:
    """One for all DataNodes that were lost together; empty if the NameNode was not sampled."""
    live, few = (_largest(timeline, metric) for metric in (_LIVE, _FEW))
    if live is None or few is None:
        return ()
    lost = [each for each in outages(record.events, timeline) if DAEMONS["datanode"] in each.daemons]
    together: list[list[Outage]] = []
    for outage in sorted(lost, key=lambda each: each.lost_s):
        if together and outage.lost_s - together[-1][0].lost_s < _TOGETHER_S:
            together[-1].append(outage)
        else:
            together.append([outage])
    return tuple(_rebuild(group, live, few) for group in together)


def _largest(timeline: Timeline, metric: str) -> Track | None:
    """The track of the NameNode that counts most: a standby knows less."""
    tracks = [track for host in timeline.hosts if (track := timeline.track(host, metric)) is not None]
    return max(tracks, key=lambda track: float(track.values.max()), default=None)


def _rebuild(group: list[Outage], live: Track, few: Track) -> Rebuild:
    lost_s = min(outage.lost_s for outage in group)
    before = float(live.at(lost_s))
    gone = live.times_s[(live.times_s > lost_s) & (live.values < before)]
    base = float(few.at(lost_s))
    later = few.times_s > lost_s
    times, values = few.times_s[later], few.values[later]
    most = float(values.max()) if len(values) else base
    rebuilt_s = None
    if most > base:
        after = times[np.arange(len(values)) > int(values.argmax())]
        whole = after[values[int(values.argmax()) + 1 :] <= base]
        rebuilt_s = float(whole[0]) if len(whole) else None
    return Rebuild(
        workers=tuple(sorted(outage.worker for outage in group)),
        lost_s=lost_s,
        given_up_s=float(gone[0]) if len(gone) else None,
        most_blocks=round(most - base),
        rebuilt_s=rebuilt_s,
    )


def find_rebuilds(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Whether HDFS made new replicas of what lost DataNodes held, and how long that took."""
    for rebuild in evidence.rebuilds:
        numbers = [number("blocks with too few replicas", rebuild.most_blocks, "1")]
        if rebuild.given_up_s is not None:
            numbers.append(number("given up after", rebuild.given_up_s - rebuild.lost_s, "s"))
        if rebuild.rebuilt_s is not None:
            numbers.append(number("all replicas again after", rebuild.rebuilt_s - rebuild.lost_s, "s"))
        whole = rebuild.given_up_s is None or rebuild.rebuilt_s is not None or not rebuild.most_blocks
        yield Finding(
            id="hdfs-rebuilt",
            severity="note" if whole else "warning",
            text=f"HDFS: {_text(record, rebuild)}",
            numbers=tuple(numbers),
        )


def _text(record: RunRecord, rebuild: Rebuild) -> str:
    nodes = f"the {'DataNode' if len(rebuild.workers) == 1 else 'DataNodes'} of {listed(rebuild.workers)}"
    if rebuild.given_up_s is None:
        heartbeat_s = read_seconds(setting_text(record, _HEARTBEAT)) or 0.0
        patience_s = 2 * setting_s(record, _RECHECK) + 10 * heartbeat_s
        return (
            f"the NameNode did not give up {nodes} and rebuilt nothing, because it waits "
            f"{seconds(patience_s)} for a silent DataNode ({_RECHECK}, {_HEARTBEAT})"
        )
    text = f"the NameNode gave up {nodes} {seconds(rebuild.given_up_s - rebuild.lost_s)} after the loss"
    if not rebuild.most_blocks:
        return f"{text}, and no block lacked a replica"
    text += f"; up to {format_counted(rebuild.most_blocks, 'block')} had too few replicas"
    if rebuild.rebuilt_s is None:
        return f"{text}, and not all had theirs again when sampling ended"
    return f"{text}, and all had theirs again {seconds(rebuild.rebuilt_s - rebuild.lost_s)} after the loss"


def drains(
    run: RunData, timeline: Timeline, machines: tuple[MachineOfRun, ...], times: tuple[WorkloadTime, ...]
) -> tuple[WorkerDrain, ...]:
    """Every DataNode that was drained during a run, in order."""
    return tuple(
        _drain(run, timeline, machines, times, event)
        for event in run.record.events
        if event.kind == "datanode-drained"
    )


def _drain(
    run: RunData,
    timeline: Timeline,
    machines: tuple[MachineOfRun, ...],
    times: tuple[WorkloadTime, ...],
    event: Event,
) -> WorkerDrain:
    began_s = event.time_s if event.since_s is None else event.since_s
    running = [time for time in times if time.start_s <= event.time_s and began_s <= time.end_s]
    maps = [
        attempt
        for time in running
        for attempt in attempts_of(run, time)
        if attempt.kind == "map" and attempt.state == Outcome.SUCCEEDED.value
    ]
    meanwhile = [attempt for attempt in maps if attempt.start_s <= event.time_s and began_s <= attempt.end_s]
    others = [attempt for attempt in maps if attempt not in meanwhile]

    def grown(metric: str) -> float | None:
        tracks = [timeline.track(machine, metric) for machine in counted(machines, timeline, "datanode")]
        sampled = [track for track in tracks if track is not None]
        return sum(track.growth(began_s, event.time_s + LAG_S) for track in sampled) if sampled else None

    return WorkerDrain(
        worker=event.worker,
        began_s=event.since_s,
        ended_s=event.time_s,
        held_bytes=event.held_bytes,
        workloads=tuple(time.workload for time in running),
        copied_blocks=grown("datanode/copied_blocks"),
        written_bytes=grown("datanode/written_bytes"),
        during_s=_mean_s(meanwhile),
        otherwise_s=_mean_s(others),
    )


def _mean_s(attempts: Sequence[TaskAttempt]) -> float | None:
    return fmean(attempt.end_s - attempt.start_s for attempt in attempts) if attempts else None


def find_moves(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A note for each DataNode that was drained, and one for each measured rebuild."""
    for drain in evidence.drains:
        yield _drained(drain)
    for result in record.workloads:
        if result.workload.kind == REDUNDANCY and result.metrics:
            yield _rebuilt(result)


def _drained(drain: WorkerDrain) -> Finding:
    text = f"{drain.worker} was drained"
    numbers: list[Number] = []
    if drain.began_s is not None:
        text += f" in {seconds(drain.ended_s - drain.began_s)}"
        numbers.append(number("drained in", drain.ended_s - drain.began_s, "s"))
    if drain.held_bytes is not None:
        text += f" with {format_bytes(drain.held_bytes)} on its disks"
        numbers.append(number("on its disks", drain.held_bytes, "B"))
    if drain.copied_blocks is not None and drain.written_bytes is not None:
        blocks = format_counted(round(drain.copied_blocks), "block")
        text += f": DataNodes copied {blocks} and wrote {format_bytes(drain.written_bytes)} meanwhile"
        numbers.append(number("blocks copied", drain.copied_blocks, "1"))
        numbers.append(number("written meanwhile", drain.written_bytes, "B"))
    if drain.workloads:
        text += f", while {listed(drain.workloads)} ran"
    if drain.during_s is not None and drain.otherwise_s is not None:
        text += f"; maps took {seconds(drain.during_s)} then, and {seconds(drain.otherwise_s)} otherwise"
        numbers.append(number("maps meanwhile", drain.during_s, "s"))
        numbers.append(number("maps otherwise", drain.otherwise_s, "s"))
    return Finding(
        id="worker-drained",
        workload=drain.workloads[0] if drain.workloads else None,
        text=text,
        numbers=tuple(numbers),
    )


def _rebuilt(result: WorkloadResult) -> Finding:
    values = {metric.name: metric.value for metric in result.metrics}
    units, copied = values.get("rebuilt units", 0.0), values.get("copied blocks", 0.0)
    remaining = values.get("blocks not rebuilt", 0.0)
    parts = []
    if units:
        parts.append(
            f"{format_counted(round(units), 'unit')} of coded blocks "
            f"({format_bytes(values['rebuilt bytes of units'])}) were computed from "
            f"{format_bytes(values['bytes read to rebuild units'])}"
        )
    if copied:
        parts.append(
            f"{format_counted(round(copied), 'block')} ({format_bytes(values['copied bytes'])}) copied"
        )
    text = f"HDFS was redundant again after {seconds(values[REBUILD_TIME])}"
    if not parts:
        text = "no block had to be copied or rebuilt"
    else:
        text += f": {listed(parts)}"
    if (rate := values.get("rebuild rate")) and parts:
        text += f", {format_rate(rate)}"
    if (noticed_s := values.get("time until noticed")) is not None:
        text += f"; the NameNode began {seconds(noticed_s)} after the start"
    if remaining:
        text = f"{format_counted(round(remaining), 'block')} were not rebuilt; {text}"
    return Finding(
        id="rebuild",
        severity="warning" if remaining else "note",
        workload=result.workload.kind,
        text=f"{result.workload.kind}: {text}",
        numbers=tuple(number(metric.name, metric.value, metric.unit) for metric in result.metrics),
    )
