"""Shorthand for tests that ask whether a run shows a finding."""

from __future__ import annotations

from howdah.analysis.analyse import analyse
from howdah.model.comparison import Finding
from howdah.model.tables import RunData


def found(run: RunData, name: str, workload: str | None = None) -> list[Finding]:
    """The findings of that id, of one workload if it is given."""
    return [
        finding
        for finding in analyse(run).findings
        if finding.id == name and workload in (None, finding.workload)
    ]


def value(finding: Finding, name: str) -> float:
    """One of the numbers a finding stands on."""
    return next(number.value for number in finding.numbers if number.name == name)
