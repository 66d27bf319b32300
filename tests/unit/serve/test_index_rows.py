"""Runs as rows of a list, which reads less of a record than a page and shows the same."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from howdah.model.run import Annotation
from howdah.model.tables import RunData
from howdah.serve.index import UNREADABLE, _row, row_of
from howdah.session.reporting import analyse_run
from howdah.store.reader import list_runs, read_record
from support import cluster_reports, records
from support.sim_runs import small_run
from support.stored import write_killed_run, write_run


@pytest.mark.parametrize(
    "data",
    [records.terasuite, records.pi, records.failed, records.storage, cluster_reports.laboratory, small_run],
)
@pytest.mark.parametrize("write", [write_run, write_killed_run])
def test_a_row_is_the_same_whether_all_of_a_record_is_read_or_not(
    data: Callable[[], RunData], write: Callable[[Path, RunData], Path], tmp_path: Path
) -> None:
    path = write(tmp_path, data())
    row = row_of(path)
    assert row == _row(path.name, read_record(path), Annotation())
    assert row.outcome != UNREADABLE
    assert row.platform


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("plan",), None),
        (("plan", "platform"), 3),
        (("plan", "cluster"), []),
        (("plan", "cluster", "inventory"), {}),
        (("suite", "workloads"), {}),
        (("host", "name"), None),
        (("workloads",), [{}]),
        (("elapsed_s",), "long"),
        (("schema_version",), True),
        (("schema_version",), 3),
        (("unheard_of",), 1),
    ],
)
def test_a_record_that_is_damaged_is_a_row_that_says_so(
    keys: tuple[str, ...], value: Any, tmp_path: Path
) -> None:
    path = write_run(tmp_path, cluster_reports.laboratory())
    document = json.loads((path / "run.json").read_text())
    inner = document
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    (path / "run.json").write_text(json.dumps(document))
    row = row_of(path)
    assert row.outcome == UNREADABLE
    assert row.error.startswith(path.name)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_what_is_no_file_in_a_record_s_place_is_not_waited_for(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    good = write_run(tmp_path, cluster_reports.laboratory())
    (tmp_path / "odd").mkdir()
    make(tmp_path / "odd" / "run.json")
    assert row_of(tmp_path / "odd").outcome == UNREADABLE
    # A report reads the other runs, too, to find one to compare with.
    assert analyse_run(good)[0].record.id == good.name
    (summary,) = [run for run in list_runs(tmp_path) if run.id == "odd"]
    assert "cannot be read" in str(summary.error)


def test_all_runs_of_a_suite_show_the_same_metric(tmp_path: Path) -> None:
    data = records.terasuite()
    slow = [
        result.model_copy(update={"elapsed_s": 1000.0 if result.workload.kind == kind else result.elapsed_s})
        for kind in ("teragen", "teravalidate")
        for result in data.record.workloads
    ]
    size = len(data.record.workloads)
    for name, results in (
        ("plain", data.record.workloads),
        ("generating", slow[:size]),
        ("checking", slow[size:]),
    ):
        record = data.record.model_copy(update={"id": name, "workloads": tuple(results)})
        row = row_of(write_run(tmp_path, data._replace(record=record)))
        # Whichever workload took the longest.
        assert (row.metric, row.unit) == ("terasort", "s")
        assert row.value == next(one.elapsed_s for one in results if one.workload.kind == "terasort")


@pytest.mark.parametrize(
    ("data", "metric"),
    [
        (records.pi, "pi"),
        (records.dfsio, "dfsio-write throughput per task"),
        (records.storage, "storage writing"),
        # Its main workload did not succeed.
        (records.failed, ""),
    ],
)
def test_a_row_has_the_metric_that_its_suite_is_run_for(
    data: Callable[[], RunData], metric: str, tmp_path: Path
) -> None:
    row = row_of(write_run(tmp_path, data()))
    assert row.metric == metric
    assert (row.value is None) == (metric == "")
