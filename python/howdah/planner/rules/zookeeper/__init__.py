"""Rules about ZooKeeper: its members, its sessions, and a data directory that lasts on a disk of its own."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.zookeeper import members, settings

rules: tuple[Rule, ...] = (*settings.rules, *members.rules)
