"""A run on a laboratory that comes back from something: what is waited for, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.engines import lab_runs as waiting
from howdah.engines.lab_runs import settled
from howdah.lab.hadoop.health import Health
from howdah.lab.state import LabState
from howdah.lab.status import LabStatus, status
from support.labs import hbase_lab_state

HEALTH = Health(
    namenodes={},
    safe_mode="",
    datanodes=(),
    resource_managers={},
    nodemanagers=(),
    history_server=None,
    journalnodes=(),
    zookeepers={},
    behind=(),
)
SAFE = "NameNode at http://m2:9870, which is standby in safe mode"


@pytest.fixture
def state(tmp_path: Path) -> LabState:
    return hbase_lab_state(tmp_path)


@pytest.fixture
def answers(state: LabState, monkeypatch: pytest.MonkeyPatch) -> list[LabStatus]:
    """What the laboratory is at each look, one after the other, the last one again and again."""
    found: list[LabStatus] = []
    monkeypatch.setattr(waiting, "_POLL_S", 0.001)
    monkeypatch.setattr(waiting, "status", lambda _: found.pop(0) if len(found) > 1 else found[0])
    return found


def _with(state: LabState, *missing: str, runs: bool = True) -> LabStatus:
    now = status(state)
    machines = [
        machine.model_copy(
            update={
                "daemons": tuple(
                    daemon.model_copy(update={"pid": 7 if runs else None}) for daemon in machine.daemons
                )
            }
        )
        for machine in now.machines
    ]
    return now.model_copy(update={"missing": missing, "machines": tuple(machines), "health": HEALTH})


def test_a_standby_in_safe_mode_is_waited_for(state: LabState, answers: list[LabStatus]) -> None:
    whole = _with(state)
    answers += [_with(state, SAFE), _with(state, SAFE), whole]
    assert settled(state, 20) is whole


def test_what_does_not_come_in_time_is_in_what_is_returned(state: LabState, answers: list[LabStatus]) -> None:
    answers += [_with(state, SAFE)]
    assert settled(state, 0.05).missing == (SAFE,)


def test_a_daemon_that_does_not_run_is_not_waited_for(state: LabState, answers: list[LabStatus]) -> None:
    absent = _with(state, "namenode on m2", runs=False)
    answers += [absent, _with(state)]
    assert settled(state, 20) is absent


def test_what_a_fault_keeps_away_is_not_waited_for(state: LabState, answers: list[LabStatus]) -> None:
    faulted = _with(state, SAFE).model_copy(update={"faults": ("pause namenode",)})
    answers += [faulted, _with(state)]
    assert settled(state, 20) is faulted
