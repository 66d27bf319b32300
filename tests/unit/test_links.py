"""Where the pages' links lead: to files that are there, and to headings that they have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    dead = []
    for link in links(page):
        to = urlsplit(link)
        if to.scheme:
            continue
        target = page.parent / unquote(to.path) if to.path else page
        if not target.exists() or (to.fragment and unquote(to.fragment) not in anchors(target.resolve())):
            dead.append(link)
    assert dead == []


def links(page: Path) -> Iterator[str]:
    for block in MarkdownIt().enable("table").parse(page.read_text()):
        for token in block.children or ():
            if token.type == "link_open":
                yield str(token.attrs["href"])


@cache
def anchors(page: Path) -> frozenset[str]:
    """As GitHub names headings: small letters, no punctuation, blanks as dashes, doubles counted."""
    found: dict[str, int] = {}
    names = set()
    blocks = MarkdownIt().parse(page.read_text())
    for opened, heading in pairwise(blocks):
        if opened.type == "heading_open":
            text = "".join(token.content for token in heading.children or ())
            name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            seen = found[name] = found.get(name, -1) + 1
            names.add(f"{name}-{seen}" if seen else name)
    return frozenset(names)


@pytest.mark.parametrize(
    "page", [ROOT / "ARCHITECTURE.md", ROOT / "docs" / "design.md"], ids=lambda page: page.name
)
def test_files_and_folders_that_the_architecture_names_exist(page: Path) -> None:
    named = {
        word
        for word in re.findall(r"`([\w./-]+)`", page.read_text())
        if word.endswith(("/", ".py", ".rs", ".java", ".sh", ".j2"))
    }
    folders = [ROOT / "python", ROOT / "crates", ROOT / "scripts", ROOT / "hadoop"]
    paths = [
        f"{path.as_posix()}/" for folder in folders for path in folder.rglob("*") if path.suffix != ".pyc"
    ]
    assert len(named) > 20
    assert [
        word
        for word in sorted(named)
        if not (ROOT / word).exists() and not any(path.endswith(f"/{word.rstrip('/')}/") for path in paths)
    ] == []
