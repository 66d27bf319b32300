"""Cases from the field end as is right for each: what is wrong is found, and nothing else is blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from exams.field import CASES, FILES, FieldCase, wrong_answers


def test_no_case_is_left_out() -> None:
    assert {case.name.partition("/")[0] for case in CASES} == {path.name for path in FILES.iterdir()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_ends_as_is_right(case: FieldCase, tmp_path: Path) -> None:
    assert wrong_answers(case, tmp_path) == []
