"""Java: which one a release runs on, what it must be told there, and what it must not."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.jvm import directories, options, versions

rules: tuple[Rule, ...] = (*directories.rules, *versions.rules, *options.rules)
