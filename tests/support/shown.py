"""The parts of a document that tests read."""

from __future__ import annotations

import io

from rich.console import Console

from howdah.report.document import Bullets, Document, Figure, Form, Notes, Paragraph, Table
from howdah.report.terminal import terminal


def leads(document: Document) -> list[str]:
    """The sentences below the answer."""
    shown = document.in_form(Form.HTML).blocks
    return [block.text for block in shown if isinstance(block, Paragraph) and block.style == "lead"]


def warnings(document: Document) -> tuple[str, ...]:
    """What limits the answer."""
    return next((block.items for block in document.blocks if isinstance(block, Bullets)), ())


def first_table(document: Document) -> Table:
    """The table of the page's answer."""
    return next(block for block in document.in_form(Form.HTML).blocks if isinstance(block, Table))


def first_figure(document: Document) -> Figure | None:
    """The figure of the page's answer."""
    return next((block for block in document.blocks if isinstance(block, Figure)), None)


def notes(document: Document) -> list[Notes]:
    """The notes of all sections."""
    return [block for section in document.sections for block in section.blocks if isinstance(block, Notes)]


def terminal_text(document: Document, width: int = 80) -> str:
    """The document in a terminal of so many columns."""
    text = io.StringIO()
    Console(file=text, width=width, color_system=None, highlight=False).print(terminal(document))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
