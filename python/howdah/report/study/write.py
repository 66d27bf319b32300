"""Write a study's paper."""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Iterator
from pathlib import Path

import vl_convert

from howdah.report.figure import Table
from howdah.report.folder import put
from howdah.report.renderer import Renderer
from howdah.report.study.content import StudyContent, content
from howdah.report.study.draw import StudyFigures, draw
from howdah.report.study.found import StudyFound
from howdah.report.study.legible import legible
from howdah.report.study.markdown import study_markdown
from howdah.report.study.page import study_page

PAGE, MARKDOWN, FIGURES, DATA = "study.html", "study.md", "figures", "data"
_SHARP = 2
"""Pixels of a PNG to one of its figure's."""


def write_paper(found: StudyFound, out_dir: Path) -> Path:
    """Write ``study.html``, ``study.md``, ``figures/*.svg|png`` and ``data/*.csv``; return the page's path.

    ``study.html`` stands alone; ``study.md`` links the pictures beside it. The same runs give the same
    bytes. What these folders held is replaced. Raises OSError if the directory cannot be written.
    """
    with Renderer() as renderer:
        said = content(found)
        figures = draw(found)
        pictures = renderer.pictures([legible(figure) for figure in figures.every()])
    files: dict[str, str | bytes] = {}
    for name, picture in pictures.items():
        files[f"{FIGURES}/{name}.svg"] = picture
        files[f"{FIGURES}/{name}.png"] = vl_convert.svg_to_png(picture, scale=_SHARP)
    for name, table in _tables(said, figures):
        files[f"{DATA}/{name}.csv"] = _csv(table)
    files[MARKDOWN] = study_markdown(said, figures, FIGURES)
    files[PAGE] = study_page(said, figures, pictures)
    put(out_dir, files)
    _clear(out_dir, files)
    return out_dir / PAGE


def _clear(out_dir: Path, files: Container[str]) -> None:
    """Remove what an earlier state of the study drew and has no place in this one."""
    for folder in (FIGURES, DATA):
        for path in (out_dir / folder).glob("*"):
            if f"{folder}/{path.name}" not in files:
                path.unlink()


def _tables(said: StudyContent, figures: StudyFigures) -> Iterator[tuple[str, Table]]:
    """Every table that has rows, and the numbers behind every figure."""
    named = (
        ("platforms", said.platforms),
        ("results", said.results),
        ("sizes", said.sizes),
        ("masters", said.masters),
        ("published", said.published),
        ("published-ratios", said.ratios),
        ("published-platforms", said.published_platforms),
    )
    yield from ((name, table) for name, table in named if table.rows)
    yield from ((figure.id, figure.table) for figure in figures.every())


def _csv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return text.getvalue()
