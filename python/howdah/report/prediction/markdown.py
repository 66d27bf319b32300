"""A page about predictions as Markdown, with its figures as SVG files beside it."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.report.figure import Table
from howdah.report.markdown import escaped, figure_block, table, titled
from howdah.report.prediction.content import PredictionContent


def prediction_markdown(said: PredictionContent, folder: str) -> str:
    """The whole document; pictures are linked as ``<folder>/<id>.svg``."""
    return "\n\n".join(_blocks(said, folder)) + "\n"


def _blocks(said: PredictionContent, folder: str) -> Iterator[str]:
    yield f"# {escaped(said.answer)}"
    yield escaped(" · ".join(said.kicker))
    yield from (escaped(text) for text in said.lead)
    if said.warnings:
        yield "\n".join(f"- **Warning:** {escaped(text)}" for text in said.warnings)
    if said.figure:
        yield figure_block(said.figure, folder)
    yield table(said.table)
    for section in said.sections:
        yield f"## {escaped(section.title)}"
        if section.about:
            yield escaped(section.about)
        yield from (figure_block(one, folder) for one in section.figures)
        yield from titled(section.tables)
    yield "## What it rests on"
    for group in said.facts:
        yield f"### {escaped(group.heading)}"
        yield table(Table(("", ""), group.entries))
    yield from titled(said.grounds)
