"""A document as Markdown and as files: the page, Markdown, pictures and numbers for other programs."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from howdah.markdown import pipe_table
from howdah.report import document as doc
from howdah.report.html import FIGURES, html
from howdah.report.renderer import Renderer, svg

NUMBERS = "data"  # The folder, next to a page, of numbers for other programs.


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
            # The folders that are not there, the uppermost first.
            made += [path for path in (path.parent, *path.parent.parents) if not path.exists()][::-1]
            path.parent.mkdir(parents=True, exist_ok=True)
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


def write_document(document: doc.Document, out_dir: Path, renderer: Renderer | None = None) -> Path:
    """Write ``<name>.html``, ``<name>.md``, ``figures/*.svg`` and ``data/*.csv``; return the page's path.

    The page stands alone; the Markdown links the pictures next to it. Existing files of these names are
    replaced. A ``renderer`` draws in other processes. Raises OSError if the directory cannot be written.
    """
    figures = document.in_form(doc.Form.HTML).figures()
    if renderer is None:
        pictures = {figure.id: svg(figure) for figure in figures}
    else:
        pictures = renderer.pictures(figures)
    numbers = {f"{NUMBERS}/{file.name}.csv": csv_text(file.columns, file.rows) for file in document.data}
    files = svg_files(pictures) | numbers
    return put_page(out_dir, document.name, html(document, pictures), markdown(document, FIGURES), files)


_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
_CODE = re.compile(r"`([^`\n]+)`")
_PLAIN = ("", "measured", "simulated")  # Certainties of a note that need no mention.


def markdown(document: doc.Document, folder: str) -> str:
    """The whole file; pictures are linked as ``<folder>/<id>.svg``."""
    shown = document.in_form(doc.Form.MARKDOWN)
    title = f"{shown.question}\n\n**{prose(shown.answer)}**" if shown.question else prose(shown.answer)
    blocks = [f"# {title}", escaped(" · ".join(shown.kicker)), *_blocks(shown.blocks, folder)]
    for section in shown.sections:
        blocks.append(f"## {escaped(section.title)}")
        if section.about:
            blocks.append(prose(section.about))
        blocks += _blocks(section.blocks, folder)
    return together(blocks)


def together(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """The text with every character that Markdown or HTML would read as markup made literal."""
    return _SPECIAL.sub(r"\\\1", text.replace("&", "&amp;")).replace("\n", " ")


def prose(text: str) -> str:
    """The same with `code` as code."""
    parts = _CODE.split(text.replace("\n", " "))
    return "".join(f"`{part}`" if at % 2 else escaped(part) for at, part in enumerate(parts))


def _blocks(blocks: Iterable[doc.Block], folder: str) -> Iterator[str]:
    for block in blocks:
        match block:
            case doc.Figure():
                yield figure_block(block, folder)
            case doc.Table():
                yield from _titled(block)
            case doc.Entries():
                yield "\n".join(map(_entry, block.items))
            case doc.FactList():
                if block.title:
                    yield f"### {escaped(block.title)}"
                yield table(doc.Table(("", ""), block.entries))
            case doc.Paragraph():
                strong = f"**{prose(block.strong)}** " if block.strong else ""
                yield f"{strong}{prose(block.text)}".rstrip()
            case doc.Bullets():
                mark = "**Warning:** " if block.style == "warning" else ""
                yield bullets(block.items, mark)
            case doc.Warnings():
                yield "\n".join(map(_warning, block.findings))
            case doc.Notes():
                yield f"### {escaped(block.title)}"
                remarks = (f"- {prose(remark)}" for remark in block.remarks)
                yield "\n".join((*map(_note, block.findings), *remarks))
            case doc.Heading():
                yield f"### {escaped(block.text)}"
            case doc.FoldedBlocks():
                yield f"{escaped(block.summary)}:"
                yield from _blocks(block.blocks, folder)


def _titled(block: doc.Table) -> Iterator[str]:
    if block.title:
        yield f"### {escaped(block.title)}"
        if block.about:
            yield prose(block.about)
    yield table(block)


def table(data: doc.Table) -> str:
    """A pipe table, columns of numbers aligned on the right."""
    return pipe_table(data.columns, data.rows, right=doc.numeric_columns(data), escape=escaped)


def bullets(items: Iterable[str], mark: str = "") -> str:
    return "\n".join(f"- {mark}{prose(item)}" for item in items)


def figure_block(figure: doc.Figure, folder: str) -> str:
    """A figure as a link to its picture, with its title and caption."""
    title, caption = escaped(figure.title), prose(figure.caption)
    return f"![{title}]({folder}/{figure.id}.svg)\n\n*{title}.* {caption}"


def _entry(entry: doc.TextEntry) -> str:
    text = prose(" ".join(filter(None, (entry.strong, entry.text))))
    return f"- **{escaped(entry.name)}** {text}" + (f" ({prose(entry.note)})" if entry.note else "")


def _warning(finding: doc.FindingText) -> str:
    parts = ", ".join(filter(None, (finding.place, finding.certainty)))
    numbers = "".join(f"; {name} {value}" for name, value in finding.numbers)
    return f"- **Warning:** {prose(finding.text)} ({escaped(parts + numbers)})"


def _note(finding: doc.FindingText) -> str:
    """A note shows its certainty only if it was not measured; its numbers are on the page."""
    certainty = "" if finding.certainty in _PLAIN else f" ({escaped(finding.certainty)})"
    return f"- {prose(finding.text)}{certainty}"
