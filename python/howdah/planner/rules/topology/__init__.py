"""Rules about racks and replicas: no two replicas of a block on one host, whatever shares it."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.topology import counsel, replicas, settings

RULES: tuple[Rule, ...] = (*settings.RULES, *replicas.RULES, *counsel.RULES)
