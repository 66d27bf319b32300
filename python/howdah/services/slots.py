"""The places that tasks ran in: as few as hold all that ran at once."""

from __future__ import annotations

import heapq
from collections.abc import Sequence


def slots(stretches: Sequence[tuple[float, float]], most: int | None = None) -> list[int]:
    """For each stretch (its start and end) the lowest place that is free then; places count from 0.

    Those of one worker and one kind of task belong together. No two stretches of a place overlap, and
    there are as many places as stretches run at once.

    With ``most`` there are no more places than that: a stretch that begins while all are taken gets the one
    that is free next. Ends that are noticed late overlap with what follows.
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
