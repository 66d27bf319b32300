"""A document as text in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.bar import Bar
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from howdah.report import document as doc

_LEAST_BAR, _WIDEST_BAR = 8, 24
_LEAST_TEXT = 13  # Characters of a column of sentences in a narrow terminal.
_STYLES = {"missing": "red", "warning": "yellow", "remark": "yellow", "about": "dim", "note": "dim"}
_GAP = (0, 2, 0, 0)
_BADGES = {
    "must": "red", "should": "yellow", "may": "dim", "for": "green", "against": "red", "refused": "red",
    "fail": "bold red", "warn": "yellow", "advice": "blue", "cannot tell": "cyan", "pass": "green",
    "up": "green", "degraded": "yellow", "incomplete": "yellow", "link down": "red", "down": "red",
    "make": "green", "change": "yellow", "no longer planned": "cyan", "not changed": "bold red",
    "notice": "yellow", "assumed": "yellow", "missing": "red", "unreadable": "red",
}  # fmt: skip
"""The colours of names and of texts that begin with one of these words and a comma or a colon."""
_BADGE = re.compile(rf"(?:{'|'.join(_BADGES)})(?=[,:]|$)")
_LONGEST_NAME = 40  # Characters of a name that stays in one line of a table.
_LEAST_SHORT = 40  # Columns that sentences need in the last column; with fewer they stand below the table.
_SENTENCE = re.compile(r"[.!?](?=\s+[A-Z`(])")
_CLAUSE = re.compile(r"[,;:](?= )| (?=\()")
_LEAST_CLAUSE = 0.4  # A clause that fills less of the line says too little alone.


def shortened(text: str, width: int) -> str:
    """The first sentence; if that is too long, the clauses that fit; otherwise the words, and an ellipsis."""
    end = _SENTENCE.search(text)
    sentence = text[: end.end()] if end else text
    if len(sentence) <= width:
        return sentence
    for clause in reversed([match.start() for match in _CLAUSE.finditer(sentence, 0, width + 1)]):
        start = sentence[:clause]
        closed = start.count("`") % 2 == 0 and start.count("(") == start.count(")")
        if clause >= _LEAST_CLAUSE * width and closed:
            return start
    return f"{sentence[: max(width - 1, 1)].rpartition(' ')[0]} …"


def _text(text: str, style: str = "") -> Text:
    """The text without what would move a terminal's cursor or change its colours."""
    plain = "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
    badge = _BADGE.match(plain)
    if badge is None:
        return Text(plain, style)
    return Text.assemble((badge[0], _BADGES[badge[0]]), (plain[badge.end() :], style))


class _Short(NamedTuple):
    """A sentence cut to the width that it has."""

    text: str

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, len(self.text))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _text(shortened(self.text, options.max_width))


def terminal(document: doc.Document) -> RenderableType:
    """The line above the answer, the answer, and everything that a terminal has room for."""
    shown = document.in_form(doc.Form.TERMINAL)
    parts: list[RenderableType] = []
    if shown.kicker:
        parts.append(Text(" · ".join(shown.kicker), style="dim"))
    if shown.question:
        parts.append(Text(shown.question))
    if shown.answer:
        parts.append(Text(shown.answer, style="bold"))
    parts += _blocks(shown.blocks, after_text=True, first=not parts)
    for section in shown.sections:
        parts.append(Text())
        # The title of a section's first block is enough of a heading.
        first = section.blocks[0]
        if not isinstance(first, doc.Warnings | doc.Heading) and not getattr(first, "title", ""):
            parts.append(Text(section.title, style="dim"))
        parts += _blocks(section.blocks, after_text=True, first=True)
    return Group(*parts)


def blocks(*several: doc.Block) -> RenderableType:
    """Blocks without a document around them, as commands print them."""
    shown = doc.Document("", "", (), "", several).in_form(doc.Form.TERMINAL)
    return Group(*_blocks(shown.blocks, after_text=True, first=True))


def _blocks(
    several: Iterable[doc.Block], *, after_text: bool, first: bool = False
) -> Iterator[RenderableType]:
    """The blocks with empty lines between them, except between sentences."""
    for block in several:
        text = isinstance(block, doc.Paragraph | doc.Bullets)
        if not first and not (text and after_text):
            yield Text()
        yield from _block(block)
        after_text, first = text, isinstance(block, doc.Heading)


