"""A page, a Markdown file and a text in a terminal as one document: plain data without a form.

``html.py``, ``write.py`` and ``terminal.py`` each render a document; none of them knows its subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, Literal, NamedTuple, Self

_NUMERIC = re.compile(r"^((?:< )?[+\N{MINUS SIGN}]?\d[\d,]*(?:\.\d+)?( ×| [^×]{1,12}|/s)?|–|unknown|)$")


class Form(Enum):
    """What a document is rendered to."""

    HTML = "HTML"
    MARKDOWN = "Markdown"
    TERMINAL = "terminal"


EVERY_FORM = frozenset(Form)
PAGES = frozenset({Form.HTML, Form.MARKDOWN})  # The forms that are files, which have room for everything.
TERMINAL = frozenset({Form.TERMINAL})


class Key(NamedTuple):
    """One thing a figure draws and a reader can switch off; ``token`` is its colour."""

    name: str
    token: str


class Bars(NamedTuple):
    """A number for each row of a table, drawn in a column with a title."""

    title: str
    values: tuple[float, ...]


class TableCell(str):
    """The text of a table's cell with what HTML shows of it besides: links, a remark, what is wrong."""

    links: tuple[tuple[str, str], ...]  # Texts with the addresses that they lead to, in place of the text.
    aside: str
    fault: str

    @classmethod
    def of(cls, text: str, *links: tuple[str, str], aside: str = "", fault: str = "") -> Self:
        cell = cls(text)
        cell.links, cell.aside, cell.fault = links, aside, fault
        return cell

    @classmethod
    def to(cls, text: str, address: str, *, aside: str = "", fault: str = "") -> Self:
        """A text that leads to an address."""
        return cls.of(text, (text, address), aside=aside, fault=fault)


TableStyle = Literal["", "stats", "titled", "plan", "choices", "settings", "listing"]
_NOTHING = frozenset({"", "–"})


