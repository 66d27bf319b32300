"""Java classes of Hadoop's, HBase's and Spark's own, of all releases that howdah knows."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path

from howdah.releases.similar import similar_text

_LEAST = 5
_FILE = Path(__file__).parent / "data/classes.json"


@cache
def _packages() -> dict[str, frozenset[str]]:
    return {package: frozenset(names.split()) for package, names in json.loads(_FILE.read_bytes()).items()}


_FITTING = Path(__file__).parent / "data/fitting-classes.json"


@cache
def _fitting() -> dict[str, frozenset[str]]:
    rows = json.loads(_FITTING.read_bytes())
    return {key: frozenset(names.split()) for key, names in rows.items()}


@cache
def _of_some_kind() -> frozenset[str]:
    return frozenset[str]().union(*_fitting().values())


def is_of_another_kind(template: str, name: str) -> bool:
    """Whether a key, by its name in the catalogue, takes classes of another kind than this one is of."""
    taken = _fitting().get(template)
    return taken is not None and name not in taken and name in _of_some_kind()


_OTHERS = ("org.apache.hadoop.hbase.", "org.apache.spark.")
"""Packages that other software has classes in: Phoenix, and modules that not every release brings."""


def is_unknown(name: str) -> bool:
    """Whether a class is not in its package, though a module or other software may bring it."""
    package, _, own = name.partition("$")[0].rpartition(".")
    known = _packages()
    return name.startswith(_OTHERS) and package in known and own not in known[package]


@lru_cache(maxsize=1024)
def is_missing(name: str) -> bool:
    """Whether a class of their own is in no release; classes of other packages may exist."""
    package, _, own = name.partition("$")[0].rpartition(".")
    known = _packages()
    if package in known:
        return own not in known[package] and not (name.startswith(_OTHERS) and nearest_class(name) is None)
    if name.startswith(_OTHERS):
        near = similar_text(package, known)
        return near is not None and own in known[near]
    # Connectors have short packages next to Hadoop's own: fs.obs is no misspelt fs.ftp.
    return len(package.rpartition(".")[2]) >= _LEAST and similar_text(package, known) is not None


def _maker(package: str) -> str:
    return next((own for own in _OTHERS if f"{package}.".startswith(own)), "")


@lru_cache(maxsize=1024)
def nearest_class(name: str) -> str | None:
    """The class that a misspelt one was meant to be: of the same package, or of the same name elsewhere."""
    package, _, own = name.rpartition(".")
    known = _packages()
    place = package if package in known else similar_text(package, known)
    if place is not None and own in known[place]:
        return f"{place}.{own}"
    near = similar_text(own, known[place]) if place is not None else None
    if place is not None and near is not None:
        return f"{place}.{near}"
    places = [other for other, names in known.items() if own in names and _maker(other) == _maker(package)]
    return f"{places[0]}.{own}" if len(places) == 1 else None
