"""Rules about racks and replicas: no two replicas of a block on one host, whatever shares it."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.topology import counsel, replicas, settings

rules: tuple[Rule, ...] = (*settings.rules, *replicas.rules, *counsel.rules)
