"""Rules about high availability: two of each master, three who keep edits and elect, failover by itself."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.ha import failover, managers, quorums, services, settings, waiting

rules: tuple[Rule, ...] = (
    *settings.rules,
    *waiting.rules,
    *services.rules,
    *quorums.rules,
    *failover.rules,
    *managers.rules,
)
