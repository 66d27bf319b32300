"""A colour for each group, the baseline's first; the same in every figure of a comparison."""

from __future__ import annotations

from howdah.model.comparison import Comparison
from howdah.report.figure import Key

MOST_COLOURS = 6
"""More groups than this could not be distinguished by their colours."""


def keys(comparison: Comparison) -> tuple[Key, ...]:
    """Every group with its colour; those beyond MOST_COLOURS share the last one."""
    return tuple(
        Key(group.name, f"group-{min(place, MOST_COLOURS)}")
        for place, group in enumerate(comparison.groups, start=1)
    )
