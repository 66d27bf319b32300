"""Plans as files."""

from __future__ import annotations

from pathlib import Path

from howdah.documents.read import read_document
from howdah.documents.writing import write_document
from howdah.model.plan import Plan


def read_plan(path: Path) -> Plan:
    """The plan in a file; raises UserError that names every fault at its line and column."""
    return read_document(path, Plan, "a plan", "give a plan that `howdah plan` wrote, plan.yaml for instance")


def write_plan(plan: Plan) -> str:
    """The text that reads back as this plan; the same plan gives the same text."""
    return write_document(plan)
