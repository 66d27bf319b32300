"""What most setting rules are made of: a value that no fact changes, and ranges that will do."""

from __future__ import annotations

import re
from collections.abc import Callable

from howdah.model.plan import Value
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision

Accepts = Callable[[Value, Decision, Facts], bool]
"""Whether a value that exists will do."""

_SLASHES = re.compile("/+")
_TEMPORARY = ("/tmp", "/var/tmp", "/run", "/dev/shm")


def fixed(value: Value, because: str) -> Callable[[Facts], Decision]:
    """Decide the same value for every cluster."""
    return lambda facts: Decision(value, because)


def as_number(value: Value) -> float:
    """A number, also where it was read as text; raises ValueError."""
    return float(str(value))


def at_least(found: Value, decision: Decision, facts: Facts) -> bool:
    """Accept the value decided on or a larger number."""
    return as_number(found) >= as_number(decision.value)


def at_most(found: Value, decision: Decision, facts: Facts) -> bool:
    """Accept the value decided on or a smaller number."""
    return as_number(found) <= as_number(decision.value)


def between(low: float, high: float) -> Accepts:
    """Accept any number from ``low`` to ``high``."""
    return lambda found, decision, facts: low <= as_number(found) <= high


def times(low: float, high: float) -> Accepts:
    """Accept any number from ``low`` to ``high`` times the one decided on."""

    def accepts(found: Value, decision: Decision, facts: Facts) -> bool:
        wanted = as_number(decision.value)
        return low * wanted <= as_number(found) <= high * wanted

    return accepts


def one_of(*values: Value) -> Accepts:
    """Accept any of ``values``, and whatever was decided on."""
    return lambda found, decision, facts: found == decision.value or found in values


def anything(found: Value, decision: Decision, facts: Facts) -> bool:
    """Accept every value: the rule chooses, and other choices are as good."""
    return True


def set_at_all(found: Value, decision: Decision, facts: Facts) -> bool:
    """Accept every value but an empty one."""
    return bool(found)


def _path(entry: str) -> str:
    """The path of a directory as Hadoop writes it: ``[SSD]file:///data/01`` is ``/data/01``."""
    return _SLASHES.sub("/", entry.rpartition("]")[2].strip().removeprefix("file:"))


def entries(value: Value) -> tuple[str, ...]:
    """The paths of a list of directories, given as a list or as Hadoop's comma-separated text."""
    parts = value if isinstance(value, tuple) else str(value).split(",")
    return tuple(_path(part) for part in parts if part.strip())


def is_temporary(path: str) -> bool:
    """Whether a path is below a directory that is emptied at boot, or by a cleaner."""
    return "${" in path or any(path == place or path.startswith(f"{place}/") for place in _TEMPORARY)


def lasting(found: Value, decision: Decision, facts: Facts) -> bool:
    """Accept directories that outlive a reboot."""
    paths = entries(found)
    return bool(paths) and not any(is_temporary(path) for path in paths)
