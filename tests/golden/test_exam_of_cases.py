"""Cases from the field end as is right for each: what is wrong is found, and nothing else is blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from exams.field import CASES, FILES, PAIR, FieldCase, wrong_answers
from exams.variations import Variation, reported, variations, wrong_answer


def test_no_case_is_left_out() -> None:
    assert {case.name.partition("/")[0] for case in CASES} == {path.name for path in FILES.iterdir()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_ends_as_is_right(case: FieldCase, tmp_path: Path) -> None:
    assert wrong_answers(case, tmp_path) == []


@pytest.fixture(scope="module")
def base() -> frozenset[tuple[str, str]]:
    """What is reported of the folders that variations are edits of."""
    folders = sorted(path for path in (FILES / PAIR).iterdir() if path.is_dir())
    return frozenset((check.rule, check.about) for check in reported(folders))


@pytest.mark.parametrize("variation", variations(), ids=lambda one: f"{one.kind}: {one.name}")
def test_variations_end_right(variation: Variation, base: frozenset[tuple[str, str]], tmp_path: Path) -> None:
    assert wrong_answer(variation, base, tmp_path) == ""
