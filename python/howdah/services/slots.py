"""Slots of tasks: as few as the tasks that ran at once."""

from __future__ import annotations

import heapq
from collections.abc import Sequence


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
