"""Hadoop's own tasks run in one JVM on this machine, and their CPU time is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.installation.installation import find_installation
from howdah.probe.measuring import measure


@pytest.mark.exam("jobs")
def test_every_step_of_hadoops_tasks_costs_cpu_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_LITTLE", 20_000)
    monkeypatch.setattr(measure, "_MUCH", 1_000_000)
    said: list[str] = []
    costs = measure.measure_task_costs(find_installation(), tmp_path, rounds=1, report=said.append)
    assert said[:3] == ["TeraGen of 20,000 rows", "TeraSort of 20,000 rows", "TeraValidate of 20,000 rows"]
    for step in (costs.generate, costs.sort, costs.reduce, costs.validate):
        (seconds,) = step.rounds
        # Between a byte in a cycle and a microsecond for a byte.
        assert 1e-10 < seconds < 1e-6
    # A map that sorts costs more than one that only compares.
    assert costs.sort.rounds > costs.validate.rounds
    assert 0.2 < costs.client_s.rounds[0] < costs.start_s.rounds[0] < 60
    assert not any(tmp_path.iterdir())


def test_a_program_that_fails_is_reported_with_its_last_line(tmp_path: Path) -> None:
    broken = find_installation()._replace(class_path=())
    with pytest.raises(UserError, match=r"failed on this machine: .*ClassNotFoundException"):
        measure.measure_task_costs(broken, tmp_path, rounds=1, report=lambda what: None)
