"""The exam of plans is held with every change: what is missed is known, and no expectation is lost."""

from __future__ import annotations

from exams.hosts import CASES
from exams.plans import EXPECTATIONS, answers

MISSED = {("dual quad-cores with 24 GiB", "YARN has most of a host's memory")}
"""docs/exams.md says why."""


def test_plans_are_what_experts_expect() -> None:
    given = list(answers())
    assert len(CASES) >= 40
    assert {answer.case for answer in given} == {case.name for case in CASES}
    assert {answer.expects for answer in given} >= {expectation.says for expectation in EXPECTATIONS}
    assert {(answer.case, answer.expects) for answer in given if not answer.met} == MISSED
