"""Which known name a misspelt one was meant to be: one that differs in a letter or two."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_MOST_EDITS = 2
_UNIT = re.compile(
    r"(?:^|[._-])(ms|msec|millis|s|sec|secs|seconds|mins?|minutes|hours|days|[kmg]?b|bytes|pct|percent)$"
)
_WORD = re.compile(r"[^._-]+")
_OPPOSITES = ({"min", "max"}, {"http", "https"}, {"sync", "async"})


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


def similar(name: str, names: Iterable[str], scopes: Collection[str]) -> tuple[str, ...]:
    """The names of the same beginning and unit that differ by two letters at most, nearest first.

    The first part stays as it is, and so does the second if the two are one of ``scopes``,
    or name a file system: ``fs.o3s.endpoint`` is not ``fs.s3a.endpoint``.
    """
    parts = name.split(".")
    close: list[tuple[int, str]] = []
    for known in names:
        own = known.split(".")
        if own[0].lower() != parts[0].lower():
            continue
        if own[1:2] != parts[1:2] and (".".join(parts[:2]) in scopes or _is_of_file_system(parts)):
            continue
        distance = 0 if name.lower() == known.lower() else edits(name, known)
        if distance <= _MOST_EDITS and _one_meaning(name, known):
            close.append((distance, known))
    return tuple(known for _, known in sorted(close, key=lambda pair: pair[0]))


def _is_of_file_system(parts: list[str]) -> bool:
    return parts[0] == "fs" and len(parts) > 2


def _one_meaning(name: str, known: str) -> bool:
    """Whether two names neither count in different units nor limit opposite ends."""
    units = [match[1] for text in (name, known) if (match := _UNIT.search(text))]
    words, others = (set(_WORD.findall(text)) for text in (name, known))
    return len(set(units)) < 2 and (words ^ others) not in _OPPOSITES


def similar_text(text: str, texts: Iterable[str]) -> str | None:
    """The nearest of the texts that differs by two letters at most; None where none does."""
    best: tuple[int, str] | None = None
    for known in texts:
        distance = 0 if known.lower() == text.lower() else edits(text, known)
        if distance <= _MOST_EDITS and (best is None or distance < best[0]):
            best = distance, known
    return best[1] if best else None
