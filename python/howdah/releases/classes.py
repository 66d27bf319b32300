"""Java classes of Hadoop's own, of all releases that howdah knows."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from howdah.releases.similar import similar_text

_LEAST = 5
_FILE = Path(__file__).parent / "data/hadoop-classes.json"


@cache
def _packages() -> dict[str, frozenset[str]]:
    return {package: frozenset(names.split()) for package, names in json.loads(_FILE.read_bytes()).items()}


def is_missing(name: str) -> bool:
    """Whether a class of Hadoop's own is in no release; classes of other packages may exist."""
    package, _, own = name.partition("$")[0].rpartition(".")
    known = _packages()
    if package in known:
        return own not in known[package]
    # Connectors have short packages next to Hadoop's own: fs.obs is no misspelt fs.ftp.
    return len(package.rpartition(".")[2]) >= _LEAST and similar_text(package, known) is not None


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
    places = [other for other, names in known.items() if own in names]
    return f"{places[0]}.{own}" if len(places) == 1 else None
