"""What is in force in a laboratory is on the disk before it is done, with who is to undo it."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.lab.faults import ACTIVE_FAULTS, RevertStep, active_faults, record_fault, remove_fault
from support.labs import lab_state


def test_what_is_noted_is_there_until_it_is_struck_off(tmp_path: Path) -> None:
    state = lab_state(tmp_path)
    assert active_faults(state) == ()
    undo = (RevertStep(how="start", machine="m1", daemon="namenode"),)
    first = record_fault(state, "kill namenode", ("namenode on m1",), undo, own=True)
    second = record_fault(
        state, "cut-link worker:w1", ("w1",), (RevertStep(how="link", machine="w1"),), own=False
    )
    assert (first.id, second.id) == (1, 2)
    assert active_faults(state) == (first, second)
    assert not any(each.orphaned for each in active_faults(state))
    remove_fault(state, first)
    assert active_faults(state) == (second,)
    remove_fault(state, second)
    assert not (tmp_path / ACTIVE_FAULTS).exists()


def test_threads_of_one_run_lose_nothing_of_the_list(tmp_path: Path) -> None:
    state = lab_state(tmp_path)

    def come_and_go(number: int) -> None:
        active = record_fault(state, f"kill datanode@h{number}", (), (), own=True)
        if number % 2:
            remove_fault(state, active)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(come_and_go, range(40)))
    left = active_faults(state)
    assert {each.fault for each in left} == {f"kill datanode@h{number}" for number in range(0, 40, 2)}
    assert len({each.id for each in left}) == len(left)


def test_what_a_process_left_that_is_gone_is_an_orphan(tmp_path: Path) -> None:
    state = lab_state(tmp_path)
    active = record_fault(state, "pause namenode", ("namenode on m1",), (), own=True)
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert active.owner is not None
    assert not active.orphaned
    assert active.model_copy(update={"owner": (gone.pid, active.owner[1])}).orphaned
    # Another process may have got the number meanwhile.
    assert active.model_copy(update={"owner": (active.owner[0], active.owner[1] - 1)}).orphaned


def test_a_damaged_list_is_told(tmp_path: Path) -> None:
    (tmp_path / ACTIVE_FAULTS).write_text("[{")
    with pytest.raises(UserError, match="is damaged, or from another version"):
        active_faults(lab_state(tmp_path))
