"""Which key a misspelt one was meant to be: a close one that the same daemons read."""

from __future__ import annotations

import re

from howdah.hadoop.readers import readers_of
from howdah.model.plan import Role
from howdah.model.request import DEFAULT_HADOOP, DEFAULT_HBASE
from howdah.releases.catalogue import Release

_LEAST_PARTS = 2
"""Words that a beginning needs to show which daemons read its keys: ``dfs`` alone does not."""


def intended_key(name: str, release: Release) -> str | None:
    """The release's key that a misspelt one was meant to be; None where no close one has its readers."""
    letters = _letters(name)
    same = [known for known in release.properties if len(known) == len(name) and _letters(known) == letters]
    if len(same) == 1 and same[0].lower() != name.lower():
        # A dot for a hyphen: the same words in the same order are meant.
        return same[0]
    return next((known for known in release.close_names(name) if _share_readers(name, known, release)), None)


def _letters(name: str) -> str:
    """The name without what is between its words."""
    return re.sub(r"[._-]", "", name)


def _share_readers(name: str, known: str, release: Release) -> bool:
    """Whether a daemon reads both, or only clients and jobs do.

    No code names a misspelt key, so that its readers are those of the keys that begin as it does.
    """
    parts = name.split(".")
    for count in range(len(parts) - 1, _LEAST_PARTS - 1, -1):
        beginning = ".".join(parts[:count]) + "."
        if known.startswith(beginning):
            return True
        relatives = [other for other in release.properties if other.startswith(beginning)]
        if relatives:
            wanted = _readers(known, release)
            return any(wanted & own or wanted == own for own in (_readers(key, release) for key in relatives))
    return True


def _readers(key: str, release: Release) -> frozenset[Role]:
    if release.product == "hbase":
        return readers_of(key, None, DEFAULT_HADOOP, release.version)
    return readers_of(key, None, release.version, DEFAULT_HBASE)
