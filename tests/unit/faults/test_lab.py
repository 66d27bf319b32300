"""Faults of one run have their laboratory together: none waits for what another one keeps down."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from howdah.errors import RunFailed
from howdah.faults import lab
from howdah.faults.grammar import parse_fault
from howdah.faults.revert import Reverted
from howdah.lab import registry
from howdah.lab.faults import ActiveFault
from howdah.lab.state import LabState
from howdah.model.faults import ClusterFault
from support.labs import lab_state

WAITS, RESUMES = "lose worker:h1-1 at 0s for 1s", "pause namenode at 0s for 1s"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LabState:
    """A laboratory whose lock is a file of this test."""
    monkeypatch.setattr(registry, "registry", lambda: tmp_path / "registry")
    return lab_state(tmp_path)


def test_a_fault_is_undone_while_another_ones_undoing_waits_for_it(
    state: LabState, monkeypatch: pytest.MonkeyPatch
) -> None:
    resumed = Event()

    def inject(state: LabState, fault: ClusterFault) -> ActiveFault:
        return ActiveFault(id=1 if fault.text == WAITS else 2, fault=fault.text, hit=(), undo=(), owner=None)

    def revert(state: LabState, active: ActiveFault) -> Reverted:
        if active.fault == RESUMES:
            resumed.set()
        return Reverted(active, () if resumed.wait(20) else ("HDFS does not answer",))

    monkeypatch.setattr(lab, "inject", inject)
    monkeypatch.setattr(lab, "revert", revert)
    injector = lab.LabFaults(state)
    numbers = [injector.inject(parse_fault(text)).number for text in (WAITS, RESUMES)]
    with ThreadPoolExecutor() as pool:
        left = [pool.submit(injector.revert, number) for number in numbers]
        assert [one.result() for one in left] == [(), ()]
    with registry.locked(state.name):
        """Nobody has it any more."""


def test_another_command_keeps_a_runs_faults_out(state: LabState, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "_PATIENCE_S", 0.2)
    injector = lab.LabFaults(state)
    with registry.locked(state.name), pytest.raises(RunFailed, match="another command"):
        injector.inject(parse_fault(RESUMES))
