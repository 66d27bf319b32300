"""The operating system that workers run in: kernel settings, limits, huge pages."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.os import found, settings

rules: tuple[Rule, ...] = (*settings.rules, *found.rules)
