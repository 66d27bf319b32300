"""Names close to a misspelt one: they differ by one or two letters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_MOST_EDITS = 2
_UNIT = re.compile(
    r"(?:^|[._-])(ms|msec|millis|s|sec|secs|seconds|mins?|minutes|hours|days|[kmg]?b|bytes|pct|percent)$"
)
_WORD = re.compile(r"[^._-]+")
_OPPOSITES = ({"min", "max"}, {"http", "https"}, {"sync", "async"})


def edits(first: str, second: str, most: int = _MOST_EDITS) -> int:
    """Return how many letters are inserted, removed, replaced or swapped; ``most`` + 1 for more."""
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, start=1):
        before, last, row = row, before, [i]
        for j, target in enumerate(second, start=1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != target))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == target:
                least = min(least, last[j - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def similar(name: str, names: Iterable[str], scopes: Collection[str]) -> tuple[str, ...]:
    """Return the names of the same beginning and unit that differ by at most two letters, nearest first.

    The first part must be equal, and so must the second if both parts are one of ``scopes`` or a file
    system: ``fs.o3s.endpoint`` is not ``fs.s3a.endpoint``.
    """
    parts = name.split(".")
    close: list[tuple[int, str]] = []
    for candidate in names:
        own = candidate.split(".")
        if own[0].lower() != parts[0].lower():
            continue
        if own[1:2] != parts[1:2] and (".".join(parts[:2]) in scopes or _is_of_file_system(parts)):
            continue
        distance = 0 if name.lower() == candidate.lower() else edits(name, candidate)
        if distance <= _MOST_EDITS and _same_meaning(name, candidate):
            close.append((distance, candidate))
    return tuple(candidate for _, candidate in sorted(close, key=lambda pair: pair[0]))


def _is_of_file_system(parts: list[str]) -> bool:
    return parts[0] == "fs" and len(parts) > 2


def _same_meaning(name: str, candidate: str) -> bool:
    """Whether two names have no different units and no opposite words."""
    units = [match[1] for text in (name, candidate) if (match := _UNIT.search(text))]
    words, candidate_words = (set(_WORD.findall(text)) for text in (name, candidate))
    return len(set(units)) < 2 and (words ^ candidate_words) not in _OPPOSITES


def similar_text(text: str, texts: Iterable[str]) -> str | None:
    """Return the nearest of the texts that differs by at most two letters; None if there is none."""
    best: tuple[int, str] | None = None
    for candidate in texts:
        distance = 0 if candidate.lower() == text.lower() else edits(text, candidate)
        if distance <= _MOST_EDITS and (best is None or distance < best[0]):
            best = distance, candidate
    return best[1] if best else None
