"""What a page about predictions holds, in order, before any form is given to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.report.cluster import Titled
from howdah.report.figure import Figure, Table
from howdah.report.provenance import FactGroup


class PredictionSection(NamedTuple):
    """A part of the page under a heading of its own; ``name`` is what links to it."""

    id: str
    name: str
    title: str
    about: str
    figures: tuple[Figure, ...] = ()
    tables: tuple[Titled, ...] = ()


class Data(NamedTuple):
    """Numbers for other programs, not rounded; times are in seconds, volumes in bytes, shares of one."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]


class PredictionContent(NamedTuple):
    """Everything that a page says; ``name`` is its files'."""

    name: str
    title: str
    kicker: tuple[str, ...]
    answer: str
    lead: tuple[str, ...]
    warnings: tuple[str, ...]
    figure: Figure | None
    about_table: str
    table: Table
    sections: tuple[PredictionSection, ...]
    facts: tuple[FactGroup, ...]
    grounds: tuple[Titled, ...]
    data: tuple[Data, ...]

    def figures(self) -> Iterator[Figure]:
        """Every figure in the order in which a reader meets them."""
        if self.figure is not None:
            yield self.figure
        for section in self.sections:
            yield from section.figures
