"""Rules about high availability of HDFS: two NameNodes, a journal of three, failover by itself."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.ha import managers, settings, surviving, waiting

RULES: tuple[Rule, ...] = (*settings.RULES, *waiting.RULES, *surviving.RULES, *managers.RULES)
