"""A document as an HTML page, which stands alone or within a shell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup, escape

from howdah.report.document import (
    Block,
    Document,
    Entries,
    FactList,
    Figure,
    FoldedBlocks,
    Form,
    Table,
    every_block,
)
from howdah.report.html_shell import Shell, ShownPage, drawn, page, prose


class Piece(NamedTuple):
    """What one macro of ``page.html.j2`` renders; ``kind`` is the macro's name."""

    kind: str
    block: object


def html(document: Document, pictures: Mapping[str, str] | None, shell: Shell | None = None) -> str:
    """The whole page; without ``pictures``, SVG by a figure's id, they are files next to the page."""
    shown = document.in_form(Form.HTML)
    return page(
        document.save_name or document.name,
        shown.figures(),
        sections=((section.id, section.name) for section in shown.sections if section.name),
        shell=shell,
        own=document.own or None,
        document=shown,
        cited=_citing(shown),
        pieces=list(_pieces(shown.blocks, pictures)),
        parts=[(section, list(_pieces(section.blocks, pictures))) for section in shown.sections],
    )


def shown_page(document: Document, shell: Shell) -> ShownPage:
    """The document as a page within a shell."""
    return ShownPage(html(document, None, shell), document.in_form(Form.HTML).figures())


def _pieces(blocks: Iterable[Block], pictures: Mapping[str, str] | None) -> Iterator[Piece]:
    """The blocks, with neighbours together that share a row or a grid."""
    for together, group in groupby(blocks, key=_grouped):
        if together == "pair":
            yield Piece("pair", [drawn(figure, pictures) for figure in group if isinstance(figure, Figure)])
        elif together:
            yield Piece(together, list(group))
        else:
            for block in group:
                yield _piece(block, pictures)


def _grouped(block: Block) -> str:
    """The grid that a block shares with its neighbours, if any."""
    if isinstance(block, Figure) and block.half:
        return "pair"
    return "facts" if isinstance(block, FactList) and block.title else ""


def _piece(block: Block, pictures: Mapping[str, str] | None) -> Piece:
    match block:
        case Figure():
            return Piece("figure", drawn(block, pictures))
        case FactList():
            return Piece("pairs", block)
        case Table() if block.details:
            return Piece("opening", (block, [list(_pieces(inside, pictures)) for inside in block.details]))
        case FoldedBlocks():
            return Piece("details", (block, list(_pieces(block.blocks, pictures))))
        case _:
            return Piece(type(block).__name__.lower(), block)


def _citing(document: Document) -> Callable[[str], Markup]:
    """A function that makes a text HTML, with a link at the name of every entry that has an anchor."""
    blocks = (*document.blocks, *(block for section in document.sections for block in section.blocks))
    lists = [block for block in every_block(blocks) if isinstance(block, Entries)]
    anchors = {str(escape(item.name)): item.anchor for block in lists for item in block.items if item.anchor}
    if not anchors:
        return prose
    names = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(anchors, key=len, reverse=True)))})\b")

    def cited(text: str) -> Markup:
        link = '<a href="#{}">{}</a>'
        return Markup(names.sub(lambda name: link.format(escape(anchors[name[0]]), name[0]), prose(text)))

    return cited
