"""The plan and the running cluster: ``howdah check --plan`` compares planned with active values."""

from __future__ import annotations

from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules

rules = Rules()

CHANGED = rules.principle("drift.changed", "A planned value is the active one.", MUST, sources="howdah")
MISSING = rules.principle(
    "drift.missing",
    "A planned value is written down if the release's default differs.",
    MUST,
    sources="howdah",
)
EXTRA = rules.principle("drift.extra", "A property that changes a default is in the plan.", sources="howdah")
HARDWARE = rules.principle(
    "drift.hardware",
    "A machine has the processors and the memory that the plan was made for.",
    MUST,
    sources="howdah",
)
WORKERS = rules.principle(
    "drift.workers", "The workers files list the workers of the plan.", MUST, sources="howdah"
)
MACHINES = rules.principle(
    "drift.machines", "A virtual machine has its planned values and host.", MUST, sources="howdah"
)
