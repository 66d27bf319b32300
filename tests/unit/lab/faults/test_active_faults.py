"""What is in force in a laboratory is on the disk before it is done, with who is to undo it."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.lab.faults.active_faults import IN_FORCE, Undo, in_force, note, strike_off
from support.labs import lab_state


def test_what_is_noted_is_there_until_it_is_struck_off(tmp_path: Path) -> None:
    state = lab_state(tmp_path)
    assert in_force(state) == ()
    undo = (Undo(how="start", machine="m1", daemon="namenode"),)
    first = note(state, "kill namenode", ("namenode on m1",), undo, own=True)
    second = note(state, "cut-link worker:w1", ("w1",), (Undo(how="link", machine="w1"),), own=False)
    assert (first.id, second.id) == (1, 2)
    assert in_force(state) == (first, second)
    assert not any(each.orphaned for each in in_force(state))
    strike_off(state, first)
    assert in_force(state) == (second,)
    strike_off(state, second)
    assert not (tmp_path / IN_FORCE).exists()


def test_threads_of_one_run_lose_nothing_of_the_list(tmp_path: Path) -> None:
    state = lab_state(tmp_path)

    def come_and_go(number: int) -> None:
        noted = note(state, f"kill datanode@h{number}", (), (), own=True)
        if number % 2:
            strike_off(state, noted)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(come_and_go, range(40)))
    left = in_force(state)
    assert {each.fault for each in left} == {f"kill datanode@h{number}" for number in range(0, 40, 2)}
    assert len({each.id for each in left}) == len(left)


def test_what_a_process_left_that_is_gone_is_an_orphan(tmp_path: Path) -> None:
    state = lab_state(tmp_path)
    noted = note(state, "pause namenode", ("namenode on m1",), (), own=True)
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert noted.owner is not None
    assert not noted.orphaned
    assert noted.model_copy(update={"owner": (gone.pid, noted.owner[1])}).orphaned
    # Another process may have got the number meanwhile.
    assert noted.model_copy(update={"owner": (noted.owner[0], noted.owner[1] - 1)}).orphaned


def test_a_damaged_list_is_told(tmp_path: Path) -> None:
    (tmp_path / IN_FORCE).write_text("[{")
    with pytest.raises(UserError, match="is damaged, or from another version"):
        in_force(lab_state(tmp_path))
