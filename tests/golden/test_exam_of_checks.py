"""The exam of checks is held with every change: no fault of real clusters that is found today is lost.

Every sentence of a finding can be found with grep.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from exams.checks import answer, complaints
from exams.faults import FAULTS, elected, ha
from support.faults import Edit, Exhibit, Fault
from support.sentences import lost


def test_there_are_as_many_as_the_documentation_says() -> None:
    assert len(FAULTS) >= 260
    assert len(ha.FAULTS) + len(elected.FAULTS) >= 67
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert all(fault.source for fault in FAULTS)


@pytest.mark.parametrize("edit", [elected.MANAGERS, elected.zoo()], ids=["managers", "zookeepers"])
def test_what_faults_of_pairs_are_seeded_into_is_sound(edit: Edit, tmp_path: Path) -> None:
    exhibit = Exhibit.sound()
    edit(exhibit)
    assert complaints(exhibit, tmp_path) == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_fault_of_a_real_cluster_is_found(fault: Fault, tmp_path: Path) -> None:
    given = answer(fault, tmp_path)
    assert given.fixed, [(check.rule, check.verdict.value, check.fix) for check in given.said]
    sentences = [text for check in given.said for text in (check.expected, check.why)]
    assert [sentence for sentence in sentences if lost(sentence)] == []
