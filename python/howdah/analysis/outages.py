"""Workers that were missing for a while: from when, noticed when, given up when, back when.

A daemon's last sign of life is the latest of what the record holds: what the watch heard of it, and its last
sample. Whoever lost it was without it from then on, which is seconds earlier than anybody noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from howdah.analysis.timeline import Timeline
from howdah.model.cluster import Event

DAEMONS = {"datanode": "DataNode", "nodemanager": "NodeManager"}
# The daemons of a worker that is lost are missed one after the other, each by its own means.
_TOGETHER_S = 30.0


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
    alone = sorted(_of_daemons(events, timeline), key=lambda each: (each.worker, each.noticed_s))
    found: list[Outage] = []
    for each in alone:
        last = found[-1] if found else None
        if last and last.worker == each.worker and each.noticed_s - last.noticed_s < _TOGETHER_S:
            found[-1] = _joined(last, each)
        else:
            found.append(each)
    return tuple(sorted(found, key=lambda each: each.noticed_s))


def _of_daemons(events: Sequence[Event], timeline: Timeline) -> Iterator[Outage]:
    """The outages of every daemon by itself."""
    missing: dict[tuple[str, str], Outage] = {}
    for event in sorted(events, key=lambda each: each.time_s):
        daemon, _, what = event.kind.partition("-")
        if daemon not in DAEMONS:
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


def _joined(one: Outage, other: Outage) -> Outage:
    """One outage of both: lost together, so that the later sign of life holds for either."""
    noticed_s = min(one.noticed_s, other.noticed_s)
    return Outage(
        worker=one.worker,
        daemons=tuple(dict.fromkeys((*one.daemons, *other.daemons))),
        lost_s=min(noticed_s, max(one.lost_s, other.lost_s)),
        noticed_s=noticed_s,
        given_up_s=_first(one.given_up_s, other.given_up_s),
        back_s=_first(one.back_s, other.back_s),
    )


def _first(*moments: float | None) -> float | None:
    known: Iterable[float] = (each for each in moments if each is not None)
    return min(known, default=None)
