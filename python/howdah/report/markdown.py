"""A document as Markdown, with its figures as SVG files next to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from howdah.markdown import pipe_table
from howdah.report.document import (
    Block,
    Bullets,
    Document,
    Entries,
    FactList,
    Figure,
    FindingText,
    FoldedBlocks,
    Form,
    Heading,
    Notes,
    Paragraph,
    Table,
    TextEntry,
    Warnings,
    numeric_columns,
)

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
_CODE = re.compile(r"`([^`\n]+)`")
_PLAIN = ("", "measured", "simulated")
"""Certainties of a note that need no mention."""


def markdown(document: Document, folder: str) -> str:
    """The whole file; pictures are linked as ``<folder>/<id>.svg``."""
    shown = document.in_form(Form.MARKDOWN)
    title = f"{shown.question}\n\n**{prose(shown.answer)}**" if shown.question else prose(shown.answer)
    blocks = [f"# {title}", escaped(" · ".join(shown.kicker)), *_blocks(shown.blocks, folder)]
    for section in shown.sections:
        blocks.append(f"## {escaped(section.title)}")
        if section.about:
            blocks.append(prose(section.about))
        blocks += _blocks(section.blocks, folder)
    return together(blocks)


def together(blocks: Iterable[str]) -> str:
    """A file of these blocks."""
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """The text with every character that Markdown or HTML would read as markup made literal."""
    return _SPECIAL.sub(r"\\\1", text.replace("&", "&amp;")).replace("\n", " ")


def prose(text: str) -> str:
    """The same with `code` as code."""
    parts = _CODE.split(text.replace("\n", " "))
    return "".join(f"`{part}`" if at % 2 else escaped(part) for at, part in enumerate(parts))


def _blocks(blocks: Iterable[Block], folder: str) -> Iterator[str]:
    for block in blocks:
        match block:
            case Figure():
                yield figure_block(block, folder)
            case Table():
                yield from _titled(block)
            case Entries():
                yield "\n".join(map(_entry, block.items))
            case FactList():
                if block.title:
                    yield f"### {escaped(block.title)}"
                yield table(Table(("", ""), block.entries))
            case Paragraph():
                strong = f"**{prose(block.strong)}** " if block.strong else ""
                yield f"{strong}{prose(block.text)}".rstrip()
            case Bullets():
                mark = "**Warning:** " if block.style == "warning" else ""
                yield bullets(block.items, mark)
            case Warnings():
                yield "\n".join(map(_warning, block.findings))
            case Notes():
                yield f"### {escaped(block.title)}"
                remarks = (f"- {prose(remark)}" for remark in block.remarks)
                yield "\n".join((*map(_note, block.findings), *remarks))
            case Heading():
                yield f"### {escaped(block.text)}"
            case FoldedBlocks():
                yield f"{escaped(block.summary)}:"
                yield from _blocks(block.blocks, folder)


def _titled(block: Table) -> Iterator[str]:
    if block.title:
        yield f"### {escaped(block.title)}"
        if block.about:
            yield prose(block.about)
    yield table(block)


def table(data: Table) -> str:
    """A pipe table, columns of numbers aligned on the right."""
    return pipe_table(data.columns, data.rows, right=numeric_columns(data), escape=escaped)


def bullets(items: Iterable[str], mark: str = "") -> str:
    """A list with a mark before each item."""
    return "\n".join(f"- {mark}{prose(item)}" for item in items)


def figure_block(figure: Figure, folder: str) -> str:
    """A figure as a link to its picture, with its title and caption."""
    title, caption = escaped(figure.title), prose(figure.caption)
    return f"![{title}]({folder}/{figure.id}.svg)\n\n*{title}.* {caption}"


def _entry(entry: TextEntry) -> str:
    text = prose(" ".join(filter(None, (entry.strong, entry.text))))
    return f"- **{escaped(entry.name)}** {text}" + (f" ({prose(entry.note)})" if entry.note else "")


def _warning(finding: FindingText) -> str:
    parts = ", ".join(filter(None, (finding.place, finding.certainty)))
    numbers = "".join(f"; {name} {value}" for name, value in finding.numbers)
    return f"- **Warning:** {prose(finding.text)} ({escaped(parts + numbers)})"


def _note(finding: FindingText) -> str:
    """A note shows its certainty only if it was not measured; its numbers are on the page."""
    certainty = "" if finding.certainty in _PLAIN else f" ({escaped(finding.certainty)})"
    return f"- {prose(finding.text)}{certainty}"
