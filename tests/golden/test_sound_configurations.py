"""No check fails of a configuration that is sound: other people's, and what plans are rendered to."""

from __future__ import annotations

from pathlib import Path

import pytest

from exams.checks import OWN, failures_of_others, failures_of_ours
from exams.hosts import Case
from exams.sound import CONFIGURATIONS, Sound


def test_there_are_twenty_and_half_of_them_are_others() -> None:
    assert len(CONFIGURATIONS) >= len(OWN)
    assert len(CONFIGURATIONS) + len(OWN) >= 20


@pytest.mark.parametrize("sound", CONFIGURATIONS, ids=lambda sound: sound.name.replace(" ", "-"))
def test_what_others_run_does_not_fail(sound: Sound, tmp_path: Path) -> None:
    assert [(check.rule, check.about, check.found) for check in failures_of_others(sound, tmp_path)] == []


@pytest.mark.parametrize("case", OWN, ids=lambda case: case.name.replace(" ", "-"))
def test_what_a_plan_is_rendered_to_does_not_fail(case: Case, tmp_path: Path) -> None:
    assert [(check.rule, check.about, check.found) for check in failures_of_ours(case, tmp_path)] == []
