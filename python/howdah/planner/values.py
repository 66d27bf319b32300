"""What most setting rules are made of: a value that no fact changes, and ranges that will do."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.plan import Value
from howdah.planner.facts import Facts
from howdah.planner.reading import is_temporary, path_list
from howdah.planner.rule import Decision

Accepts = Callable[[Value, Decision, Facts], bool]
"""Whether a value that exists will do."""


def fixed(value: Value, because: str) -> Callable[[Facts], Decision]:
    """Decide the same value for every cluster."""
    return lambda facts: Decision(value, because)


def as_number(value: Value) -> float:
    """A number, also where it was read as text; raises ValueError."""
    return float(str(value))


def at_least(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept the value decided on or a larger number."""
    return as_number(value) >= as_number(decision.value)


def at_most(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept the value decided on or a smaller number."""
    return as_number(value) <= as_number(decision.value)


def between(low: float, high: float) -> Accepts:
    """Accept any number from ``low`` to ``high``."""
    return lambda value, decision, facts: low <= as_number(value) <= high


def within_factor(low: float, high: float) -> Accepts:
    """Accept any number from ``low`` to ``high`` times the one decided on."""

    def accepts(value: Value, decision: Decision, facts: Facts) -> bool:
        wanted = as_number(decision.value)
        return low * wanted <= as_number(value) <= high * wanted

    return accepts


def one_of(*values: Value) -> Accepts:
    """Accept any of ``values``, and whatever was decided on."""
    return lambda value, decision, facts: value == decision.value or value in values


def anything(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept every value: the rule chooses, and other choices are as good."""
    return True


def set_at_all(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept every value but an empty one."""
    return bool(value)


def lasting(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept directories that outlive a reboot."""
    paths = path_list(value)
    return bool(paths) and not any(is_temporary(path) for path in paths)
