"""Data disks: one partition and one file system each, and what to buy."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.disks import counsel, layout, mounts, settings

rules: tuple[Rule, ...] = (*settings.rules, *layout.rules, *mounts.rules, *counsel.rules)
