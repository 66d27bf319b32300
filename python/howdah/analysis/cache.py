"""Differences between counters and devices that the page cache and the file system explain."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.evidence import ByteSide, Explanation
from howdah.analysis.timeline import Timeline

# Inodes, extents, directories and the journal cost large sequential files well under this share.
METADATA_SHARE = 0.01
_DIRTY = ("memory/dirty_bytes", "memory/writeback_bytes")


def explain_read(
    timeline: Timeline,
    hosts: tuple[str, ...],
    window: tuple[float, float],
    side: ByteSide,
    *,
    buffered: bool | None,
    written: float,
) -> Iterator[Explanation]:
    """Why devices read more or less than was asked for; ``buffered`` None: nothing tells whether it was.

    ``written`` are the bytes that the workload wrote itself, such as the map output that its reduces fetch.
    """
    remainder = side.unexplained or 0.0
    if remainder > 0:
        yield from _metadata(remainder, side.said)
    elif buffered is not False:
        # Cached pages can have served no more than was there when the workload began or was written since.
        known = _sampled(timeline, hosts, ("memory/cached_bytes",))
        held = _gauges(timeline, hosts, ("memory/cached_bytes",), window[0]) + (written if buffered else 0.0)
        # Caches that nobody sampled, those of a lab's workers for instance, are bounded by nothing.
        served = min(-remainder, held) if known or not buffered else -remainder
        if served > 0:
            yield Explanation(
                "read from the page cache", -served, "likely" if buffered and known else "guess"
            )


def explain_written(
    timeline: Timeline,
    hosts: tuple[str, ...],
    window: tuple[float, float],
    side: ByteSide,
    *,
    buffered: bool | None,
) -> Iterator[Explanation]:
    """Why devices wrote more or less than was asked for."""
    remainder = side.unexplained or 0.0
    begun, ended = (_gauges(timeline, hosts, _DIRTY, moment) for moment in window)
    dirtied = ended - begun
    what = "still in the page cache at the end, written back later"
    if remainder < 0 < dirtied:
        yield Explanation(what, -min(-remainder, dirtied), "measured")
    elif remainder < 0 and buffered and not _sampled(timeline, hosts, _DIRTY):
        yield Explanation(what, remainder, "guess")
    if remainder > 0:
        early = min(remainder, max(0.0, -dirtied))
        if early > 0:
            yield Explanation("dirty in the page cache before it started", early, "measured")
        yield from _metadata(remainder - early, side.said)


def _metadata(remainder: float, said: float) -> Iterator[Explanation]:
    share = min(remainder, METADATA_SHARE * said)
    if share > 0:
        yield Explanation("file-system metadata and journal", share, "guess")


def _sampled(timeline: Timeline, hosts: tuple[str, ...], metrics: tuple[str, ...]) -> bool:
    return any(timeline.track(host, metric) for host in hosts for metric in metrics)


def _gauges(timeline: Timeline, hosts: tuple[str, ...], metrics: tuple[str, ...], time_s: float) -> float:
    """Gauges over all hosts together, 0 where they were not sampled."""
    tracks = (timeline.track(host, metric) for host in hosts for metric in metrics)
    return sum(float(track.at(time_s)) for track in tracks if track is not None)
