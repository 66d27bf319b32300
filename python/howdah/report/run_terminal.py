"""The report as terminal text."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from howdah.analysis.evidence import Analysis
from howdah.model.tables import RunData
from howdah.report.content import RunContent, Said, content
from howdah.report.terminal import grid, indented


def render_terminal(run: RunData, analysis: Analysis) -> RenderableType:
    """The answer, the row of figures, the findings and the byte account, as a rich renderable."""
    said = content(run, analysis)
    parts: list[RenderableType] = [
        Text(" · ".join(said.kicker), style="dim"),
        Text(said.answer, style="bold"),
        *(Text(text) for text in said.more_answers),
        *(Text(text, style="red") for text in said.missing),
    ]
    if said.stats:
        parts += [Text(), grid(said.stats)]
    if said.dfsio:
        parts += [Text(), grid(said.dfsio)]
    if said.metrics:
        parts += [Text(), Text("reported by the programs", style="dim"), grid(said.metrics)]
    parts += _findings(said)
    if said.accounts:
        parts += [Text(), Text("where the bytes went", style="dim"), grid(said.accounts)]
    return Group(*parts)


def _findings(said: RunContent) -> list[RenderableType]:
    """Warnings with their numbers, then the notes, one paragraph each."""
    parts: list[RenderableType] = []
    for finding in said.warnings:
        where = f"{finding.where} · {finding.sure}" if finding.where else finding.sure
        parts += [
            Text(),
            Text.assemble(("warning  ", "yellow"), (where, "dim")),
            indented(Text(finding.text)),
        ]
        if finding.numbers:
            parts.append(indented(_numbers(finding)))
    for group in said.notes:
        parts += [Text(), Text(group.about, style="dim")]
        parts += [indented(Text(finding.text)) for finding in group.notes]
    return parts


def _numbers(finding: Said) -> Grid:
    """The numbers of a finding below one another, so that they can be compared."""
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim")
    grid.add_column(style="dim", justify="right")
    for name, value in finding.numbers:
        grid.add_row(Text(name), Text(value))
    return grid
