"""The runs of a tuning: those of a race, also if the study has no contenders."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from howdah.errors import UserError
from howdah.model.run import Outcome
from howdah.model.study import Study
from howdah.session import laboratories, study_running
from howdah.session.studies import make_runs, read
from howdah.session.study_cells import prepare_cell
from howdah.session.study_running import run_study
from howdah.study.directory import StudyDirectory
from howdah.study.matrix import cells_of
from howdah.study.schedule import Due
from support.studies import SIMULATED, Nobody, study


def test_a_candidate_that_is_refused_has_failed_and_the_other_runs_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(study: Study, directory: StudyDirectory, due: Due, *rest: Any, **options: Any) -> Any:
        if due.cell.levels["block_size"] == "256MiB":
            raise UserError("mapreduce.map.memory.mb", "is more than any node has", "give less")
        return prepare_cell(study, directory, due, *rest, **options)

    file = tmp_path / "study.yaml"
    file.write_text(SIMULATED.replace("{least: 2, most: 2}", "{least: 1, most: 1}"))
    requested, directory = read(file), StudyDirectory(tmp_path / "there")
    other = StudyDirectory(tmp_path / "other")
    for place in (directory, other):
        place.path.mkdir()
    monkeypatch.setattr(study_running, "prepare_cell", refusing)
    done = make_runs(requested, directory, Nobody(), tunes=True)
    assert Counter(run.figures.outcome for run in done) == {Outcome.SUCCEEDED: 2, Outcome.FAILED: 2}
    with pytest.raises(UserError, match="more than any node has"):
        make_runs(requested, other, Nobody())


@pytest.mark.parametrize(("tunes", "started"), [(True, ["h1"]), (False, [])])
def test_daemons_that_a_run_lost_are_started_again(
    tunes: bool, started: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*rest: object, **options: object) -> None:
        raise KeyboardInterrupt

    machines = [SimpleNamespace(name="h1", daemons=[SimpleNamespace(pid=None)])]
    starts: list[str] = []
    monkeypatch.setattr(laboratories, "status", lambda name: SimpleNamespace(machines=machines))
    monkeypatch.setattr(laboratories, "start", lambda name, machine, report: starts.append(machine))
    monkeypatch.setattr(study_running, "prepare_cell", stopped)
    on_lab = study(settings={"engine": "hadoop", "lab": "mine"})
    with pytest.raises(KeyboardInterrupt):
        run_study(on_lab, cells_of(on_lab), StudyDirectory(tmp_path), Nobody(), tunes=tunes)
    assert starts == started
