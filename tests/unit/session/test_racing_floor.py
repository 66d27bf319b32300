"""How far the winner of a race on a lab is from the same work without Hadoop."""

from __future__ import annotations

from pathlib import Path

from howdah.analysis.comparing.figures import figures_of
from howdah.model.study import StudyRun
from howdah.model.tables import RunData
from howdah.model.tuning import RULES_NAME, RaceTarget
from howdah.session.racing import winner_floors
from howdah.study.directory import StudyDirectory
from howdah.study.matrix import cells_of
from howdah.tune.race import VARY
from support import records
from support.floors import LAB, on_cluster
from support.raced import raced
from support.stored import write_run


def test_the_last_run_of_the_winner_is_compared_with_a_local_run_of_as_many_rows(tmp_path: Path) -> None:
    local = records.terasuite()
    runs, there = tmp_path / "runs", StudyDirectory(tmp_path / "race")
    there.runs.mkdir(parents=True)
    record = on_cluster(local.record, "h1-1", "h1-2", lab=LAB)
    run = RunData(record, local.tasks, local.samples)
    write_run(there.runs, run)
    study = raced(RaceTarget.LAB, "lab")
    (rules,) = (cell.number for cell in cells_of(study) if cell.levels[VARY] == RULES_NAME)
    done = [StudyRun(cell=rules, repeat=1, took_s=1, figures=figures_of(run))]
    assert not list(winner_floors(there, study, done, RULES_NAME, runs))
    write_run(runs, local)
    floors = list(winner_floors(there, study, done, RULES_NAME, runs))
    assert [floor.workload for floor in floors] == ["teragen", "terasort", "teravalidate"]
    assert all(floor.floor_s == floor.elapsed_s for floor in floors)
    assert {floor.floor_run for floor in floors} == {local.record.id}
    warm_up = [run.model_copy(update={"repeat": 0}) for run in done]
    assert not list(winner_floors(there, study, warm_up, RULES_NAME, runs))
