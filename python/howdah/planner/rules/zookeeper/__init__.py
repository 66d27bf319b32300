"""Rules about ZooKeeper: its members, its sessions, and a permanent data directory on a separate disk."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.zookeeper import members, settings

rules: tuple[Rule, ...] = (*settings.rules, *members.rules)
