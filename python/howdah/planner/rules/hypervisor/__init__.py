"""The hypervisor: its settings for workers, and what to prepare around it."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.hypervisor import advice, machines

rules: tuple[Rule, ...] = (*machines.rules, *advice.rules)
