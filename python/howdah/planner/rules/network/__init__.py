"""The network: fast enough for the disks, ports bonded, packets large, one queue for a virtual card."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.network import counsel, names, ports, settings

rules: tuple[Rule, ...] = (*settings.rules, *ports.rules, *names.rules, *counsel.rules)
