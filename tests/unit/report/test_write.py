"""A cluster's report is whole whatever its record lacks, and its pictures can be drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from howdah.analysis.analyse import analyse
from howdah.model.run import Origin, Outcome
from howdah.model.tables import RunData
from howdah.report.run import run_report
from howdah.report.write import write_document
from support.cluster_records import attempts_in, terasort_on, with_attempts
from support.cluster_reports import lossy
from support.cluster_scene import Scene
from support.plans import worker_plan

pytestmark = pytest.mark.slow


def _small() -> RunData:
    return terasort_on(Scene(rows=2_000_000))


def _record(run: RunData, **changes: Any) -> RunData:
    return run._replace(record=run.record.model_copy(update=changes))


def _result(run: RunData, **changes: Any) -> RunData:
    (result,) = run.record.workloads
    return _record(run, workloads=(result.model_copy(update=changes),))


def _without_samples() -> RunData:
    """A user's cluster that nobody sampled."""
    run = lossy()
    return run._replace(samples=run.samples.slice(0, 0))


def _without_plan() -> RunData:
    """A cluster that was found running: no hosts, no racks."""
    run = _small()
    return _record(run, plan=worker_plan(run.record.plan))


def _without_job() -> RunData:
    """Nobody told of the job: no tasks, no counters, no replicas."""
    return with_attempts(_result(_small(), job=None, replicas=None), [])


def _failed() -> RunData:
    run = _small()
    failed = [one._replace(state="failed", error="disk full") for one in attempts_in(run)]
    run = with_attempts(_result(run, outcome=Outcome.FAILED, phases=(), replicas=None), failed)
    return _record(run, outcome=Outcome.FAILED, error="terasort failed: disk full")


def _nothing_ran() -> RunData:
    run = with_attempts(_small(), [])
    return _record(run, workloads=(), outcome=Outcome.ABORTED, error="interrupted")


def _long_names() -> RunData:
    """Names as long as DNS has them, and with what HTML would take for markup."""
    run = _without_plan()
    long = "worker-17.rack-3.datacentre-north.example.com"
    attempts = [
        one._replace(worker=f"{one.worker}.{long}", host=f"{one.host}.<b>{long}") for one in attempts_in(run)
    ]
    return with_attempts(run, attempts)


def _simulated() -> RunData:
    return _record(_small(), origin=Origin.SIMULATED, engine="sim")


LACKING: dict[str, Callable[[], RunData]] = {
    "samples": _without_samples,
    "plan": _without_plan,
    "job": _without_job,
    "success": _failed,
    "workloads": _nothing_ran,
    "short names": _long_names,
    "measurement": _simulated,
}


@pytest.mark.parametrize("lack", LACKING)
def test_a_report_is_whole_whatever_is_lacking(lack: str, tmp_path: Path) -> None:
    run = LACKING[lack]()
    page = write_document(run_report(run, analyse(run)), tmp_path).read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")
    assert "<b>worker" not in page
    for picture in (tmp_path / "figures").iterdir():
        drawing = picture.read_text(encoding="utf-8")
        assert "NaN" not in drawing
        assert "undefined" not in drawing


def _drawn(run: RunData, folder: Path) -> set[str]:
    write_document(run_report(run, analyse(run)), folder)
    return {path.stem for path in (folder / "figures").iterdir()}


def test_without_samples_tasks_and_places_are_still_drawn(tmp_path: Path) -> None:
    drawn = _drawn(_without_samples(), tmp_path)
    assert {"elapsed", "tasks", "topology", "flow-terasort"} <= drawn
    assert not any("machines" in name or name == "cpu" for name in drawn)


def test_without_a_plan_workers_are_known_by_their_tasks(tmp_path: Path) -> None:
    assert {"tasks", "topology", "storage-machines"} <= _drawn(_without_plan(), tmp_path)


def test_without_a_job_only_what_was_sampled_is_drawn(tmp_path: Path) -> None:
    drawn = _drawn(_without_job(), tmp_path)
    assert "storage-machines" in drawn
    assert not drawn & {"tasks", "flow-terasort"}
