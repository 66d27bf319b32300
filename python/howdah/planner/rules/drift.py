"""The plan and the running cluster: ``howdah check --plan`` compares planned with active values."""

from __future__ import annotations

from howdah.planner.rules.declare import read_rules

rules = read_rules("drift.toml")


CHANGED = rules["drift.changed"]
MISSING = rules["drift.missing"]
EXTRA = rules["drift.extra"]
HARDWARE = rules["drift.hardware"]
WORKERS = rules["drift.workers"]
MACHINES = rules["drift.machines"]
