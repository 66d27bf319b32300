"""A plan against what became of it: ``howdah check --plan`` holds planned values against those in force."""

from __future__ import annotations

from howdah.planner.rule import Rule, Severity

CHANGED = Rule(
    id="drift.changed",
    says="A planned value is the one that is in force.",
    sources=("howdah",),
    severity=Severity.MUST,
)
MISSING = Rule(
    id="drift.missing",
    says="A planned value is written down where the release's default is another.",
    sources=("howdah",),
    severity=Severity.MUST,
)
EXTRA = Rule(
    id="drift.extra",
    says="A property that changes a default is in the plan.",
    sources=("howdah",),
)
HARDWARE = Rule(
    id="drift.hardware",
    says="A machine has the processors and the memory that the plan was made for.",
    sources=("howdah",),
    severity=Severity.MUST,
)
WORKERS = Rule(
    id="drift.workers",
    says="The workers files list the workers of the plan.",
    sources=("howdah",),
    severity=Severity.MUST,
)
MACHINES = Rule(
    id="drift.machines",
    says="A virtual machine is as it was planned, and where.",
    sources=("howdah",),
    severity=Severity.MUST,
)
RULES: tuple[Rule, ...] = (CHANGED, MISSING, EXTRA, HARDWARE, WORKERS, MACHINES)
