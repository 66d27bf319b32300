"""A study's appendix: what it ran on, every value its plan sets, and every run."""

from __future__ import annotations

from howdah.model.comparison import Aspect
from howdah.model.plan import Setting
from howdah.model.value import value_text
from howdah.report.figure import Table
from howdah.report.plan.words import size_note
from howdah.report.study.found import StudyFound
from howdah.report.study.where import where
from howdah.report.words import moment


def facts_table(found: StudyFound, aspect: Aspect) -> Table:
    """What all runs have in common of one kind, and what differs, cell by cell, as a list of values."""
    values: dict[str, dict[str, None]] = {}
    for cell in found.cells:
        for run in cell.runs:
            for fact in run.facts:
                if fact.aspect is aspect:
                    values.setdefault(fact.name, {})[fact.value] = None
    return Table(("what", "value"), tuple((name, "; ".join(some)) for name, some in values.items()))


def parameters_table(found: StudyFound) -> Table:
    """Every value of any plan that is not the release's default, the cells that have it, and its reason."""
    planned = [cell for cell in found.cells if cell.parameters]
    values: dict[str, dict[tuple[str, str, str], list[int]]] = {}
    for cell in planned:
        for one in cell.parameters:
            key = one.key + (f" ({one.worker})" if one.worker else "")
            said = (_value(one), *_grounds(one))
            values.setdefault(key, {}).setdefault(said, []).append(cell.cell.number)
    rows = tuple(
        (key, where(found.study, cells, planned), *said)
        for key, several in values.items()
        for said, cells in several.items()
    )
    return Table(("parameter", "cells", "value", "why", "source"), rows)


def _value(one: Setting) -> str:
    """A value as Hadoop reads it, with its size in words where it is one."""
    note = size_note(one)
    return f"{value_text(one.value)} ({note})" if note else value_text(one.value)


def _grounds(one: Setting) -> tuple[str, str]:
    """Why, and where that is from; what the plan took from its user is the study's."""
    return ("given by the study", "its file") if one.origin == "user" else (one.reason, one.source)


def runs_table(found: StudyFound) -> Table:
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