class Table(NamedTuple):
    """Text in rows; the first column names the row. Columns of numbers are aligned on the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    about: str = ""  # What stands above it, below the title.
    label: str = ""  # For readers who cannot see a table without a title.
    style: TableStyle = ""
    fold: bool = False  # Whether HTML hides many rows until a reader opens them.
    bars: Bars | None = None  # What the terminal draws after the last column.
    faint: frozenset[int] = frozenset()  # Rows in a paler colour.
    strong: frozenset[int] = frozenset()  # Rows in a heavier font.
    details: tuple[tuple[Block, ...], ...] = ()  # Blocks that each row opens onto, in HTML alone.
    short: bool = False  # Whether the terminal cuts the sentences of the last column to one line each.

    def only(self, places: Sequence[int]) -> Self:
        """The table of the columns at these places."""
        return self._replace(
            columns=tuple(self.columns[at] for at in places),
            rows=tuple(tuple(row[at] for at in places) for row in self.rows),
        )

    def without_empty_columns(self) -> Self:
        """The table without the columns that no row has anything in."""
        filled = [at for at in range(len(self.columns)) if any(row[at] not in _NOTHING for row in self.rows)]
        return self.only(filled)


class Drawing(NamedTuple):
    """A picture that HTML shows as it is; ``keys`` are the words of its colours, with their classes."""

    id: str
    title: str
    caption: str
    svg: str
    keys: tuple[tuple[str, str], ...] = ()


class Figure(NamedTuple):
    """One chart; the terminal has none."""

    id: str  # Names its files and its place on the page.
    title: str  # What it shows.
    caption: str  # What a reader who cannot see it should know.
    spec: dict[str, Any]  # Vega-Lite with colour tokens.
    table: Table
    keys: tuple[Key, ...] = ()  # Empty if there is only one thing to show.
    half: bool = False  # Whether it is a small multiple: two of them share a row.
    marks: int = 0  # How many are drawn, so that the page can choose a renderer that stays quick.
    labelled: bool = False  # Whether it names every key in the plot if there is room.
    least_width: int = 0  # Pixels; if it is narrower it is scrolled, as its words would not fit.


class Paragraph(NamedTuple):
    """Sentences; ``strong`` ones stand before the others."""

    text: str
    style: Literal["", "lead", "about", "note"] = ""  # ``about`` explains what follows, a ``note`` is small.
    strong: str = ""


class Bullets(NamedTuple):
    """Short texts below one another."""

    items: tuple[str, ...]
    style: Literal["", "missing", "warning", "remark"] = ""
    """``missing`` and ``warning`` limit the answer and stand out; a ``remark`` is small."""


class FactList(NamedTuple):
    """Pairs of a name and a value; a name with several values is repeated."""

    title: str
    entries: tuple[tuple[str, str], ...]
    verbatim: frozenset[str] = frozenset()  # Names with values that machines read.
    short: frozenset[str] = frozenset()  # Names with sentences that the terminal cuts to one line each.


class TextEntry(NamedTuple):
    """Sentences below a name or a badge, and a note on where they come from; ``strong`` words come first."""

    name: str
    text: str
    note: str = ""
    strong: str = ""
    anchor: str = ""  # In HTML, its name is a link to it wherever a note or a fact cites it.


class Entries(NamedTuple):
    """Entries below one another."""

    items: tuple[TextEntry, ...]


class FindingText(NamedTuple):
    """One conclusion with its numbers; ``certainty`` is in words, ``place`` the workload and phase."""

    text: str
    place: str = ""
    certainty: str = ""
    numbers: tuple[tuple[str, str], ...] = ()


class Warnings(NamedTuple):
    """Findings that a reader must not miss, with all their numbers."""

    findings: tuple[FindingText, ...]


class Notes(NamedTuple):
    """Findings on one subject, which HTML opens onto their numbers; then remarks on how to read them."""

    title: str
    findings: tuple[FindingText, ...]
    remarks: tuple[str, ...] = ()


class Heading(NamedTuple):
    """A heading within a section."""

    text: str


class FoldedBlocks(NamedTuple):
    """Blocks below a summary, which HTML hides until a reader opens them; a ``size`` makes it a heading."""

    summary: str
    blocks: tuple[Block, ...]
    open: bool = False
    size: int = 0


class Only(NamedTuple):
    """Blocks that only some forms have: the others have no room for them, or show the same otherwise."""

    forms: frozenset[Form]
    blocks: tuple[Block, ...]


Block = (
    Paragraph | Bullets | Table | Drawing | Figure | FactList | Entries | Warnings | Notes
    | Heading | FoldedBlocks | Only
)  # fmt: skip


class Section(NamedTuple):
    """Blocks under a heading."""

    id: str  # Its anchor.
    name: str  # What links to it, if anything does.
    title: str  # Left out by the terminal if the first block has one.
    blocks: tuple[Block, ...]
    about: str = ""  # Explains figures and tables; the terminal leaves it out.
    forms: frozenset[Form] = EVERY_FORM

    @classmethod
    def of(
        cls,
        name: str,
        *blocks: Block | None,
        title: str = "",
        about: str = "",
        anchor: str = "",
        forms: frozenset[Form] = EVERY_FORM,
    ) -> Self:
        """The blocks that have any content; title and anchor are the name if there are no others."""
        return cls(
            anchor or name.lower().replace(" ", "-"), name, title or name, present(*blocks), about, forms
        )


class Data(NamedTuple):
    """Numbers for other programs, not rounded; times are in seconds, volumes in bytes, shares of one."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]

    @classmethod
    def of(cls, name: str, columns: tuple[str, ...], rows: Iterable[object]) -> Self:
        """The columns of ``rows``, each named as the attribute that it has there."""
        return cls(name, columns, tuple(tuple(getattr(row, column) for column in columns) for row in rows))


