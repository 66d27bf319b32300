"""Workers that were missing, how long their lost work waited, and blocks that HDFS copied or rebuilt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.losses import Outage, Wait
from howdah.analysis.layers import LAG_S
from howdah.analysis.machines import Timeline, Track, counted, setting_s, setting_text
from howdah.analysis.operation_steps import TimedRun
from howdah.analysis.phases import attempts_of
from howdah.analysis.wording import conclude, seconds
from howdah.hadoop.daemons import DAEMONS as CATALOGUE
from howdah.model.cluster import Event, HadoopJob
from howdah.model.comparison import Finding
from howdah.model.plan import Role
from howdah.model.run import RunRecord, TaskAttempt, WorkloadResult
from howdah.model.workloads.hadoop_programs import REBUILD_TIME, REDUNDANCY
from howdah.releases.values import read_seconds
from howdah.units import format_bytes, format_counted, format_rate, listed

DAEMONS = {CATALOGUE[role].name: role.value for role in (Role.DATANODE, Role.NODEMANAGER)}
_TOGETHER_S = 30.0  # Daemons of a lost worker are missed one after the other, as workers of a lost host.

_NODE = "yarn.nm.liveness-monitor.expiry-interval-ms"
_MASTER = "yarn.am.liveness-monitor.expiry-interval-ms"
_TASK = "mapreduce.task.timeout"
_CONNECTION = "yarn.client.nodemanager-connect.max-wait-ms"
_TIMED_OUT = "Timed out after"  # An application master's words for an attempt that did not report.
_SOON_S = 10.0  # Containers are given out within a few heartbeats, and events noticed within a poll.


def outages(events: Sequence[Event], timeline: Timeline) -> tuple[Outage, ...]:
    """Every outage of a worker, in the order in which they were noticed."""
    alone = sorted(_of_daemons(events, timeline), key=lambda outage: (outage.worker, outage.noticed_s))
    result: list[Outage] = []
    for outage in alone:
        last = result[-1] if result else None
        if last and last.worker == outage.worker and outage.noticed_s - last.noticed_s < _TOGETHER_S:
            result[-1] = _joined(last, outage)
        else:
            result.append(outage)
    return tuple(sorted(result, key=lambda outage: outage.noticed_s))


def _of_daemons(events: Sequence[Event], timeline: Timeline) -> Iterator[Outage]:
    missing: dict[tuple[str, str], Outage] = {}
    for event in sorted(events, key=lambda event: event.time_s):
        daemon, _, kind = event.kind.partition("-")
        if daemon not in DAEMONS or kind == "drained":
            continue
        place = (event.worker, daemon)
        if kind == "back":
            if place in missing:
                yield replace(missing.pop(place), back_s=event.time_s)
            continue
        # Older records call lost twice what is missed first and given up later.
        given_up = kind == "given-up" or place in missing
        if place not in missing:
            signs = [] if event.seen_s is None else [event.seen_s]
            for subject in (daemon, f"jvm/{daemon}"):
                for track in timeline.tracks([event.worker], timeline.metrics(event.worker, subject)):
                    signs += [float(at) for at in track.times_s if at < event.time_s][-1:]
            lost_s = min(event.time_s, max(signs, default=event.time_s))
            missing[place] = Outage(event.worker, (DAEMONS[daemon],), lost_s, event.time_s)
        if given_up and daemon == "nodemanager":
            missing[place] = replace(missing[place], given_up_s=event.time_s)
    yield from missing.values()


def _joined(outage: Outage, other: Outage) -> Outage:
    """One outage of both: lost together, so that the later sign of life holds for either."""

    def first(*moments: float | None) -> float | None:
        return min((moment for moment in moments if moment is not None), default=None)

    noticed_s = min(outage.noticed_s, other.noticed_s)
    return Outage(
        worker=outage.worker,
        daemons=tuple(dict.fromkeys((*outage.daemons, *other.daemons))),
        lost_s=min(noticed_s, max(outage.lost_s, other.lost_s)),
        noticed_s=noticed_s,
        given_up_s=first(outage.given_up_s, other.given_up_s),
        back_s=first(outage.back_s, other.back_s),
    )


def freed_s(
    outage: Outage, ended: Sequence[TaskAttempt], again: Sequence[TaskAttempt], takeover_s: float | None
) -> float:
    """When the last of what was under way was begun anew; the loss itself where nothing was lost."""
    if takeover_s is not None:
        return outage.lost_s + takeover_s
    begun: dict[tuple[str, int], float] = {}
    for attempt in sorted(again, key=lambda attempt: attempt.start_s):
        begun.setdefault((attempt.kind, attempt.task), attempt.start_s)
    # What had ended before the loss is done again as it is missed, and some of it waits for a place.
    held = [begun.get((attempt.kind, attempt.task), attempt.end_s) for attempt in under_way(outage, ended)]
    return max(held) if held else min(begun.values(), default=outage.lost_s)


def under_way(outage: Outage, ended: Sequence[TaskAttempt]) -> list[TaskAttempt]:
    """The attempts that ran on the worker when it was lost."""
    return [
        attempt for attempt in ended if attempt.worker == outage.worker and attempt.end_s >= outage.lost_s
    ]


def waits(
    record: RunRecord, job: HadoopJob | None, outage: Outage, until_s: float, held: Sequence[TaskAttempt]
) -> tuple[Wait, ...]:
    """The parts of the wait until lost work could begin again; ``held`` attempts their master had to end."""
    result = []
    from_s = outage.lost_s
    values = {**(job.conf if job else {}), **(record.cluster.patience if record.cluster else {})}
    for end_s, reason, setting in _parts(outage, until_s, held):
        if end_s > from_s:
            value = values.get(setting or "", "")
            value_s = int(value) / 1000 if value.isdigit() else None
            result.append(Wait(end_s - from_s, reason, setting, value_s))
            from_s = end_s
    return tuple(result)


def _parts(
    outage: Outage, until_s: float, held: Sequence[TaskAttempt]
) -> Iterator[tuple[float, str, str | None]]:
    """When each part ended, what was waited for, and the property that sets how long."""
    if any(_TIMED_OUT in (attempt.error or "") for attempt in held):
        yield until_s, "its attempts timed out", _TASK
        return
    back = outage.back_s is not None and outage.back_s <= until_s
    if outage.given_up_s is None:
        yield until_s, "the worker was back" if back else "it was started elsewhere", None
        return
    given_up_s = min(outage.given_up_s, until_s)
    if until_s - given_up_s <= _SOON_S:
        given_up_s = until_s
    yield given_up_s, "YARN gave the worker up", _NODE
    if back:
        # It is asked again and again, and answers as soon as it is there.
        yield until_s, "the worker was back", None
    elif held:
        yield until_s, "the application master gave up reaching it", _CONNECTION
    else:
        yield until_s, "it was started elsewhere", None


_LIVE, _FEW = "namenode/live_datanodes", "namenode/under_replicated"
_RECHECK, _BEAT = "dfs.namenode.heartbeat.recheck-interval", "dfs.heartbeat.interval"


def find_rebuilds(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Whether HDFS made new replicas for all DataNodes that were lost together, and how long that took."""
    timeline = evidence.timed.timeline
    # A standby knows less than the NameNode that counts most.
    live, few = (
        max(
            timeline.tracks(timeline.hosts, [metric]),
            key=lambda track: float(track.values.max()),
            default=None,
        )
        for metric in (_LIVE, _FEW)
    )
    if live is None or few is None:
        return
    lost = [outage for outage in outages(record.events, timeline) if DAEMONS["datanode"] in outage.daemons]
    together: list[list[Outage]] = []
    for outage in sorted(lost, key=lambda outage: outage.lost_s):
        if together and outage.lost_s - together[-1][0].lost_s < _TOGETHER_S:
            together[-1].append(outage)
        else:
            together.append([outage])
    yield from (_hdfs_rebuilt(record, group, live, few) for group in together)


