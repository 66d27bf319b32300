"""What servers did when: as their logs tell it, or else as counters do between two samples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from howdah.analysis.timeline import Timeline
from howdah.model.server_events import COLLECTION, COMPACTION, FLUSH, MOVE, SPLIT, ServerEvent
from howdah.model.tables import RunData


class _Counter(NamedTuple):
    """A counter that grows with a kind of event, and what is said of its growth."""

    kind: str
    daemon: str
    metric: str
    said: str


_COUNTERS: Final = (
    _Counter(COLLECTION, "regionserver", "jvm/regionserver/gc_s", "{:.3g} s of collections"),
    _Counter(FLUSH, "regionserver", "regionserver/flushes", "{:.0f} of them ended"),
    _Counter(COMPACTION, "regionserver", "regionserver/compactions", "{:.0f} of them ended"),
    _Counter(MOVE, "hmaster", "hmaster/moves", "{:.0f} of them began"),
    _Counter(SPLIT, "hmaster", "hmaster/splits", "{:.0f} of them began"),
)
LEAST_S = 0.001
"""Time in collections that is worth a mark, between two samples."""


def server_events(run: RunData, timeline: Timeline) -> tuple[ServerEvent, ...]:
    """Every event of the record's table, and those that only counters know of, in the order they began.

    A counter's event is the time between two samples in which it grew.
    """
    told = [ServerEvent(**row) for row in run.server_events.to_pylist()]
    read = {(event.machine, event.daemon) for event in told}
    return tuple(sorted([*told, *_counted(timeline, read)], key=lambda event: event.start_s))


def _counted(timeline: Timeline, read: set[tuple[str, str]]) -> Iterator[ServerEvent]:
    for counter in _COUNTERS:
        for machine in timeline.hosts:
            track = timeline.track(machine, counter.metric)
            if track is None or (machine, counter.daemon) in read:
                continue
            least = LEAST_S if counter.kind == COLLECTION else 0.5
            for (start_s, before), (end_s, after) in pairwise(zip(track.times_s, track.values, strict=True)):
                if after - before >= least:
                    said = f"{counter.said.format(after - before)} between two samples"
                    yield ServerEvent(
                        float(start_s), float(end_s), machine, counter.daemon, counter.kind, said, None
                    )
