"""A comparison's page: HTML, and Markdown with its figures as SVG files beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from howdah.model.comparison import Comparison
from howdah.report.comparing.content import ComparisonContent, content
from howdah.report.comparing.draw import ComparisonFigures, Followed, draw
from howdah.report.folder import FIGURES, put_page, svg_files
from howdah.report.html_shell import Shell, ShownPage, drawn, page
from howdah.report.markdown import escaped, figure_block, table, together
from howdah.report.renderer import svg
from howdah.report.run_markdown import titled


def shown_comparison(comparison: Comparison, followed: Followed, shell: Shell) -> ShownPage:
    """A comparison as a page within a shell."""
    figures = draw(comparison, followed)
    return ShownPage(_page(content(comparison), figures, None, shell), figures.every())


def _page(
    said: ComparisonContent,
    figures: ComparisonFigures,
    pictures: dict[str, str] | None,
    shell: Shell | None = None,
) -> str:
    return page(
        "compare.html.j2",
        "compare",
        figures.every(),
        sections=(
            ("groups", "Groups", said.parts),
            ("changes", "What changed", said.changes.rows),
            ("repeats", "Repeats", figures.repeats),
            ("time", "Over time", figures.over_time),
            ("where", "Resources", said.others),
            ("tests", "Tests", said.tests.rows),
            ("runs", "Runs", True),
        ),
        shell=shell,
        said=said,
        answer=drawn(figures.answer, pictures) if figures.answer else None,
        whose=figures.whose,
        repeats=[drawn(figure, pictures) for figure in figures.repeats],
        over_time=[drawn(figure, pictures) for figure in figures.over_time],
    )


def _blocks(said: ComparisonContent, figures: ComparisonFigures, folder: str) -> Iterator[str]:
    """The Markdown, block by block; pictures are linked as ``<folder>/<id>.svg``."""
    yield f"# {escaped(said.answer)}"
    yield escaped(" · ".join(said.kicker))
    yield from (escaped(text) for text in (said.statistics, said.computed, *said.refused) if text)
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
        yield from (figure_block(figure, folder) for figure in figures.repeats)
    if figures.over_time:
        yield "## Over time"
        yield escaped(figures.whose)
        yield from (figure_block(figure, folder) for figure in figures.over_time)
    if said.others:
        yield "## Resources and tasks"
        yield from titled(said.others)
    if said.tests.rows:
        yield from titled((said.tests,))
    yield "## Runs"
    yield table(said.runs)


def write_page(comparison: Comparison, followed: Followed, out_dir: Path) -> Path:
    """Write ``compare.html``, ``compare.md`` and ``figures/*.svg`` into ``out_dir``; return the page's path.

    ``compare.html`` stands alone; ``compare.md`` links the pictures beside it. Existing files of these
    names are replaced. Raises OSError if the directory cannot be written.
    """
    said = content(comparison)
    figures = draw(comparison, followed)
    pictures = {figure.id: svg(figure) for figure in figures.every()}
    markdown = together(_blocks(said, figures, FIGURES))
    return put_page(out_dir, "compare", _page(said, figures, pictures), markdown, svg_files(pictures))
