"""One document in three forms: nothing is lost in a form that has room for it, and text stays text."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from howdah.report.document import (
    PAGES,
    TERMINAL,
    Bars,
    Bullets,
    Document,
    FactList,
    Figure,
    FindingText,
    FoldedBlocks,
    Form,
    Heading,
    Notes,
    Only,
    Paragraph,
    Section,
    Table,
    Warnings,
    numeric_columns,
    present,
)
from howdah.report.html import html, prose
from howdah.report.terminal import blocks, terminal
from howdah.report.vega import chart
from howdah.report.write import markdown

FIGURE = Figure(
    "times", "Times", "Every time.", chart([], height=10), Table(("run", "time"), (("a", "1 s"),))
)
HALF = FIGURE._replace(half=True)
DOCUMENT = Document(
    "page",
    "Title",
    ("suite", "3 runs", "simulated"),
    "terasort <b>took</b> 5 s.",
    (
        Paragraph("A lead.", "lead"),
        Bullets(("one run is missing",), "missing"),
        FIGURE,
        Table(("workload", "time"), (("sort", "5 s"),), label="Times of all workloads", style="stats"),
    ),
    (
        Section(
            "findings",
            "Findings",
            "What was found",
            (
                Warnings((FindingText("A disk is slow.", "sort", "likely", (("rate", "3 MB/s"),)),)),
                Notes("sort", (FindingText("It was short.", certainty="a guess"),), ("A remark.",)),
            ),
            about="Warnings first.",
        ),
        Section(
            "inputs",
            "Inputs",
            "What it rests on",
            (
                HALF._replace(id="left"),
                HALF._replace(id="right"),
                Heading("Facts"),
                FactList("Run", (("command", "howdah run"), ("seed", "7")), frozenset({"command"})),
                FactList("Host", (("cores", "4"),)),
                FoldedBlocks("2 runs left out", (Bullets(("first", "second")),)),
                Table(("disk", "rate"), (("sda", "1 MB/s"),), "Disks", "As measured."),
            ),
            forms=PAGES,
        ),
        Section("short", "", "In short", (Only(TERMINAL, (Paragraph("For eyes in a hurry."),)),)),
    ),
)


def _terminal(document: Document, width: int = 80) -> str:
    text = io.StringIO()
    Console(file=text, width=width, color_system=None, highlight=False).print(terminal(document))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _html(document: Document) -> str:
    page = html(document, {"times": "<svg/>", "left": "<svg/>", "right": "<svg/>"})
    return page[page.index("<main") : page.index("</main>")]


EVERYWHERE = (
    "A lead.",
    "one run is missing",
    "5 s",
    "A disk is slow.",
    "It was short.",
    "A remark.",
    "3 MB/s",
)
ON_PAGES = (
    "Times",
    "Every time.",
    "Facts",
    "howdah run",
    "4",
    "2 runs left out",
    "second",
    "As measured.",
    "sda",
)


def test_every_form_has_what_it_has_room_for() -> None:
    page, text, lines = _html(DOCUMENT), markdown(DOCUMENT, "figures"), _terminal(DOCUMENT)
    for words in EVERYWHERE:
        assert words in page
        assert words in text
        assert words in lines
    for words in ON_PAGES:
        assert words in page
        assert words in text
        assert not re.search(rf"\b{re.escape(words)}\b", lines)
    assert "hurry" in lines
    assert "hurry" not in page + text
    assert "In short" not in page + text


def test_text_is_no_markup() -> None:
    assert "terasort &lt;b&gt;took&lt;/b&gt; 5" in _html(DOCUMENT)
    assert markdown(DOCUMENT, "figures").startswith("# terasort \\<b\\>took\\</b\\> 5 s.\n")


def test_code_is_code_and_what_looks_like_markup_is_not() -> None:
    document = DOCUMENT._replace(answer="`howdah run *` did *nothing* with `<b>`.", blocks=(), sections=())
    assert markdown(document, "").startswith("# `howdah run *` did \\*nothing\\* with `<b>`.\n")
    assert "<code>howdah run *</code> did *nothing* with <code>&lt;b&gt;</code>" in _html(document)


def test_small_figures_share_a_row_and_facts_a_grid() -> None:
    page = _html(DOCUMENT)
    assert page.count('<div class="pair">') == 1
    pair = page[page.index('<div class="pair">') : page.index("<h3>Facts</h3>")]
    assert pair.count("<figure ") == 2
    assert page.count('<div class="facts">') == 1
    assert "<code>howdah run</code>" in page
    assert "<code>7</code>" not in page


def test_a_page_links_its_sections_and_has_a_badge() -> None:
    page = html(DOCUMENT, {"times": "", "left": "", "right": ""})
    assert re.findall(r'<li><a href="#(\w+)">', page) == ["findings", "inputs"]
    assert '<p class="badge"' in page
    assert DOCUMENT.badge == "simulated"
    assert DOCUMENT._replace(kicker=("measured and simulated",)).badge == "partly simulated"
    assert DOCUMENT._replace(kicker=("measured",)).badge == ""


def test_the_terminal_has_empty_lines_between_blocks_only() -> None:
    assert _terminal(DOCUMENT).splitlines() == [
        "suite · 3 runs · simulated",
        "terasort <b>took</b> 5 s.",
        "A lead.",
        "one run is missing",
        "",
        "workload  time",
        "sort       5 s",
        "",
        "warning  sort · likely",
        "  A disk is slow.",
        "  rate  3 MB/s",
        "",
        "sort",
        "  It was short.",
        "  A remark.",
        "",
        "In short",
        "For eyes in a hurry.",
    ]


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ((2.0, 1.0), ["               longer", "a  2  ████████████████████████", "b  1  ████████████"]),
        ((-2.0, 1.0), ["               longer", "a  2  ████████████", "b  1              ██████"]),
    ],
)
def test_bars_are_as_long_as_their_numbers(values: tuple[float, ...], lines: list[str]) -> None:
    text = io.StringIO()
    table = Table(("", ""), (("a", "2"), ("b", "1")), bars=Bars("longer", values))
    Console(file=text, width=80, color_system=None).print(blocks(table))
    assert [line.rstrip() for line in text.getvalue().splitlines()] == lines


def test_a_narrow_terminal_has_no_bars_but_every_digit() -> None:
    text = io.StringIO()
    table = Table(("a",), (("123,456,789 kB",), ("1 kB",)), bars=Bars("size", (9.0, 1.0)))
    Console(file=text, width=20, color_system=None).print(blocks(table))
    assert text.getvalue().split("\n")[1].strip() == "123,456,789 kB"


def test_nothing_stands_for_what_is_missing() -> None:
    empty = (
        None,
        Table(("a",), ()),
        Bullets(()),
        FactList("a", ()),
        Paragraph(""),
        FoldedBlocks("a", ()),
        Warnings(()),
    )
    assert present(*empty) == ()
    sparse = DOCUMENT._replace(sections=(Section("a", "A", "A", (Only(PAGES, (FIGURE,)),)),))
    assert [section.id for section in sparse.in_form(Form.HTML).sections] == ["a"]
    assert sparse.in_form(Form.TERMINAL).sections == ()


def test_the_figures_and_tables_inside_other_blocks_are_the_document_s() -> None:
    document = DOCUMENT._replace(blocks=(FoldedBlocks("more", (FIGURE, Table(("a",), (("1",),), "One"))),))
    assert [figure.id for figure in document.figures()] == ["times", "left", "right"]
    assert list(document.tables()) == ["One", "Disks"]


def test_a_column_that_no_row_has_anything_in_is_left_out() -> None:
    table = Table(("host", "failed", "note", "tasks"), (("a", "–", "", "1"), ("b", "–", "", "–")))
    assert table.without_empty_columns() == Table(("host", "tasks"), (("a", "1"), ("b", "–")))


def test_addresses_and_releases_are_no_numbers() -> None:
    table = Table(("host", "release", "time"), (("192.0.2.2", "3.5.0", "1,000.5 s"),))
    assert numeric_columns(table) == {2}


def test_code_is_code_and_no_line_breaks_within_an_option() -> None:
    text = prose("Plan with --secure or `howdah run --seed 7`; a--b <i>")
    assert text == (
        'Plan with <code class="option">--secure</code> or <code>howdah run --seed 7</code>; a--b &lt;i&gt;'
    )
