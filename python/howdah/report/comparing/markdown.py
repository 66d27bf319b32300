"""A comparison as Markdown, with its figures as SVG files beside it."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.report.comparing.content import ComparisonContent
from howdah.report.comparing.draw import ComparisonFigures
from howdah.report.markdown import escaped, figure_block, table, titled


def comparison_markdown(said: ComparisonContent, figures: ComparisonFigures, folder: str) -> str:
    """The whole document; pictures are linked as ``<folder>/<id>.svg``."""
    return "\n\n".join(_blocks(said, figures, folder)) + "\n"


def _blocks(said: ComparisonContent, figures: ComparisonFigures, folder: str) -> Iterator[str]:
    yield f"# {escaped(said.answer)}"
    yield escaped(" · ".join(said.kicker))
    yield from (escaped(text) for text in (said.computed, *said.refused) if text)
    if figures.answer:
        yield figure_block(figures.answer, folder)
    yield table(said.times)
    for part in said.parts:
        yield f"## {escaped(part.group)}"
        yield "\n".join(f"- {escaped(text)}" for text in (*part.sentences, *part.remarks))
    if said.remarks:
        yield "\n".join(f"- {escaped(text)}" for text in said.remarks)
    if said.changes.rows:
        yield "## What changed"
        yield table(said.changes)
    if figures.repeats:
        yield "## Run by run"
        yield from (figure_block(one, folder) for one in figures.repeats)
    if figures.over_time:
        yield "## Over time"
        yield escaped(figures.whose)
        yield from (figure_block(one, folder) for one in figures.over_time)
    if said.others:
        yield "## Resources and tasks"
        yield from titled(said.others)
    if said.tests.table.rows:
        yield from titled((said.tests,))
    yield "## Runs"
    yield table(said.runs)
