"""A document as files: the page, Markdown, pictures and numbers for other programs."""

from __future__ import annotations

from pathlib import Path

from howdah.report.document import Document, Form
from howdah.report.folder import FIGURES, NUMBERS, csv_text, put_page, svg_files
from howdah.report.html import html
from howdah.report.markdown import markdown
from howdah.report.renderer import Renderer, svg


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
