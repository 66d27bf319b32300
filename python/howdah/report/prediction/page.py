"""What a page about predictions holds, and its forms: HTML, Markdown, and numbers for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import howdah
from howdah.report.cluster import Titled
from howdah.report.document import data, drawn, environment, put, scripts, style
from howdah.report.figure import Figure, Table
from howdah.report.markdown import escaped, figure_block, table, titled
from howdah.report.provenance import FactGroup
from howdah.report.renderer import svg

FIGURES, DATA = "figures", "data"


class PredictionSection(NamedTuple):
    """A part of the page under a heading of its own; ``name`` is what links to it."""

    id: str
    name: str
    title: str
    about: str
    figures: tuple[Figure, ...] = ()
    tables: tuple[Titled, ...] = ()


class Data(NamedTuple):
    """Numbers for other programs, not rounded; times are in seconds, volumes in bytes, shares of one."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]


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
    facts: tuple[FactGroup, ...]
    grounds: tuple[Titled, ...]
    data: tuple[Data, ...]

    def figures(self) -> Iterator[Figure]:
        """Every figure in the order in which a reader meets them."""
        if self.figure is not None:
            yield self.figure
        for section in self.sections:
            yield from section.figures


def prediction_page(said: PredictionContent, pictures: dict[str, str]) -> str:
    """The whole HTML document; ``pictures`` are the still figures as SVG, by figure id."""
    running = scripts()
    return (
        environment()
        .get_template("prediction.html.j2")
        .render(
            said=said,
            version=howdah.__version__,
            answer=drawn(said.figure, pictures) if said.figure else None,
            shown=[(section, [drawn(one, pictures) for one in section.figures]) for section in said.sections],
            style=style(),
            scripts=running,
            policy=running.policy(),
            data=data(said.name, said.figures()),
        )
    )


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


def write_page(said: PredictionContent, out_dir: Path) -> Path:
    """Write ``<name>.html``, ``<name>.md``, ``figures/*.svg`` and ``data/*.csv``; return the page's path.

    The page stands alone; the Markdown links the pictures beside it. Existing files of these names are
    replaced. Raises OSError if the directory cannot be written.
    """
    pictures = {figure.id: svg(figure) for figure in said.figures()}
    page = f"{said.name}.html"
    put(
        out_dir,
        {
            **{f"{FIGURES}/{name}.svg": picture for name, picture in pictures.items()},
            **{f"{DATA}/{one.name}.csv": _csv(one) for one in said.data},
            f"{said.name}.md": prediction_markdown(said, FIGURES),
            page: prediction_page(said, pictures),
        },
    )
    return out_dir / page


def _csv(data: Data) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(data.columns)
    writer.writerows(data.rows)
    return text.getvalue()
