"""A fault is done whole, or undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import RunFailed
from howdah.faults import lab, revert
from howdah.faults.grammar import parse_fault
from howdah.lab.faults import RevertStep, active_faults
from howdah.lab.state import LabState
from howdah.model.faults import Action
from support.labs import lab_state


def test_every_action_can_be_injected() -> None:
    assert set(lab._INJECTIONS) == set(Action)


def test_what_fails_half_way_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = lab_state(tmp_path)
    did: list[str] = []

    def start() -> None:
        raise RunFailed("namenode on m1", "does not start")

    def started(state: LabState, step: RevertStep) -> None:
        did.append(f"{step.how} {step.daemon}")

    undo = RevertStep(how="start", machine="m1", daemon="namenode")
    injected = lab._Injection(("namenode on m1",), (undo,), (lambda: did.append("kill"), start))
    monkeypatch.setitem(lab._INJECTIONS, Action.RESTART, lambda state, fault: injected)
    monkeypatch.setitem(revert._STEPS, "start", started)
    with pytest.raises(RunFailed, match="does not start"):
        lab.inject(state, parse_fault("restart namenode"))
    assert did == ["kill", "start namenode"]
    assert active_faults(state) == ()
