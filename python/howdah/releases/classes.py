"""Java classes of Hadoop, HBase and Spark, in all supported releases."""

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
def _classes_of_any_kind() -> frozenset[str]:
    return frozenset[str]().union(*_fitting().values())


def has_wrong_kind(template: str, name: str) -> bool:
    """Whether a class is of a known kind that a key, by its name in the catalogue, does not take."""
    taken = _fitting().get(template)
    return taken is not None and name not in taken and name in _classes_of_any_kind()


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
