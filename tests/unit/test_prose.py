"""Words that howdah's pages and help texts are kept free of; what is left of them may only become less.

``HOWDAH_UPDATE_PROSE=1 .venv/bin/pytest tests/unit/test_prose.py`` lowers the counts of prose_left.json.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from howdah.planner.rules.catalogue import FILES, RULES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "python/howdah"
LEFT = ROOT / "tests/data/prose_left.json"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
WORDS = {
    "alike": "identical, the same",
    "anew": "again",
    "asked": "requested, queried, called",
    "beneath": "below",
    "beside": "next to, alongside, compared with",
    "comes? to": "result in",
    "deeds?": "actions",
    "foretold": "predicted",
    "held against": "compared with, checked against",
    "in force": "active",
    "in vain": "wasted",
    "(?:is|are) held": "is tested, is compared",
    "laborator(?:y|ies)": "lab",
    "mend(?:s|ed|ing)?": "fix",
    "neighbours?": "what shares hosts with",
    "nobody": "no host, no daemon, unknown",
    "said": "reported, printed, recorded",
    "says?": "shows, prints",
    "somebody": "a user, another process",
    "speaks? for": "pros and cons",
    "tells?": "reports, shows",
    "told": "reported, shown",
    "undoing": "reverting",
    "untold": "unreported",
    "whom": "which",
}
"""What is not written, as a pattern, and what is written instead."""
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_WRITTEN = re.compile(r"^<!-- (?:outcomes|unstable) -->.*?(?=^## )", re.DOTALL | re.MULTILINE)
"""The tables that exams write."""
_SHELL = re.compile(r"howdah:|sudo:|make |pip |java:|hdd\?")
"""Symptoms that other programs print, or that name a value first."""
_INSTALLED_BY_NAME = re.compile(r"pip install '?howdah\b(?!-)|\bhowdah\[")


def unwanted(text: str) -> dict[str, int]:
    """How often each unwanted word is in a page, outside of code, links' addresses and written outcomes."""
    text = _FENCE.sub("", _WRITTEN.sub("", text))
    prose = re.sub(r"^    .*$|`[^`\n]+`|\]\([^)\n]*\)", "", text, flags=re.MULTILINE)
    found: Counter[str] = Counter()
    for word in WORDS:
        if count := len(re.findall(rf"\b(?:{word})\b", prose, flags=re.IGNORECASE)):
            found[word] = count
    return dict(found)


def _left() -> dict[str, dict[str, int]]:
    left: dict[str, dict[str, int]] = json.loads(LEFT.read_text())
    return left


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_have_no_more_of_these_words_than_are_left(page: Path) -> None:
    allowed = _left().get(str(page.relative_to(ROOT)), {})
    for word, count in unwanted(page.read_text()).items():
        most = allowed.get(word, 0)
        assert count <= most, f"{word!r} is there {count} times instead of {most}: write {WORDS[word]}"


def test_what_is_left_only_shrinks() -> None:
    left = _left()
    counts = {str(page.relative_to(ROOT)): unwanted(page.read_text()) for page in PAGES}
    lower = {
        page: {word: min(count, counts[page][word]) for word, count in words.items() if word in counts[page]}
        for page, words in left.items()
        if page in counts
    }
    lower = {page: words for page, words in lower.items() if words}
    if os.environ.get("HOWDAH_UPDATE_PROSE"):
        rows = ",\n".join(f"{json.dumps(page)}: {json.dumps(words)}" for page, words in sorted(lower.items()))
        LEFT.write_text(f"{{\n{rows}\n}}\n")
        return
    assert left == lower, "fewer are left: HOWDAH_UPDATE_PROSE=1 .venv/bin/pytest tests/unit/test_prose.py"


_OF_RULES = re.compile(
    r"\b(?:any|every|no|some)body\b|\bfor ever\b|\bwhoever\b|: else \b|\bof its "
    "own\b|\b(?:proves?|says?) who\b"
    r"|\bnothing empties\b|\bthat there is\b(?! [a-z])",
)
"""Words that the texts of rules and checks are kept free of, in addition to those of pages."""


@pytest.mark.parametrize(
    "file",
    sorted(
        [
            *(SOURCE / "planner/rules").rglob("*.py"),
            *(SOURCE / "planner/rules" / rules.file for rules in FILES),
            *(SOURCE / "audit").glob("*.py"),
        ]
    ),
    ids=str,
)
def test_texts_of_rules_and_checks_have_none_of_these_words(file: Path) -> None:
    """Fixes and expectations are shown by ``howdah check`` only, on no page that the other tests read."""
    if file.suffix == ".toml":
        lines = enumerate(file.read_text().splitlines(), 1)
        assert [line for line in lines if _OF_RULES.search(line[1])] == []
        return
    tree = ast.parse(file.read_text())
    texts = [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert [text for text in texts if _OF_RULES.search(text[1])] == []


def test_conditions_of_rules_are_clauses_after_when() -> None:
    wrong = [rule.condition for rule in RULES if re.match(r"(?:where|whether)\b", rule.condition)]
    assert wrong == []


def test_words_are_found_outside_of_code_only() -> None:
    text = "It says so.\n\n```console\nsays\n```\n\n    says\n\n`says` Nobody tells.\n"
    assert unwanted(text) == {"nobody": 1, "says?": 1, "tells?": 1}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_installs_howdah_by_a_name_that_is_not_ours(page: Path) -> None:
    found = [line for line in page.read_text().splitlines() if _INSTALLED_BY_NAME.search(line)]
    # One page explains why that does not work.
    assert found == [] or page.name == "troubleshooting.md"


def test_messages_of_the_page_on_troubleshooting_are_those_of_the_program() -> None:
    files = sorted(file for file in SOURCE.rglob("*") if file.suffix in (".py", ".toml"))
    sources = "".join(file.read_text() for file in files)
    sources = re.sub(r'"\s*\n\s*f?"', "", sources)
    page = (ROOT / "docs/troubleshooting.md").read_text()
    symptoms = [
        code for code in re.findall(r"^\| `([^`]+)`", page, flags=re.MULTILINE) if not _SHELL.match(code)
    ]
    assert len(symptoms) >= 6
    pieces = [piece.strip(" ,") for code in symptoms for piece in code.split("…")]
    assert [piece for piece in pieces if piece not in sources] == []
