"""What is being checked: a configuration, a host or both, with what the rules may know about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from howdah.audit.values import Values
from howdah.model.found import Found
from howdah.model.plan import Value
from howdah.planner.facts import Facts


@dataclass(frozen=True, slots=True)
class Subject:
    """One configuration on one host, or either of them."""

    found: Found
    """What exists."""
    facts: Facts
    """What the rules may know."""
    values: Values | None
    """The configuration as daemons read it."""
    host_values: Mapping[str, Value] = field(default_factory=dict)
    """What the host says of operating-system keys."""

    @property
    def host_name(self) -> str:
        """The host's name; empty where there is none."""
        return self.found.host.name if self.found.host else ""
