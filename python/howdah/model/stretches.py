"""Stretches of time, each a start and an end: what they cover together, how many overlap, and their slots."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence


def stretches(times: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the stretches that these cover together, in order."""
    result: list[tuple[float, float]] = []
    for start, end in sorted(times):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(result[-1][1], end)
        else:
            result.append((start, end))
    return result


def most_at_once(times: Iterable[tuple[float, float]]) -> int:
    """Return the most of these that overlap; one that ends when another begins does not."""
    changes = sorted(change for start, end in times for change in ((start, 1), (end, -1)))
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def slots(stretches: Sequence[tuple[float, float]], most: int | None = None) -> list[int]:
    """Return for each stretch (start and end) the lowest free slot, from 0.

    Call it for the tasks of one worker and one kind. Stretches of a slot do not overlap, and there are as
    many slots as stretches run at once.

    ``most`` limits the number of slots: a stretch that begins while all are busy gets the one that becomes
    free next. This happens if ends are noticed late.
    """
    places = [0] * len(stretches)
    busy: list[tuple[float, int]] = []
    free: list[int] = []
    for index in sorted(range(len(stretches)), key=lambda slot: stretches[slot]):
        start, end = stretches[index]
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            place = heapq.heappop(free)
        elif most is not None and len(busy) >= most:
            place = heapq.heappop(busy)[1]
        else:
            place = len(busy)
        heapq.heappush(busy, (end, place))
        places[index] = place
    return places