def _hdfs_rebuilt(record: RunRecord, group: Sequence[Outage], live: Track, few: Track) -> Finding:
    workers, lost_s = sorted(outage.worker for outage in group), min(outage.lost_s for outage in group)
    gone = live.times_s[(live.times_s > lost_s) & (live.values < float(live.at(lost_s)))]
    base, later = float(few.at(lost_s)), few.times_s > lost_s
    times, values = few.times_s[later], few.values[later]
    # The most blocks with too few replicas at a time, and when there were no more than before the loss.
    most = float(values.max()) if len(values) else base
    whole = times[:0]
    if most > base:
        highest = int(values.argmax())
        whole = times[highest + 1 :][values[highest + 1 :] <= base]
    lacking = round(most - base)
    words = "whole" if len(whole) else "lacking"
    words = "kept" if not len(gone) else words if lacking else "no_lack"
    return conclude(
        "hdfs-rebuilt",
        words=words,
        warns=words == "lacking",
        nodes=f"the {'DataNode' if len(workers) == 1 else 'DataNodes'} of {listed(workers)}",
        patience_s=2 * setting_s(record, _RECHECK) + 10 * (read_seconds(setting_text(record, _BEAT)) or 0.0),
        most_blocks=lacking,
        given_up_after_s=float(gone[0]) - lost_s if len(gone) else None,
        rebuilt_after_s=float(whole[0]) - lost_s if len(whole) else None,
    )


