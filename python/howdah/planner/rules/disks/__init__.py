"""Data disks: one partition and one file system each, and what to buy."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.disks import file_systems, layout

rules: tuple[Rule, ...] = (*layout.rules, *file_systems.rules)
