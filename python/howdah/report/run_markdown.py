"""The report as Markdown, with its figures as SVG files beside it."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.report.accounts import SIMULATED, SURE
from howdah.report.content import RunContent, Said
from howdah.report.document import Figure, Table
from howdah.report.figures import Figures
from howdah.report.markdown import escaped, figure_block, table, together


def markdown(said: RunContent, figures: Figures[Figure], folder: str) -> str:
    """The whole document; pictures are linked as ``<folder>/<id>.svg``."""
    parts = [_answer(said), _stats(said, figures, folder), _findings(said)]
    if figures.over_time:
        about = [escaped(" ".join(figures.not_shown))] if figures.not_shown else []
        parts.append(
            ["## Over time", *about, *(figure_block(figure, folder) for figure in figures.over_time)]
        )
    if figures.places or said.cluster:
        parts.append(
            [
                "## The cluster",
                *(figure_block(figure, folder) for figure in figures.places),
                *titled(said.cluster),
            ]
        )
    if figures.throughput:
        parts.append(["## Throughput", *(figure_block(figure, folder) for figure in figures.throughput)])
    parts += [_bytes(said, figures, folder), _limits(said), _provenance(said)]
    return together(block for part in parts for block in part)


def _answer(said: RunContent) -> list[str]:
    blocks = [f"# {escaped(said.answer)}", escaped(" · ".join(said.kicker))]
    blocks += [escaped(text) for text in said.more_answers]
    if said.missing:
        blocks.append(_bullets(said.missing))
    return blocks


def _stats(said: RunContent, figures: Figures[Figure], folder: str) -> list[str]:
    blocks = [table(said.stats)] if said.stats else []
    if figures.answer:
        blocks.append(figure_block(figures.answer, folder))
    if said.dfsio:
        blocks += ["## TestDFSIO's figures", table(said.dfsio)]
    if said.metrics:
        blocks += ["## Reported by the programs", table(said.metrics)]
    return blocks


def _findings(said: RunContent) -> list[str]:
    blocks = ["\n".join(_warning(finding) for finding in said.warnings)] if said.warnings else []
    for group in said.notes:
        blocks += [f"### {escaped(group.about)}", "\n".join(_note(finding) for finding in group.notes)]
    return ["## Findings", *blocks] if blocks else []


def titled(tables: Sequence[Table]) -> list[str]:
    """Tables under their titles, block by block."""
    blocks = []
    for section in tables:
        blocks += [
            f"### {escaped(section.title)}",
            *([escaped(section.about)] if section.about else []),
            table(section),
        ]
    return blocks


def _bytes(said: RunContent, figures: Figures[Figure], folder: str) -> list[str]:
    blocks = [figure_block(figure, folder) for figure in figures.flows]
    blocks += [table(said.accounts)] if said.accounts else []
    blocks += [_bullets(said.explanations)] if said.explanations else []
    return ["## Where the bytes went", *blocks] if blocks else []


def _limits(said: RunContent) -> list[str]:
    return ["## Raw limits", table(said.limits)] if said.limits else []


def _provenance(said: RunContent) -> list[str]:
    blocks = ["## Provenance"]
    for group in said.facts:
        blocks += [f"### {escaped(group.title)}", table(Table(("", ""), group.entries))]
    blocks += titled(said.grounds)
    if said.plan.rows:
        blocks += ["### Plan", table(said.plan)]
    if said.plan_sources:
        blocks.append(escaped(said.plan_sources))
    return blocks


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {escaped(text)}" for text in texts)


def _warning(finding: Said) -> str:
    where = f"{finding.where}, {finding.sure}" if finding.where else finding.sure
    numbers = "".join(f"; {name} {value}" for name, value in finding.numbers)
    return f"- **Warning:** {escaped(finding.text)} ({escaped(where + numbers)})"


def _note(finding: Said) -> str:
    """A note says how sure it is only where it was not measured; its numbers are on the page."""
    return f"- {escaped(finding.text)}" + (
        "" if finding.sure in (SURE["measured"], SIMULATED) else f" ({escaped(finding.sure)})"
    )
