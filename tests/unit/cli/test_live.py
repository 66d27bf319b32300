"""What a terminal shows of a run that has ended."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.console import Console

from howdah.analysis.analyse import analyse
from howdah.cli.live import Display, progress_line, result_line
from howdah.engines.base import Prepared
from howdah.engines.local.engine import LocalEngine
from howdah.model.reported import ResultMetric
from howdah.model.run import Outcome
from howdah.model.tables import Job, Progress
from howdah.model.workloads.hadoop_programs import estimate_of_pi, operations_per_s
from howdah.session.reporting import FinishedRun
from support import records
from support.building import RunBuilder, Stage, kind
from support.findings import found


def _job() -> Job:
    record = records.terasuite().record
    return Job(
        run_id=record.id,
        command=record.command,
        host=record.host,
        plan=record.plan,
        suite=record.suite,
        seed=record.seed,
        keep_data=False,
        sample_interval_s=1.0,
        results_dir=Path(),
    )


def _shown(outcome: Outcome, capsys: pytest.CaptureFixture[str]) -> str:
    run = records.terasuite()
    sort = run.record.workloads[1].model_copy(update={"outcome": outcome})
    done = (run.record.workloads[0], sort)
    error = "terasort: map 0 failed: no space left"
    update = {"outcome": outcome, "error": error, "workloads": done}
    run = run._replace(record=run.record.model_copy(update=update))
    prepared = Prepared(_job(), LocalEngine(), (), dict)
    display = Display(prepared, silent=False)
    display.conclude(FinishedRun(run, analyse(run), Path(), Path("report.html")))
    return " ".join(capsys.readouterr().out.split())


def test_how_far_a_failed_run_came_is_told_once_and_why_is_left_to_the_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = _shown(Outcome.FAILED, capsys)
    assert shown.startswith("found terasort failed after ")
    assert shown.count("terasort failed after") == 1
    assert "the run never began: teravalidate" in shown
    assert "no space left" not in shown
    assert "the run failed" not in shown


def test_a_run_that_was_stopped_is_told_so_too(capsys: pytest.CaptureFixture[str]) -> None:
    shown = _shown(Outcome.ABORTED, capsys)
    assert shown.startswith("found terasort was cut off after ")
    assert "the run was cut off" not in shown


def _minutes(display: Display, clock: list[float]) -> None:
    """An hour's first four minutes, of which the display is told ten times a second."""
    for tenth in range(2401):
        clock[0] = tenth / 10
        display.progress(
            Progress("terasort", "map-shuffle", tenth, 4800, "B", tenth / 10, "3 of 8 maps ended")
        )


def test_a_pipe_is_told_once_a_minute_how_far_a_job_is(capsys: pytest.CaptureFixture[str]) -> None:
    clock = [0.0]
    _minutes(Display(Prepared(_job(), LocalEngine(), (), dict), silent=False, now_s=lambda: clock[0]), clock)
    first, *others = capsys.readouterr().out.splitlines()
    assert first.split("   ")[-4:] == [
        " 12 % of the work",
        "3 of 8 maps ended",
        "map-shuffle",
        "for 1 min 00 s",
    ]
    assert len(others) == 3
    assert others[-1].endswith("50 % of the work   3 of 8 maps ended   map-shuffle   for 4 min 00 s")


def test_what_is_under_way_is_never_all_done() -> None:
    line = progress_line(Progress("terasort", "reduce-merge", 100, 100, "B", 9.0, "0 of 1 reduce ended"))
    assert line.split("   ")[:2] == [" 99 % of the work", "0 of 1 reduce ended"]


def test_where_json_is_printed_the_minutes_go_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    clock = [0.0]
    prepared = Prepared(_job(), LocalEngine(), (), dict)
    for minutes in (Console(stderr=True), None):
        _minutes(Display(prepared, silent=True, minutes=minutes, now_s=lambda: clock[0]), clock)
        said = capsys.readouterr()
        assert said.out == ""
        assert len(said.err.splitlines()) == (4 if minutes else 0)


@pytest.mark.parametrize(
    ("name", "metrics", "line", "sentence"),
    [
        ("pi", (estimate_of_pi("3.14159"),), "pi 3.14159", "pi took 4.00 s; pi 3.14159"),
        (
            "nnbench",
            (operations_per_s("create_write", 531), operations_per_s("open_read", 902)),
            "create_write 531/s, open_read 902/s",
            "nnbench took 4.00 s; create_write 531/s, open_read 902/s",
        ),
    ],
)
def test_what_a_program_reports_is_told_with_its_unit(
    name: str, metrics: tuple[ResultMetric, ...], line: str, sentence: str
) -> None:
    built = RunBuilder()
    built.workload(kind(name), [Stage("map", 4.0)], metrics=metrics)
    run = built.build()
    (time,) = analyse(run).evidence.workloads
    said = result_line(run.record.workloads[0], time, short=False)
    assert said.endswith(f"   {line}")
    (answer,) = found(run, "answer")
    assert answer.text.startswith(sentence)


@pytest.mark.parametrize(
    ("columns", "whole"), [(80, False), (100, True), (104, False), (113, True), (130, True)]
)
def test_a_checksum_is_cut_only_where_the_terminal_has_no_room_for_it(
    columns: int, whole: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))
    record = records.terasuite().record
    checksum = "4c49607ac53602"
    update = {"checksum": checksum, "expected_checksum": checksum}
    done = (*record.workloads[:2], record.workloads[2].model_copy(update=update))
    Display(Prepared(_job(), LocalEngine(), (), dict), silent=False).update(
        record.model_copy(update={"workloads": done})
    )
    printed = re.sub(r"\x1b[^A-Za-z]*[A-Za-z]", "", capsys.readouterr().out).splitlines()
    assert max(map(len, printed)) <= columns
    (line,) = [each for each in printed if "teravalidate" in each]
    assert line.endswith(f"checksum {checksum if whole else '4c49607a…'} matches")
