"""Hosts come to a laboratory like one with workers alone, and go whatever comes and goes meanwhile."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.lab import commands
from howdah.lab.state import LabState
from howdah.model.placement import placed_hosts
from howdah.model.plan import ClusterPlan, ConfigSet
from howdah.planner.cluster import with_hosts
from howdah.session import laboratories
from support.labs import lab_plan, lab_state, trio_plan


def test_a_host_is_like_one_that_has_workers_alone(tmp_path: Path) -> None:
    state = lab_state(tmp_path, lab_plan())
    assert laboratories._only_like(state) == "h1"
    with pytest.raises(UserError, match="every host with workers also has masters"):
        laboratories._only_like(lab_state(tmp_path, trio_plan()))


def test_what_came_while_a_host_was_emptied_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = lab_state(tmp_path, with_hosts(lab_plan(), ["h3"], "h1"))
    later = lab_state(tmp_path, with_hosts(first.plan, ["h5"], "h1"))
    states = iter([first, later])
    taken: list[ClusterPlan] = []

    def take(state: LabState, plan: ClusterPlan, gone: Collection[str], rendered: ConfigSet) -> LabState:
        taken.append(plan)
        return state

    monkeypatch.setattr(laboratories, "state_of", lambda name: next(states))
    monkeypatch.setattr(laboratories, "refuse_shared", lambda state, why: None)
    monkeypatch.setattr(commands, "start_drain", lambda state, rendered: state)
    monkeypatch.setattr(commands, "await_drained", lambda state, patience_s, report: None)
    monkeypatch.setattr(commands, "remove_drained", take)
    monkeypatch.setattr("howdah.lab.registry.locked", lambda name: nullcontext())
    laboratories.remove("lab", ["h3"], lambda line: None)
    (plan,) = taken
    assert [host.name for host in placed_hosts(plan.cluster) if host.workers] == ["h1", "h2", "h5"]