def find_moves(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """A note for each DataNode that was drained, and one for each measured rebuild."""
    for event in record.events:
        if event.kind == "datanode-drained":
            yield _drained(evidence.timed, event)
    for result in record.workloads:
        if result.workload.kind == REDUNDANCY and result.metrics:
            yield _rebuilt(result)


def _drained(timed: TimedRun, event: Event) -> Finding:
    """What a drained DataNode moved, and what that cost the maps that ran meanwhile."""
    began_s = event.time_s if event.since_s is None else event.since_s
    running = [time for time in timed.times if time.start_s <= event.time_s and began_s <= time.end_s]
    attempts = (attempt for time in running for attempt in attempts_of(timed.run, time))
    maps = [attempt for attempt in attempts if attempt.kind == "map" and attempt.succeeded]
    meanwhile = [attempt for attempt in maps if attempt.start_s <= event.time_s and began_s <= attempt.end_s]
    others = [attempt for attempt in maps if attempt not in meanwhile]
    datanodes = counted(timed.machines, timed.timeline, "datanode")
    copied, written = (
        timed.timeline.total(datanodes, [f"datanode/{metric}"], began_s, event.time_s + LAG_S)
        for metric in ("copied_blocks", "written_bytes")
    )
    moved, compared = None not in (copied, written), bool(meanwhile and others)
    return conclude(
        "worker-drained",
        event,
        workload=running[0].workload if running else None,
        took_s=None if event.since_s is None else event.time_s - began_s,
        copied=copied if moved else None,
        blocks=round(copied) if moved and copied is not None else None,
        written=written if moved else None,
        ran=[time.workload for time in running] or None,
        meanwhile_s=fmean(attempt.elapsed_s for attempt in meanwhile) if compared else None,
        usual_s=fmean(attempt.elapsed_s for attempt in others) if compared else None,
    )


def _rebuilt(result: WorkloadResult) -> Finding:
    values = {metric.name: metric.value for metric in result.metrics}
    parts = []
    if units := values.get("rebuilt units"):
        parts.append(
            f"{format_counted(round(units), 'unit')} of coded blocks "
            f"({format_bytes(values['rebuilt bytes of units'])}) were computed from "
            f"{format_bytes(values['bytes read to rebuild units'])}"
        )
    if copied := values.get("copied blocks"):
        blocks = format_counted(round(copied), "block")
        parts.append(f"{blocks} ({format_bytes(values['copied bytes'])}) copied")
    done = "no block had to be copied or rebuilt"
    if parts:
        done = f"HDFS was redundant again after {seconds(values[REBUILD_TIME])}: {listed(parts)}"
        if rate := values.get("rebuild rate"):
            done += f", {format_rate(rate)}"
    remaining = values.get("blocks not rebuilt")
    return conclude(
        "rebuild",
        warns=bool(remaining),
        numbers=((metric.name, metric.value, metric.unit) for metric in result.metrics),
        workload=result.workload.kind,
        remaining=round(remaining) if remaining else None,
        done=done,
        noticed_s=values.get("time until noticed"),
    )
