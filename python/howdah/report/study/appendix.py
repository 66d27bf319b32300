"""A study's appendix: what it ran on, every value its plan sets, and every run."""

from __future__ import annotations

from howdah.model.comparison import Aspect
from howdah.report.figure import Table
from howdah.report.study.found import Found
from howdah.report.words import moment, setting


def facts_table(found: Found, aspect: Aspect) -> Table:
    """What all runs have in common of one kind, and what differs, cell by cell, as a list of values."""
    values: dict[str, dict[str, None]] = {}
    for cell in found.cells:
        for run in cell.runs:
            for fact in run.facts:
                if fact.aspect is aspect:
                    values.setdefault(fact.name, {})[fact.value] = None
    return Table(("what", "value"), tuple((name, "; ".join(some)) for name, some in values.items()))


def parameters_table(found: Found) -> Table:
    """Every value of the first cell's plan that is not the release's default, with its reason."""
    rows = tuple(
        (
            one.key + (f" ({one.worker})" if one.worker else ""),
            setting(one.key, one.value),
            one.reason,
            one.source,
        )
        for one in found.parameters
    )
    return Table(("parameter", "value", "why", "source"), rows)


def runs_table(found: Found) -> Table:
    """Every run that counts."""
    rows = tuple(
        (
            cell.cell.name,
            run.run,
            moment(run.created),
            run.engine,
            run.origin.value,
            run.outcome.value + (f": {run.error}" if run.error else ""),
        )
        for cell in found.cells
        for run in cell.runs
    )
    return Table(("cell", "run", "started", "engine", "numbers", "outcome"), rows)
