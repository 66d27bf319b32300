"""Write a study's paper."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import vl_convert

from howdah.report.artist import Artist
from howdah.report.figure import Table
from howdah.report.study.content import Content, content
from howdah.report.study.draw import Figures, draw
from howdah.report.study.found import Found
from howdah.report.study.legible import legible
from howdah.report.study.markdown import study_markdown
from howdah.report.study.page import study_page

PAGE, MARKDOWN, FIGURES, DATA = "study.html", "study.md", "figures", "data"
_SHARP = 2
"""Pixels of a PNG to one of its figure's."""


def write_paper(found: Found, out_dir: Path) -> Path:
    """Write ``study.html``, ``study.md``, ``figures/*.svg|png`` and ``data/*.csv``; return the page's path.

    ``study.html`` stands alone; ``study.md`` links the pictures beside it. The same runs give the same
    bytes. What these folders held is replaced. Raises OSError if the directory cannot be written.
    """
    with Artist() as artist:
        said = content(found)
        figures = draw(found)
        pictures = artist.pictures([legible(figure) for figure in figures.every()])
    for folder in (FIGURES, DATA):
        # What an earlier state of the study drew may have no place in this one.
        shutil.rmtree(out_dir / folder, ignore_errors=True)
        (out_dir / folder).mkdir(parents=True)
    for name, picture in pictures.items():
        (out_dir / FIGURES / f"{name}.svg").write_text(picture, encoding="utf-8")
        (out_dir / FIGURES / f"{name}.png").write_bytes(vl_convert.svg_to_png(picture, scale=_SHARP))
    for name, table in _tables(said, figures):
        (out_dir / DATA / f"{name}.csv").write_text(_csv(table), encoding="utf-8")
    (out_dir / MARKDOWN).write_text(study_markdown(said, figures, FIGURES), encoding="utf-8")
    path = out_dir / PAGE
    path.write_text(study_page(said, figures, pictures), encoding="utf-8")
    return path


def _tables(said: Content, figures: Figures) -> Iterator[tuple[str, Table]]:
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
