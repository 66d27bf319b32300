"""Which known name a misspelt one was meant to be: one that differs in a letter or two."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_MOST_EDITS = 2
_UNIT = re.compile(
    r"(?:^|[._-])(ms|msec|millis|s|sec|secs|seconds|mins?|minutes|hours|days|[kmg]?b|bytes|pct|percent)$"
)


def edits(one: str, other: str, most: int = _MOST_EDITS) -> int:
    """How many letters are inserted, removed, replaced or swapped; ``most`` + 1 for more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        before, last, row = row, before, [i]
        for j, wanted in enumerate(other, start=1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                least = min(least, last[j - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def similar(name: str, names: Iterable[str], scopes: Collection[str]) -> str | None:
    """The nearest of the names that the same program reads; None where none differs by two letters at most.

    The first part stays as it is. The second does if it is one of ``scopes``, for then it names a daemon:
    a key of another daemon, or one that counts in another unit, is no correction.
    """
    parts = name.split(".")
    best: tuple[int, str] | None = None
    for known in names:
        own = known.split(".")
        if own[0] != parts[0] and own[0].lower() != parts[0].lower():
            continue
        if name.lower() == known.lower():
            return known
        if own[1:2] != parts[1:2] and ".".join(parts[:2]) in scopes:
            continue
        distance = edits(name, known, best[0] if best else _MOST_EDITS)
        if distance <= _MOST_EDITS and (best is None or distance < best[0]) and _one_unit(name, known):
            best = distance, known
    return best[1] if best else None


def _one_unit(name: str, known: str) -> bool:
    """Whether two names do not count in different units."""
    units = [match[1] for text in (name, known) if (match := _UNIT.search(text))]
    return len(set(units)) < 2


def similar_text(text: str, texts: Iterable[str]) -> str | None:
    """The nearest of the texts that differs by two letters at most; None where none does."""
    best: tuple[int, str] | None = None
    for known in texts:
        distance = 0 if known.lower() == text.lower() else edits(text, known)
        if distance <= _MOST_EDITS and (best is None or distance < best[0]):
            best = distance, known
    return best[1] if best else None
