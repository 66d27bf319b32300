"""What a figure is: a picture, the same thing in words, and its numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from howdah.model.comparison import Comparison
from howdah.model.run import Origin, RunRecord

if TYPE_CHECKING:
    # A plan's page has figures too, and does without the libraries that read a run's tables.
    from howdah.analysis.evidence import Evidence
    from howdah.model.tables import RunData

_NUMERIC = re.compile(r"^((?:< )?[+\N{MINUS SIGN}]?\d[\d,.]*( .{1,12}|/s)?|–|unknown|)$")
MOST_COLOURS = 6
"""More groups than this could not be distinguished by their colours."""


class Key(NamedTuple):
    """One thing a figure draws and a reader can switch off; ``token`` is its colour."""

    name: str
    token: str


def group_keys(comparison: Comparison) -> tuple[Key, ...]:
    """Every group with its colour; those beyond MOST_COLOURS share the last one."""
    return tuple(
        Key(group.name, f"group-{min(place, MOST_COLOURS)}")
        for place, group in enumerate(comparison.groups, start=1)
    )


def series_colour(keys: Sequence[Key]) -> dict[str, Any]:
    """The encoding that gives a datum its ``series``' colour; keys are told beside the chart, not in it."""
    return {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": [key.name for key in keys], "range": [f"${key.token}" for key in keys]},
        "legend": None,
    }


class Table(NamedTuple):
    """A figure's numbers as text; the first column names the row, the others are numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def numeric_columns(table: Table) -> frozenset[int]:
    """The columns that hold numbers only, which are aligned on the right."""
    return frozenset(
        index
        for index in range(len(table.columns))
        if any(row[index] for row in table.rows) and all(_NUMERIC.match(row[index]) for row in table.rows)
    )


class Figure(NamedTuple):
    """One chart.

    ``id`` names its files and its place on the page, ``title`` says what it shows, ``caption``
    what a reader who cannot see it should know. ``spec`` is Vega-Lite with colour tokens.
    ``keys`` are empty where there is nothing to tell apart. ``half`` figures are small multiples:
    two of them share a row. ``marks`` counts what is drawn, so that the page can choose a renderer
    that stays quick. ``labelled`` figures name every key in the plot where there is room.
    Narrower than its ``least_width``, pixels, a figure is scrolled, as its words would not fit.
    """

    id: str
    title: str
    caption: str
    spec: dict[str, Any]
    table: Table
    keys: tuple[Key, ...] = ()
    half: bool = False
    marks: int = 0
    labelled: bool = False
    least_width: int = 0


class FigureSource(NamedTuple):
    """What a figure is drawn from: a run and what analysis derived from it."""

    run: RunData
    evidence: Evidence

    @property
    def record(self) -> RunRecord:
        """The run's record."""
        return self.run.record

    @property
    def dash(self) -> list[int]:
        """Measured lines are solid, simulated ones dashed."""
        return [6, 3] if self.record.origin is Origin.SIMULATED else [1, 0]
