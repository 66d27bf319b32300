"""The order in which a laboratory's daemons are started, and what is awaited in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from howdah.lab.hadoop import daemons, starting
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.files import Installed
from howdah.lab.kernel.processes import Process
from howdah.lab.state import LabState, LabSystem
from howdah.model.plan import Role
from support.labs import hbase_lab_state


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens, in order, on a laboratory whose daemons come up at once."""
    happened: list[str] = []

    def start(state: LabState, daemon: Daemon, found: Installed) -> Process:
        happened.append(f"{daemon.program} on {daemon.machine.name}")
        return Process(1, 1, daemon.machine.name, daemon.program)

    def once(
        state: LabState, machine: LabSystem, found: Installed, tell: starting.ReportStep, *words: str
    ) -> None:
        happened.append(" ".join(words[:2]))

    def answers(name: str) -> Callable[[LabState], bool]:
        def asked(state: LabState) -> bool:
            happened.append(name)
            return True

        return asked

    monkeypatch.setattr(daemons, "start", start)
    monkeypatch.setattr(starting, "_run_once", once)
    monkeypatch.setattr(starting, "running", lambda state: {})
    monkeypatch.setattr(starting, "network_of", lambda state: nullcontext())
    monkeypatch.setattr(starting, "_make_root", lambda state: happened.append("make /hbase"))
    for name in ("file_system_answers", "file_system_takes_files", "master_leads"):
        monkeypatch.setattr(starting, name, answers(name))
    return happened


def _started(state: LabState, only: Sequence[LabSystem] | None = None) -> None:
    # No installation is looked at: nothing is started for real.
    starting.start_missing(state, Installed(None), lambda text: None, only)  # type: ignore[arg-type]


def test_hbase_comes_after_all_that_it_runs_on(tmp_path: Path, steps: list[str]) -> None:
    _started(hbase_lab_state(tmp_path))
    first = ("zookeeper on m1", "namenode on m1", "datanode on h2", "resourcemanager on m1")
    assert [one for one in steps if one in first] == list(first)
    assert steps[steps.index("file_system_takes_files") :] == [
        "file_system_takes_files",
        "make /hbase",
        "hmaster on m1",
        "master_leads",
        "regionserver on h1",
        "regionserver on h2",
    ]


def test_a_regionserver_that_comes_back_waits_for_a_master_that_runs_alone(
    tmp_path: Path, steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = hbase_lab_state(tmp_path)
    back = [state.machine("h2")]
    _started(state, back)
    assert "master_leads" not in steps, "none runs, and none is to be started"
    assert steps[-1] == "regionserver on h2"
    steps.clear()
    there = {("m1", "hmaster"): Process(1, 1, "m1", "hmaster")}
    monkeypatch.setattr(starting, "running", lambda state: there)
    _started(state, back)
    assert steps[-2:] == ["master_leads", "regionserver on h2"]


def test_every_role_has_its_turn(tmp_path: Path, steps: list[str]) -> None:
    state = hbase_lab_state(tmp_path)
    _started(state)
    roles = {role for machine in state.machines for role in machine.roles}
    assert Role.REGIONSERVER in roles
    assert len([one for one in steps if " on " in one]) == sum(len(one.roles) for one in state.machines)
