"""Values of a template that nothing was put in place of: ``#MASTER#``, ``@HOST@``, ``{{ name }}``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import Found
from howdah.planner.facts import Facts
from howdah.planner.rule import Inspection, Observation, Rule, Severity
from howdah.planner.rules.release import known_properties

_PLACEHOLDER = re.compile(
    r"@@*[A-Za-z][A-Za-z0-9_]*@+|#[A-Z][A-Z0-9_]*#|%[A-Z][A-Z0-9_]{2,}%|__[A-Z][A-Z0-9_]*__"
    r"|\{\{[^{}]*\}\}|<%.*?%>|\{%.*?%\}|<[A-Za-z][A-Za-z0-9 _-]*>"
)
_CAPITALS = re.compile(r"[A-Z]+(_[A-Z]+)+")


def placeholder(name: str, text: str) -> str:
    """The first placeholder of a template in a value; empty where there is none.

    A value that is its key in capitals is one as well: ``DFS_REPLICATION`` of ``dfs.replication``.
    """
    if _CAPITALS.fullmatch(text) and set(text.lower().split("_")) <= set(re.split(r"[.-]", name.lower())):
        return text
    match = _PLACEHOLDER.search(text)
    return match[0] if match else ""


def _placeholders(found: Found, facts: Facts) -> Iterator[Observation]:
    for entry in known_properties(found):
        if mark := placeholder(entry.name, entry.text):
            yield Observation(
                ok=False,
                about=entry.name,
                found=f"{mark}, a placeholder of a template",
                expected="the value itself: daemons take a placeholder for one, and end",
                fix="check the files that are made from this template, or write values for placeholders",
                where=entry.place,
            )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="consistency.placeholders",
        says="No value is a placeholder of a template.",
        sources=("howdah",),
        severity=Severity.MUST,
        inspect=_placeholders,
    ),
)
