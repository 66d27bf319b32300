"""DIR/SOURCES.md: what the sources are that stand in brackets after a value's reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from howdah.model.configset import ConfigFile
from howdah.model.plan import Plan
from howdah.render.text import wrapped

Spell = Callable[[str], str]
"""Says in a sentence what a source is, ``D0 74``."""

_HEAD = (
    "# Sources\n\n"
    "Every value in these files stands with its reason, the rule that decided it and, after a semicolon, "
    "what the rule rests on: `[hdfs.replication; X5, D0 60]`. This is what each of them is.\n\n"
    "| source | meaning |\n|---|---|\n"
)
_NUMBERS = re.compile(r"(\d+)")


def sources_file(plan: Plan, spell: Spell) -> ConfigFile:
    """Every source that a setting of the plan cites, in order, with what it is."""
    rows = (f"| {source} | {_plain(spell(source))} |\n" for source in sorted(_cited(plan), key=_in_order))
    return ConfigFile(path="SOURCES.md", content=_HEAD + "".join(rows))


def _cited(plan: Plan) -> set[str]:
    return set(_sources(plan))


def _sources(plan: Plan) -> Iterator[str]:
    for setting in plan.settings:
        if setting.origin != "user":
            yield from setting.source.split(", ")


def _in_order(source: str) -> list[tuple[int, str]]:
    """Numbers by their size: D0 9 before D0 74."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in _NUMBERS.split(source)]


def _plain(text: str) -> str:
    """One line that ends no cell of the table early."""
    return " ".join(wrapped(text)).replace("|", "\\|")