def _block(block: doc.Block) -> Iterator[RenderableType]:
    match block:
        case doc.Paragraph():
            text = _text(block.text, _STYLES.get(block.style, ""))
            yield Text.assemble((block.strong, "bold"), " ", text) if block.strong else text
        case doc.Bullets():
            mark = {"warning": "warning  ", "": "- "}.get(block.style, "")
            yield from (_text(f"{mark}{item}", _STYLES.get(block.style, "")) for item in block.items)
        case doc.Table() | doc.FactList():
            if block.title:
                yield Text(block.title, style="dim")
            yield grid(block) if isinstance(block, doc.Table) else _facts(block)
        case doc.Entries():
            yield pairs((item.name, _entry(item)) for item in block.items)
        case doc.Warnings():
            for number, finding in enumerate(block.findings):
                yield from ([Text()] if number else [])
                place = " · ".join(filter(None, (finding.place, finding.certainty)))
                yield Text.assemble(("warning  ", "yellow"), (place, "dim"))
                yield indented(_text(finding.text))
                yield from ([indented(_numbers(finding.numbers))] if finding.numbers else [])
        case doc.Notes():
            yield Text(block.title, style="dim")
            yield from (indented(_text(finding.text)) for finding in block.findings)
            yield from (indented(_text(remark, "yellow")) for remark in block.remarks)
        case doc.Heading():
            yield Text(block.text, style="bold")
        case doc.FoldedBlocks():
            inside = Group(*_blocks(block.blocks, after_text=True, first=True))
            yield Text(block.summary, style="bold" if block.size else "dim")
            yield indented(inside) if block.size else inside


def _facts(facts: doc.FactList) -> Grid:
    return pairs((name, _Short(value) if name in facts.short else value) for name, value in facts.entries)


def grid(data: doc.Table) -> RenderableType:
    """A table without lines, columns of numbers aligned on the right."""
    if data.short:
        return _WithSentences(data)
    return _lines(data) if data.bars is None else _WithBars(data)


def _lines(data: doc.Table, bar_width: int = 0) -> Grid:
    numbers = doc.numeric_columns(data)
    bars = data.bars if bar_width else None
    header = any(data.columns) or bool(bars and bars.title)
    lines = Grid(box=None, pad_edge=False, header_style="dim", padding=_GAP, show_header=header)
    for index, column in enumerate(data.columns):
        cells = [line for row in data.rows for line in row[index].split("\n")]
        longest = max((len(word) for cell in cells for word in cell.split()), default=0)
        lines.add_column(
            Text(column),
            justify="right" if index in numbers else "left",
            # Sentences become narrower before a number or a name loses a letter.
            no_wrap=index in numbers or all(" " not in cell and len(cell) <= _LONGEST_NAME for cell in cells),
            min_width=min(_LEAST_TEXT, longest),
            overflow="fold",
        )
    if bars is not None:
        lines.add_column(Text(bars.title, justify="center"), width=bar_width)
    drawn = [(bar,) for bar in _drawn(bars.values)] if bars else [()] * len(data.rows)
    for place, (row, bar) in enumerate(zip(data.rows, drawn, strict=True)):
        style = "dim" if place in data.faint else "bold" if place in data.strong else ""
        texts = [_text(cell) for cell in row]
        short = [_Short(row[-1])] if data.short else []
        lines.add_row(*texts[: len(texts) - len(short)], *short, *bar, style=style)
    return lines


class _WithSentences(NamedTuple):
    """A table whose last column is cut to what a line has room for, or stands below it if that is little."""

    data: doc.Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        data = self.data
        narrow = _lines(data.only(range(len(data.columns) - 1))._replace(short=False))
        if options.max_width - Measurement.get(console, options, narrow).maximum >= _LEAST_SHORT:
            yield _lines(data)
            return
        yield narrow
        if sentences := [(row[0], _Short(row[-1])) for row in data.rows if row[-1]]:
            yield Text()
            yield pairs(sentences)


class _WithBars(NamedTuple):
    """A table with a bar in each row, if the terminal has room for one."""

    data: doc.Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        needed = Measurement.get(console, options, _lines(self.data)).maximum
        width = min(_WIDEST_BAR, options.max_width - _GAP[1] - needed)
        yield _lines(self.data, width if width >= _LEAST_BAR else 0)


def _drawn(values: Sequence[float]) -> Iterator[Bar]:
    """A bar for each value, to the left of the middle for negative ones if there are any."""
    longest = max(map(abs, values), default=0.0) or 1.0
    middle = longest if min(values, default=0.0) < 0 else 0.0
    return (Bar(middle + longest, middle + min(value, 0), middle + max(value, 0)) for value in values)


def pairs(entries: Iterable[tuple[str, RenderableType]]) -> Grid:
    """Names and values below one another; a name stands once before its values, a badge before each."""
    lines = Grid.grid(padding=_GAP)
    lines.add_column(no_wrap=True)
    lines.add_column()
    before = ""
    for name, value in entries:
        label = _text("" if name == before and name not in _BADGES else name, "dim")
        lines.add_row(label, _text(value) if isinstance(value, str) else value)
        before = name
    return lines


def _entry(entry: doc.TextEntry) -> Text:
    parts = [_text(entry.strong, "bold"), _text(entry.text)]
    text = Text(" ").join(part for part in parts if part)
    return text.append_text(_text(f"\n{entry.note}", "dim")) if entry.note else text


def _numbers(numbers: Iterable[tuple[str, str]]) -> Grid:
    lines = Grid.grid(padding=_GAP)
    lines.add_column(style="dim")
    lines.add_column(style="dim", justify="right")
    for name, value in numbers:
        lines.add_row(Text(name), Text(value))
    return lines


def indented(content: RenderableType) -> RenderableType:
    """A paragraph below what it belongs to."""
    return Padding(content, (0, 0, 0, 2), expand=False)
