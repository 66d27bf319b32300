"""Workers that were missing for a while, and how long nobody did again what was lost with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from howdah.analysis.evidence.losses import Wait
from howdah.analysis.timeline import Timeline
from howdah.hadoop.daemons import DAEMONS as CATALOGUE
from howdah.model.cluster import Event, HadoopJob
from howdah.model.plan import Role
from howdah.model.run import RunRecord, TaskAttempt

DAEMONS = {CATALOGUE[role].name: role.value for role in (Role.DATANODE, Role.NODEMANAGER)}
# The daemons of a worker that is lost are missed one after the other, each by its own means.
_TOGETHER_S = 30.0

_NODE = "yarn.nm.liveness-monitor.expiry-interval-ms"
_MASTER = "yarn.am.liveness-monitor.expiry-interval-ms"
_TASK = "mapreduce.task.timeout"
_CONNECTION = "yarn.client.nodemanager-connect.max-wait-ms"
# An application master ends an attempt that has not reported for so long, in these words.
_TIMED_OUT = "Timed out after"
# Containers are given out within a few heartbeats, and events are noticed within a look of the watch.
_SOON_S = 10.0


@dataclass(frozen=True)
class Outage:
    """One worker's daemons missing, seconds since the run's start.

    ``lost_s`` is their last sign of life, ``noticed_s`` when they were missed first, ``given_up_s`` when YARN
    gave up the NodeManager, if it did; ``back_s`` when the first of them was back, None if none was.
    """

    worker: str
    daemons: tuple[str, ...]
    lost_s: float
    noticed_s: float
    given_up_s: float | None = None
    back_s: float | None = None


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
    """The outages of every daemon by itself."""
    missing: dict[tuple[str, str], Outage] = {}
    for event in sorted(events, key=lambda each: each.time_s):
        daemon, _, what = event.kind.partition("-")
        if daemon not in DAEMONS or what == "drained":
            continue
        place = (event.worker, daemon)
        if what == "back":
            if place in missing:
                yield replace(missing.pop(place), back_s=event.time_s)
            continue
        # Older records call lost twice what is missed first and given up later.
        given_up = what == "given-up" or place in missing
        if place not in missing:
            lost_s = _last_sign_s(event, daemon, timeline)
            missing[place] = Outage(event.worker, (DAEMONS[daemon],), lost_s, event.time_s)
        if given_up and daemon == "nodemanager":
            missing[place] = replace(missing[place], given_up_s=event.time_s)
    yield from missing.values()


def _last_sign_s(event: Event, daemon: str, timeline: Timeline) -> float:
    signs = [] if event.seen_s is None else [event.seen_s]
    for subject in (daemon, f"jvm/{daemon}"):
        for metric in timeline.metrics(event.worker, subject):
            track = timeline.track(event.worker, metric)
            signs += [] if track is None else [float(at) for at in track.times_s if at < event.time_s][-1:]
    return min(event.time_s, max(signs, default=event.time_s))


def _joined(outage: Outage, other: Outage) -> Outage:
    """One outage of both: lost together, so that the later sign of life holds for either."""
    noticed_s = min(outage.noticed_s, other.noticed_s)
    return Outage(
        worker=outage.worker,
        daemons=tuple(dict.fromkeys((*outage.daemons, *other.daemons))),
        lost_s=min(noticed_s, max(outage.lost_s, other.lost_s)),
        noticed_s=noticed_s,
        given_up_s=_first(outage.given_up_s, other.given_up_s),
        back_s=_first(outage.back_s, other.back_s),
    )


def _first(*moments: float | None) -> float | None:
    known: Iterable[float] = (moment for moment in moments if moment is not None)
    return min(known, default=None)


def freed_s(
    outage: Outage, ended: Sequence[TaskAttempt], again: Sequence[TaskAttempt], takeover_s: float | None
) -> float:
    """When the last of what was under way was begun anew; the loss itself where nothing was lost."""
    if takeover_s is not None:
        return outage.lost_s + takeover_s
    begun: dict[tuple[str, int], float] = {}
    for attempt in again:
        begun[attempt.kind, attempt.task] = min(
            attempt.start_s, begun.get((attempt.kind, attempt.task), attempt.start_s)
        )
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
    """The parts of the wait from the loss until the lost work could be begun anew, in their order.

    ``held`` are the attempts that their application master had to end there; none where that was lost too.
    """
    result = []
    from_s = outage.lost_s
    for end_s, what, setting in _parts(outage, until_s, held):
        if end_s > from_s:
            value_s = None if setting is None else _value_s(record, job, setting)
            result.append(Wait(end_s - from_s, what, setting, value_s))
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


def _value_s(record: RunRecord, job: HadoopJob | None, setting: str) -> float | None:
    """The value of a property that counts milliseconds, as it was on that cluster."""
    running = record.cluster.patience if record.cluster else {}
    value = {**(job.conf if job else {}), **running}.get(setting, "")
    return int(value) / 1000 if value.isdigit() else None
