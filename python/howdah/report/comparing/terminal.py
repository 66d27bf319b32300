"""A comparison as terminal text."""

from __future__ import annotations

from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from howdah.model.comparison import Comparison
from howdah.report.comparing.content import content
from howdah.report.document import Table
from howdah.report.terminal import grid, indented

MOST_CHANGES = 24
"""More rows than this are on the page and in JSON."""

MOST_REFUSED = 2
"""More runs that are not compared than this are counted."""


def comparison_text(comparison: Comparison) -> RenderableType:
    """The answer, the times, what is said of each group, what changed, and what is not compared."""
    said = content(comparison)
    more = len(said.refused[MOST_REFUSED:])
    parts: list[RenderableType] = [
        Text(" · ".join(said.kicker), style="dim"),
        Text(said.answer, style="bold"),
        *([Text(said.statistics)] if said.statistics else []),
        *(Text(text, style="red") for text in said.refused[:MOST_REFUSED]),
        *([Text(f"and {more} more runs are not compared; --json lists them", style="red")] if more else []),
        Text(),
        grid(_below_one_another(said.times)),
    ]
    for part in said.parts:
        parts += [Text(), Text(part.group, style="dim")]
        parts += [indented(Text(text)) for text in part.sentences]
        parts += [indented(Text(text, style="yellow")) for text in part.remarks]
    if said.remarks:
        parts += [Text(), *(Text(text, style="yellow") for text in said.remarks)]
    if said.changes.rows:
        parts += [Text(), Text("what changed", style="dim")]
        parts.append(grid(said.changes._replace(rows=said.changes.rows[:MOST_CHANGES])))
        left = len(said.changes.rows) - MOST_CHANGES
        if left > 0:
            parts.append(Text(f"and {left} more, which --output and --json list", style="dim"))
    elif comparison.against:
        parts += [Text(), Text("according to the records nothing changed between these runs")]
    return Group(*parts)


def _below_one_another(table: Table) -> Table:
    """The times with every workload above its groups, so that they fit into eighty columns.

    How many repeats would tell is left to the sentences below.
    """
    if table.columns[1] != "group":
        return table
    rows: list[tuple[str, ...]] = []
    for what, same in groupby(table.rows, key=lambda row: row[0]):
        rows.append((what, *("" for _ in table.columns[2:-1])))
        rows += [(f"  {row[1]}", *row[2:-1]) for row in same]
    return Table(("", *table.columns[2:-1]), tuple(rows))