class Document(NamedTuple):
    """The answer, its evidence and its provenance."""

    name: str  # That of its files.
    title: str
    kicker: tuple[str, ...]  # The line above the answer; its last part is the numbers' origin.
    answer: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...] = ()
    question: str = ""  # Stands above the answer.
    data: tuple[Data, ...] = ()
    save_name: str = ""  # Begins the names of pictures that a reader saves, instead of ``name``.
    own: str = ""  # A style sheet and a script that only this kind of page has.

    @classmethod
    def of(
        cls, name: str, title: str, kicker: tuple[str, ...], answer: str, *blocks: Block | None, **fields: Any
    ) -> Self:
        """A document with the blocks that have any content; ``fields`` are its other ones."""
        return cls(name, title, kicker, answer, present(*blocks), **fields)

    @classmethod
    def for_terminal(cls, name: str, answer: str, *blocks: Block | None) -> Self:
        """An answer and the blocks that have any content, without what files need."""
        return cls.of(name, "", (), answer, *blocks)

    @property
    def badge(self) -> str:
        """What is said of numbers that were not all measured; empty if they were."""
        origin = self.kicker[-1] if self.kicker else ""
        if "simulated" not in origin:
            return ""
        return "simulated" if origin == "simulated" else "partly simulated"

    def every_block(self) -> Iterator[Block]:
        """Every block in the order in which a reader meets them."""
        for blocks in (self.blocks, *(section.blocks for section in self.sections)):
            yield from every_block(blocks)

    def figures(self) -> tuple[Figure, ...]:
        """Every figure."""
        return tuple(block for block in self.every_block() if isinstance(block, Figure))

    def tables(self) -> dict[str, Table]:
        """Every table by its title or its label."""
        tables = (block for block in self.every_block() if isinstance(block, Table))
        return {table.title or table.label: table for table in tables}

    def in_form(self, form: Form) -> Document:
        """The part of the document that a form has; sections in which nothing is left are not there."""
        sections = (
            section._replace(blocks=_in_form(section.blocks, form))
            for section in self.sections
            if form in section.forms
        )
        return self._replace(
            blocks=_in_form(self.blocks, form),
            sections=tuple(section for section in sections if section.blocks),
        )


def numeric_columns(table: Table) -> frozenset[int]:
    """The columns that hold numbers only, which are aligned on the right; settings are no such numbers."""
    if table.style == "settings":
        return frozenset()
    return frozenset(
        index
        for index in range(len(table.columns))
        if any(row[index] for row in table.rows)
        and all(_NUMERIC.match(line) for row in table.rows for line in row[index].split("\n"))
    )


def present(*blocks: Block | None) -> tuple[Block, ...]:
    """The blocks that have any content: no None, no table without rows, no empty list."""
    return tuple(block for block in blocks if block is not None and not _is_empty(block))


def _is_empty(block: Block) -> bool:
    match block:
        case (
            Table(rows=content) | Bullets(items=content) | FactList(entries=content) | Entries(items=content)
            | Warnings(findings=content) | FoldedBlocks(blocks=content) | Only(blocks=content)
        ):  # fmt: skip
            return not content
        case Paragraph():
            return not (block.text or block.strong)
        case _:
            return False


def _in_form(blocks: Iterable[Block], form: Form) -> tuple[Block, ...]:
    shown: list[Block] = []
    for block in blocks:
        match block:
            case Only():
                shown += _in_form(block.blocks, form) if form in block.forms else ()
            case FoldedBlocks():
                shown.append(block._replace(blocks=_in_form(block.blocks, form)))
            case Figure() if form is Form.TERMINAL:
                pass
            case Drawing() if form is not Form.HTML:
                pass
            case _:
                shown.append(block)
    return present(*shown)


def every_block(blocks: Iterable[Block]) -> Iterator[Block]:
    """Every block with those inside it."""
    for block in blocks:
        yield block
        if isinstance(block, (FoldedBlocks, Only)):
            yield from every_block(block.blocks)
