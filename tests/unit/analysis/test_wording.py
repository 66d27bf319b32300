"""Numbers as sentences print them, and the table of sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from types import SimpleNamespace
from typing import Any

import pytest

from howdah import analysis
from howdah.analysis.wording import FORMS, conclude, sentences, signed


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (-0.0003, "0 %"), (0.0004, "0 %"), (-0.0006, "\N{MINUS SIGN}0.1 %"), (0.12, "+12 %")],
)
def test_a_change_that_rounds_to_nothing_has_no_sign(share: float, text: str) -> None:
    assert signed(share) == text


def test_a_clause_or_number_that_is_unknown_is_left_out() -> None:
    job = SimpleNamespace(workload="terasort", codec="lz4", raw_bytes=2e9, stored_bytes=1e9, ratio=2.0)
    finding = conclude("compression", job, spared=None)
    assert finding.text == (
        "terasort: lz4 compressed 2.00 GB of intermediate data to 1.00 GB, a ratio of 2.00"
    )
    assert (finding.workload, finding.severity) == ("terasort", "note")
    assert [number.name for number in finding.numbers] == ["compression ratio"]
    assert conclude("compression", job, spared=None, ratio=None).numbers == ()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def test_every_sentence_is_used_and_its_forms_exist() -> None:
    package = Path(analysis.__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    for name, entry in sentences().items():
        assert f'"{name}"' in source
        assert entry.keys() <= {"text", "numbers", "severity", "sure", "did", "causes", "ended"}
        assert all(len(row) == 3 for row in entry.get("numbers", ()))
        for text in _texts(entry["text"]):
            for _, field, form, _ in Formatter().parse(text):
                assert field is None or form in FORMS or re.fullmatch(r"#[\w ]+|,?(\.\d)?[fg]?|,", form or "")
