"""Names and Java classes close to a misspelt one: they differ by one or two letters.

The classes are those of Hadoop, HBase and Spark, in all supported releases.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from pathlib import Path

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
    scoped = ".".join(parts[:2]) in scopes or (parts[0] == "fs" and len(parts) > 2)
    close: list[tuple[int, str]] = []
    for candidate in names:
        own = candidate.split(".")
        if own[0].lower() != parts[0].lower():
            continue
        if own[1:2] != parts[1:2] and scoped:
            continue
        distance = 0 if name.lower() == candidate.lower() else edits(name, candidate)
        if distance <= _MOST_EDITS and _same_meaning(name, candidate):
            close.append((distance, candidate))
    return tuple(candidate for _, candidate in sorted(close, key=lambda pair: pair[0]))


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


_LEAST = 5
_DATA = Path(__file__).parent / "data"


@cache
def _names(file: str) -> dict[str, frozenset[str]]:
    """The names of classes in a file, by their package or by the key that takes them."""
    return {key: frozenset(names.split()) for key, names in json.loads((_DATA / file).read_bytes()).items()}


def _packages() -> dict[str, frozenset[str]]:
    return _names("classes.json")


def has_wrong_kind(template: str, name: str) -> bool:
    """Whether a class is of a known kind that a key, by its name in the catalogue, does not take."""
    fitting = _names("fitting-classes.json")
    taken = fitting.get(template)
    return taken is not None and name not in taken and any(name in names for names in fitting.values())


_OPEN_PACKAGES = ("org.apache.hadoop.hbase.", "org.apache.spark.")
"""Packages in which other software has classes: Phoenix, and modules that only some releases contain."""


def is_unknown(name: str) -> bool:
    """Whether a class is not in its package, although a module or other software may contain it."""
    package, _, own = name.partition("$")[0].rpartition(".")
    packages = _packages()
    return name.startswith(_OPEN_PACKAGES) and package in packages and own not in packages[package]


@lru_cache(maxsize=1024)
def is_missing(name: str) -> bool:
    """Whether no release contains a class of their packages; classes of other packages may exist."""
    package, _, own = name.partition("$")[0].rpartition(".")
    packages = _packages()
    if package in packages:
        return own not in packages[package] and not (
            name.startswith(_OPEN_PACKAGES) and nearest_class(name) is None
        )
    if name.startswith(_OPEN_PACKAGES):
        near = similar_text(package, packages)
        return near is not None and own in packages[near]
    # Connectors have short packages next to Hadoop's own: fs.obs is no misspelt fs.ftp.
    return len(package.rpartition(".")[2]) >= _LEAST and similar_text(package, packages) is not None


def _maker(package: str) -> str:
    return next((own for own in _OPEN_PACKAGES if f"{package}.".startswith(own)), "")


@lru_cache(maxsize=1024)
def nearest_class(name: str) -> str | None:
    """Return the intended class for a misspelt one: in the same package, or of the same name elsewhere."""
    package, _, own = name.rpartition(".")
    packages = _packages()
    place = package if package in packages else similar_text(package, packages)
    if place is not None and own in packages[place]:
        return f"{place}.{own}"
    near = similar_text(own, packages[place]) if place is not None else None
    if place is not None and near is not None:
        return f"{place}.{near}"
    places = [
        candidate
        for candidate, names in packages.items()
        if own in names and _maker(candidate) == _maker(package)
    ]
    return f"{places[0]}.{own}" if len(places) == 1 else None
