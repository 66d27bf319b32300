"""A study's paper as Markdown, with its figures as SVG files beside it."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.report.comparing.draw import ComparisonFigures as Compared
from howdah.report.markdown import escaped, figure_block, table, titled
from howdah.report.study.content import StudyContent, StudySection
from howdah.report.study.draw import StudyFigures


def study_markdown(said: StudyContent, figures: StudyFigures, folder: str) -> str:
    """The whole document; pictures are linked as ``<folder>/<id>.svg``."""
    return "\n\n".join(_blocks(said, figures, folder)) + "\n"


def _blocks(said: StudyContent, figures: StudyFigures, folder: str) -> Iterator[str]:
    yield f"# {escaped(said.question)}"
    yield "\n".join(
        f"- **{escaped(one.where)}:** {escaped(one.answer)}" if one.where else f"- {escaped(one.answer)}"
        for one in said.conclusions
    )
    yield escaped(" · ".join(said.kicker))
    yield from (escaped(text) for text in (said.computed, said.unfinished) if text)
    if figures.lead:
        yield figure_block(figures.lead, folder)
    if said.platforms.rows:
        yield "## Platforms"
        yield table(said.platforms)
    if said.results.rows:
        yield "## Results"
        yield table(said.results)
    if figures.scaling:
        yield "## Size"
        yield figure_block(figures.scaling, folder)
        yield table(said.sizes)
    if said.masters.rows:
        yield "## The masters' load"
        yield from (figure_block(one, folder) for one in figures.masters)
        yield table(said.masters)
    if said.published.rows or said.ratios.rows or said.published_platforms.rows:
        yield "## Beside what was published"
        yield from (escaped(text) for text in (said.agreement, said.best_of) if text)
        beside = (said.beside, said.ratios, said.published_platforms)
        yield from (table(one) for one in beside if one.rows)
    for section, compared in zip(said.sections, figures.strata, strict=True):
        yield from _section(section, compared, folder, answered=figures.lead is not None)
    if said.open:
        yield "## What could not be concluded"
        yield "\n".join(f"- {escaped(text)}" for text in said.open)
    yield "## Appendix"
    yield from titled(said.appendix)


def _section(section: StudySection, figures: Compared, folder: str, *, answered: bool) -> Iterator[str]:
    yield f"## Compared{escaped(f': {section.title}') if section.title else ''}"
    if figures.answer and not answered:
        yield figure_block(figures.answer, folder)
    for part in section.parts:
        yield f"### {escaped(part.group)}"
        yield "\n".join(f"- {escaped(text)}" for text in (*part.sentences, *part.remarks))
    if section.remarks:
        yield "\n".join(f"- {escaped(text)}" for text in section.remarks)
    yield from (figure_block(one, folder) for one in figures.repeats)
    if figures.over_time:
        yield escaped(figures.whose)
        yield from (figure_block(one, folder) for one in figures.over_time)
    yield from titled([one for one in (section.changes, *section.others, section.tests) if one.table.rows])
