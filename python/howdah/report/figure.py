"""The run that a figure is drawn from, and the colours of its groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from howdah.model.comparison import Comparison
from howdah.model.run import Origin, RunRecord
from howdah.report.document import Key

if TYPE_CHECKING:
    # A plan's page has figures too, and does without the libraries that read a run's tables.
    from howdah.analysis.evidence import Evidence
    from howdah.model.tables import RunData

MOST_COLOURS = 6
"""More groups than this could not be distinguished by their colours."""


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
