"""Who may do what: with --secure Kerberos names every user, without it the network must be trusted."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.security import datanodes, exposure, settings

rules: tuple[Rule, ...] = (*settings.rules, *datanodes.rules, *exposure.rules)
