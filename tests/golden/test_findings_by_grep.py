"""Whoever reads a finding can find its sentence with grep: some of its words stand together in its source."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from howdah.analysis.analyse import analyse
from howdah.model.finding import Finding
from support.recorded_losses import KILLED, recorded_loss
from support.reports import RUNS

pytestmark = pytest.mark.slow

LEAST = 4
"""Words that stand together on one line of the source."""
CLAIMS = frozenset({"answer", "time"})
"""Findings such as `terasort took 57.0 s`, which may have so few words between names and numbers."""
PACKAGE = Path(__file__).parents[2] / "python" / "howdah"


@cache
def _literals() -> str:
    """Every string of the sources that is no docstring, a line each."""
    return "\n".join(text for path in PACKAGE.rglob("*.py") for text in _strings(path))


def _strings(path: Path) -> Iterator[str]:
    with path.open("rb") as source:
        for token in tokenize.tokenize(source.readline):
            middle = tokenize.tok_name[token.type] == "FSTRING_MIDDLE"
            if middle or (token.type == tokenize.STRING and '"""' not in token.string):
                yield token.string


def _windows(finding: Finding) -> Iterator[str]:
    """Words that follow one another and are no numbers, without the punctuation around them."""
    place = " ".join(filter(None, (finding.workload, finding.phase)))
    words = finding.text.replace(place, "0").split() if place else finding.text.split()
    for at in range(len(words) - LEAST + 1):
        window = " ".join(words[at : at + LEAST]).strip(".,;:()")
        if not re.search(r"\d", window):
            yield window


def _is_claim(finding: Finding) -> bool:
    return finding.id in CLAIMS and not any(_windows(finding))


@pytest.mark.parametrize("name", [*RUNS, *KILLED])
def test_every_sentence_is_found_in_the_source(name: str) -> None:
    run = RUNS[name]() if name in RUNS else recorded_loss(name)
    # A record's warnings are those of its engine.
    warned = {warning.code for warning in run.record.warnings}
    findings = [finding for finding in analyse(run).findings if finding.id not in warned]
    assert findings
    unknown = [
        finding.text
        for finding in findings
        if not _is_claim(finding) and not any(window in _literals() for window in _windows(finding))
    ]
    assert unknown == []
