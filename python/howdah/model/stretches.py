"""Stretches of time, each a start and an end: what they cover together, and how many overlap."""

from __future__ import annotations

from collections.abc import Iterable


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
