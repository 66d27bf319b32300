"""A run whose lab does not start is a result of its cell: it failed."""

from __future__ import annotations

from pathlib import Path

from howdah.model.run import Outcome
from howdah.model.study import StudyRun
from howdah.session.study_cells import write_inputs, write_unstarted
from howdah.store.reader import read_record
from howdah.study.directory import StudyDirectory
from howdah.study.matrix import cells_of
from howdah.study.schedule import due
from support.studies import EXAMPLES, study


def test_a_lab_that_does_not_start_is_a_failed_run_and_after_two_the_cell_is_left(tmp_path: Path) -> None:
    whole = study(
        settings={"engine": "hadoop", "inventory": str(EXAMPLES / "hosts-lab.yaml"), "dataset": "100MB"},
        factors=[{"vary": "slots", "values": [1, 2]}],
        baseline={"slots": 1},
        repeats={"least": 3, "most": 3},
    )
    cells = cells_of(whole)
    there = StudyDirectory(tmp_path)
    write_inputs(whole, there, cells, tmp_path)
    done: list[StudyRun] = []
    for repeat in (1, 2):
        (run,) = [one for one in due(whole, cells, done) if (one.cell.number, one.repeat) == (1, repeat)]
        write_unstarted(whole, there, run, "nodemanager on h1 ended: Invalid configuration")
        done.append(there.keep(run, 5.0, caches_dropped=False))
    record = read_record(there.runs / "002-01")
    assert (record.outcome, record.error) == (
        Outcome.FAILED,
        "nodemanager on h1 ended: Invalid configuration",
    )
    assert [run.figures.outcome for run in there.done()] == [Outcome.FAILED] * 2
    assert {one.cell.number for one in due(whole, cells, done)} == {0}
