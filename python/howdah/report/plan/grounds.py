"""What settings and judgements rest on, in full: the rules' words and the sources they cite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Cited(NamedTuple):
    """One source as it is cited; where it is an item of a paper, the paper's title and what it says there."""

    label: str
    title: str = ""
    says: str = ""


class RuleText(NamedTuple):
    """What a rule says, and what time has changed of it."""

    says: str
    today: str = ""


class Grounds(NamedTuple):
    """The rules by their id, and the sources by how they are cited."""

    rules: Mapping[str, RuleText]
    sources: Mapping[str, Cited]

    def cited(self, source: str) -> tuple[Cited, ...]:
        """The sources that one text cites, each in full where it is known."""
        return tuple(self.sources.get(label, Cited(label)) for label in labels(source))


def labels(source: str) -> tuple[str, ...]:
    """The sources that one text cites: ``D0 49, X7`` are two."""
    return tuple(part.strip() for part in source.split(",") if part.strip())
