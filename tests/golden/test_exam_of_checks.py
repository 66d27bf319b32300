"""The exam of checks is held with every change: no fault of real clusters that is found today is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from exams.checks import answer
from exams.faults import FAULTS
from support.faults import Fault


def test_there_are_as_many_as_the_documentation_says() -> None:
    assert len(FAULTS) >= 150
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert all(fault.source for fault in FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_fault_of_a_real_cluster_is_found(fault: Fault, tmp_path: Path) -> None:
    given = answer(fault, tmp_path)
    assert given.fixed, [(check.rule, check.verdict.value, check.fix) for check in given.said]
