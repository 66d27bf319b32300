"""Cases from the field end as is right for each: what is wrong is found, and nothing else is blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from exams.field import CASES, FILES, MOST_WARNINGS, Expected, FieldCase
from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.check import Check, CheckVerdict


def _matches(expected: Expected, check: Check) -> bool:
    text = " ".join((check.where, check.found, check.expected, check.why, check.fix))
    return check.about == expected.about and all(word in text for word in expected.words)


def _of(checks: tuple[Check, ...], verdict: CheckVerdict) -> list[Check]:
    return [check for check in checks if check.verdict is verdict]


def test_no_case_is_left_out() -> None:
    named = {case.name.partition("/")[0] for case in CASES}
    assert named == {path.name for path in FILES.iterdir()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_ends_as_is_right(case: FieldCase, tmp_path: Path) -> None:
    checks = audit(read_folders(case.write(tmp_path)), [], None, Releases()).checks
    failed, warned = _of(checks, CheckVerdict.FAIL), _of(checks, CheckVerdict.WARN)
    texts = [
        (check.rule, check.about, check.where, check.found, check.expected, check.fix) for check in failed
    ]
    for expected in case.fails:
        assert any(_matches(expected, check) for check in failed), (expected, texts)
    assert {check.about for check in failed} == {expected.about for expected in case.fails}, texts
    about = [(check.rule, check.about, check.where, check.found, check.fix) for check in warned]
    for expected in case.warns:
        assert any(_matches(expected, check) for check in warned), (expected, about)
    assert not {check.about for check in (*failed, *warned)}.intersection(case.silent), about
    assert not [word for word in case.never for check in (*failed, *warned) if word in check.fix], about
    assert len(warned) <= MOST_WARNINGS + len(case.warns), about
