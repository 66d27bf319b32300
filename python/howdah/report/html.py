"""A document as an HTML page, which stands alone or within a shell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from howdah.report.document import Block, Document, FactList, Figure, FoldedBlocks, Form, PagePart
from howdah.report.html_shell import Shell, ShownPage, drawn, environment, page


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
    return "facts" if isinstance(block, FactList) else ""


def _piece(block: Block, pictures: Mapping[str, str] | None) -> Piece:
    match block:
        case Figure():
            return Piece("figure", drawn(block, pictures))
        case PagePart():
            return Piece("markup", _markup(block))
        case FoldedBlocks():
            return Piece("details", (block, list(_pieces(block.blocks, pictures))))
        case _:
            return Piece(type(block).__name__.lower(), block)


def _markup(part: PagePart) -> Markup:
    macro = getattr(environment().get_template(part.template).module, part.macro)
    return Markup(macro(part.value))
