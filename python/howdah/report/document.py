"""A page, a Markdown file and a text in a terminal as one document: plain data without a form.

``html.py``, ``write.py`` and ``terminal.py`` each render a document; none of them knows its subject.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Literal, NamedTuple, Self, TypeVar

Item = TypeVar("Item")

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


TableStyle = Literal["", "stats", "titled", "plan", "choices", "settings"]
_NOTHING = frozenset({"", "–"})


class Table(NamedTuple):
    """Text in rows; the first column names the row. Columns of numbers are aligned on the right.

    ``title`` and ``about`` stand above it. A table without a title has a ``label`` for readers who cannot see
    it. With ``fold``, HTML hides many rows until a reader opens them. The terminal draws ``bars`` after the
    last column. ``faint`` rows have a paler colour, ``strong`` ones a heavier font. ``links`` has the address
    that each row's name leads to in HTML, empty for none. With ``details``, each row opens onto its blocks in
    HTML; the other forms have no room for them. The terminal cuts the sentences of the last column to one
    line each if they are ``short``.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    about: str = ""
    label: str = ""
    style: TableStyle = ""
    fold: bool = False
    bars: Bars | None = None
    faint: frozenset[int] = frozenset()
    strong: frozenset[int] = frozenset()
    links: tuple[str, ...] = ()
    details: tuple[tuple[Block, ...], ...] = ()
    short: bool = False

    @classmethod
    def of(
        cls,
        items: Iterable[Item],
        columns: Mapping[str, Callable[[Item], str]],
        title: str = "",
        about: str = "",
        *,
        label: str = "",
        style: TableStyle = "",
        fold: bool = False,
    ) -> Self:
        """A row for each item; ``columns`` has each column's title with the text of its cells."""
        rows = tuple(tuple(text(item) for text in columns.values()) for item in items)
        return cls(tuple(columns), rows, title, about, label, style, fold=fold)

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
    """One chart; the terminal has none.

    ``id`` names its files and its place on the page, ``title`` says what it shows, ``caption``
    what a reader who cannot see it should know. ``spec`` is Vega-Lite with colour tokens.
    ``keys`` are empty if there is only one thing to show. ``half`` figures are small multiples:
    two of them share a row. ``marks`` counts what is drawn, so that the page can choose a renderer
    that stays quick. ``labelled`` figures name every key in the plot if there is room.
    Narrower than its ``least_width``, pixels, a figure is scrolled, as its words would not fit.
    """

    id: str
    title: str
    caption: str
    spec: dict[str, Any]
    table: Table
    keys: tuple[Key, ...] = ()
    half: bool = False
    marks: int = 0
    labelled: bool = False
    least_width: int = 0


class Paragraph(NamedTuple):
    """Sentences; ``strong`` ones stand before the others."""

    text: str
    style: Literal["", "lead", "about", "note"] = ""
    """``lead`` belongs to the answer, ``about`` explains what follows, a ``note`` is small."""
    strong: str = ""


class Bullets(NamedTuple):
    """Short texts below one another."""

    items: tuple[str, ...]
    style: Literal["", "missing", "warning", "remark"] = ""
    """``missing`` and ``warning`` limit the answer and stand out; a ``remark`` is small."""


class FactList(NamedTuple):
    """Pairs of a name and a value; a name with several values is repeated.

    The values of ``verbatim`` names are read by machines; those of ``short`` ones are sentences that the
    terminal cuts to one line each.
    """

    title: str
    entries: tuple[tuple[str, str], ...]
    verbatim: frozenset[str] = frozenset()
    short: frozenset[str] = frozenset()


class TextEntry(NamedTuple):
    """Sentences below a name or a badge, and a note on where they come from; ``strong`` words come first.

    In HTML, the name of an entry with an ``anchor`` is a link to it wherever a note or a fact cites it.
    """

    name: str
    text: str
    note: str = ""
    strong: str = ""
    anchor: str = ""


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
    """Blocks under a heading. ``id`` is its anchor, ``name`` what links to it, if anything does.

    The terminal leaves out ``about``, which explains figures and tables, and the title if the first block has
    one.
    """

    id: str
    name: str
    title: str
    blocks: tuple[Block, ...]
    about: str = ""
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
    """The answer, its evidence and its provenance.

    ``name`` is that of its files. The last part of ``kicker``, the line above the answer, is where the
    numbers come from: a document of simulated ones has a badge. A ``question`` stands above its answer.
    ``save_name`` begins the names of pictures that a reader saves, instead of ``name``. ``own`` names
    a style sheet and a script that only this kind of page has.
    """

    name: str
    title: str
    kicker: tuple[str, ...]
    answer: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...] = ()
    question: str = ""
    data: tuple[Data, ...] = ()
    save_name: str = ""
    own: str = ""

    @classmethod
    def for_terminal(cls, name: str, answer: str, *blocks: Block | None) -> Self:
        """An answer and the blocks that have any content, without what files need."""
        return cls(name, "", (), answer, present(*blocks))

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
