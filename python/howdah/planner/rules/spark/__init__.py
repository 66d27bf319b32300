"""Spark on YARN: executors sized to containers, its shuffle in NodeManagers, its history in HDFS."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.spark import checks, settings

rules: tuple[Rule, ...] = (*settings.rules, *checks.rules)
