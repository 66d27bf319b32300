"""One configuration property of a release."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Property:
    """A name that a release reads, and what it reads it as."""

    name: str
    """The key; parts of a user's own stand in angle brackets: ``dfs.ha.namenodes.<nameservice>``."""
    file: str
    """The file that it is set in, such as ``hdfs-site.xml``."""
    default: str | None
    """The value when it is not set, variables unexpanded; None if there is none or it is not a constant."""
    kind: str
    """What a value must look like: a key of :data:`howdah.releases.values.MISFITS`."""
    description: str
    """One line of at most 200 characters; empty where the release says nothing."""
