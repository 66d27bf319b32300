"""What a page about predictions holds, and its forms: HTML, Markdown, and numbers for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Self

from howdah.report.document import Facts, Figure, Table
from howdah.report.folder import FIGURES, NUMBERS, csv_text, put_page, svg_files
from howdah.report.html_shell import Shell, ShownPage, drawn, page
from howdah.report.markdown import escaped, figure_block, table, together
from howdah.report.renderer import svg
from howdah.report.run_markdown import titled

INPUTS = "Inputs of the simulation"


class PredictionSection(NamedTuple):
    """A part of the page under a heading of its own; ``name`` is what links to it."""

    id: str
    name: str
    title: str
    about: str
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()


class Data(NamedTuple):
    """Numbers for other programs, not rounded; times are in seconds, volumes in bytes, shares of one."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]

    @classmethod
    def of(cls, name: str, columns: tuple[str, ...], rows: Iterable[object]) -> Self:
        """What is to be told of each of ``rows``; a column is named as it is there."""
        return cls(name, columns, tuple(tuple(getattr(row, column) for column in columns) for row in rows))


class PredictionContent(NamedTuple):
    """Everything that a page says; ``name`` is its files'."""

    name: str
    title: str
    kicker: tuple[str, ...]
    answer: str
    lead: tuple[str, ...]
    warnings: tuple[str, ...]
    figure: Figure | None
    about_table: str
    table: Table
    sections: tuple[PredictionSection, ...]
    facts: tuple[Facts, ...]
    grounds: tuple[Table, ...]
    data: tuple[Data, ...]

    def figures(self) -> Iterator[Figure]:
        """Every figure in the order in which a reader meets them."""
        if self.figure is not None:
            yield self.figure
        for section in self.sections:
            yield from section.figures


def shown_prediction(said: PredictionContent, shell: Shell) -> ShownPage:
    """A page about predictions within a shell."""
    return ShownPage(_page(said, None, shell), tuple(said.figures()))


def _page(said: PredictionContent, pictures: dict[str, str] | None, shell: Shell | None = None) -> str:
    return page(
        "prediction.html.j2",
        said.name,
        said.figures(),
        sections=(
            *((section.id, section.name, True) for section in said.sections),
            ("inputs", "Inputs", True),
        ),
        shell=shell,
        said=said,
        inputs=INPUTS,
        answer=drawn(said.figure, pictures) if said.figure else None,
        shown=[
            (section, [drawn(figure, pictures) for figure in section.figures]) for section in said.sections
        ],
    )


def _blocks(said: PredictionContent, folder: str) -> Iterator[str]:
    """The Markdown, block by block; pictures are linked as ``<folder>/<id>.svg``."""
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
        yield from (figure_block(figure, folder) for figure in section.figures)
        yield from titled(section.tables)
    yield f"## {INPUTS}"
    for group in said.facts:
        yield f"### {escaped(group.title)}"
        yield table(Table(("", ""), group.entries))
    yield from titled(said.grounds)


def write_page(said: PredictionContent, out_dir: Path) -> Path:
    """Write ``<name>.html``, ``<name>.md``, ``figures/*.svg`` and ``data/*.csv``; return the page's path.

    The page stands alone; the Markdown links the pictures beside it. Existing files of these names are
    replaced. Raises OSError if the directory cannot be written.
    """
    pictures = {figure.id: svg(figure) for figure in said.figures()}
    numbers = {f"{NUMBERS}/{file.name}.csv": csv_text(file.columns, file.rows) for file in said.data}
    markdown = together(_blocks(said, FIGURES))
    return put_page(out_dir, said.name, _page(said, pictures), markdown, svg_files(pictures) | numbers)
