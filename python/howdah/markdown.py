"""Markdown tables, for reports, generated pages of the documentation and their scripts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence


def cell_text(text: str) -> str:
    """Markdown as the text of a table's cell: in one line, without a bar that would end it."""
    return text.replace("|", "\\|").replace("\n", " ").strip()


def pipe_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Collection[int] = (),
    escape: Callable[[str], str] = cell_text,
) -> str:
    """A table with the columns ``right`` aligned on the right; it ends without a line break."""
    rule = ["---:" if index in right else "---" for index in range(len(head))]
    lines = [[escape(cell) for cell in head], rule, *([escape(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
