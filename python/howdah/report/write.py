"""A document as files: the page, Markdown, pictures and numbers for other programs."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from howdah.report.document import Document, Form
from howdah.report.html import FIGURES, html
from howdah.report.markdown import markdown
from howdah.report.renderer import Renderer, svg

NUMBERS = "data"
"""The folder, next to a page, of numbers for other programs."""


def put_page(folder: Path, name: str, html: str, markdown: str, files: Mapping[str, str | bytes]) -> Path:
    """Put ``<name>.html``, ``<name>.md`` and what belongs to them into a folder; return the page's path.

    The page stands alone; the Markdown links the pictures among ``files``. What has these names is replaced.
    Raises OSError if the folder cannot be written.
    """
    put(folder, {**files, f"{name}.md": markdown, f"{name}.html": html})
    return folder / f"{name}.html"


def svg_files(pictures: Mapping[str, str]) -> dict[str, str | bytes]:
    """The pictures, SVG by figure id, as files that Markdown links."""
    return {f"{FIGURES}/{name}.svg": picture for name, picture in pictures.items()}


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for other programs."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((columns, *rows))
    return text.getvalue()


def put(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Put files, named from the folder on, where they belong: all of them, or none where there is no room.

    What has their names is replaced once all of them are written. Raises OSError if the folder cannot be
    written, and leaves then what was there.
    """
    unfinished: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for name, content in files.items():
            path = folder / name
            made += _make(path.parent)
            draft = path.with_name(f".{path.name}.{os.getpid()}")
            unfinished[draft] = path
            draft.write_bytes(content.encode() if isinstance(content, str) else content)
        for draft, path in unfinished.items():
            draft.replace(path)
    finally:
        for draft in unfinished:
            draft.unlink(missing_ok=True)
        for parent in reversed(made):
            with suppress(OSError):
                # It has files, but where they could not be written.
                parent.rmdir()


def _make(folder: Path) -> list[Path]:
    """Make a folder with those above it, and return those that were not there, the uppermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def write_document(document: Document, out_dir: Path, renderer: Renderer | None = None) -> Path:
    """Write ``<name>.html``, ``<name>.md``, ``figures/*.svg`` and ``data/*.csv``; return the page's path.

    The page stands alone; the Markdown links the pictures next to it. Existing files of these names are
    replaced. A ``renderer`` draws in other processes. Raises OSError if the directory cannot be written.
    """
    figures = document.in_form(Form.HTML).figures()
    if renderer is None:
        pictures = {figure.id: svg(figure) for figure in figures}
    else:
        pictures = renderer.pictures(figures)
    numbers = {f"{NUMBERS}/{file.name}.csv": csv_text(file.columns, file.rows) for file in document.data}
    files = svg_files(pictures) | numbers
    return put_page(out_dir, document.name, html(document, pictures), markdown(document, FIGURES), files)
