"""Decisions that no fact changes."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.plan import Value
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision


def fixed(value: Value, because: str) -> Callable[[Facts], Decision]:
    """Decide on this value everywhere, for this reason."""
    return lambda facts: Decision(value, because)
