"""Listing runs, finding one, and naming a new one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.model.run import Outcome, Sample
from howdah.model.tables import RunData
from howdah.store.layout import new_run_id
from howdah.store.reader import find_run, list_runs, read_run
from howdah.store.writer import RunWriter
from support import records
from support.stored import as_begun, write_killed_run, write_run

NOW = datetime(2026, 11, 20, 17, 14, 59, tzinfo=UTC)


def _named(data: RunData, run_id: str, created: str) -> RunData:
    return data._replace(record=data.record.model_copy(update={"id": run_id, "created": created}))


@pytest.fixture
def runs_dir(tmp_path: Path) -> Path:
    """Three runs whose names and times are in different orders."""
    runs = tmp_path / "runs"
    write_run(runs, _named(records.pi(), "20261120-1714-pi-10", "2026-11-20T17:14:30+00:00"))
    write_run(runs, _named(records.pi(), "20261120-1714-pi-9", "2026-11-20T17:14:20+00:00"))
    write_killed_run(runs, _named(records.dfsio(), "20261119-0900-dfsio", "2026-11-19T09:00:00+00:00"))
    return runs


def test_runs_are_listed_from_oldest_to_newest(runs_dir: Path) -> None:
    runs = list_runs(runs_dir)
    assert [run.id for run in runs] == ["20261119-0900-dfsio", "20261120-1714-pi-9", "20261120-1714-pi-10"]
    assert [run.path for run in runs] == [runs_dir / run.id for run in runs]
    assert [run.record.outcome for run in runs if run.record] == [
        Outcome.ABORTED,
        Outcome.SUCCEEDED,
        Outcome.SUCCEEDED,
    ]
    assert all(run.error is None for run in runs)


def test_a_killed_run_went_on_until_its_last_sign_of_life(tmp_path: Path) -> None:
    begun = as_begun(records.pi().record, elapsed_s=0.0, preparation=())
    with RunWriter(tmp_path, begun) as writer:
        assert _elapsed_s(tmp_path) == 0.0
        writer.samples([Sample(2.5, "host1", "memory/available_bytes", 1e9)])
        assert _elapsed_s(tmp_path) == 2.5
    assert _elapsed_s(tmp_path) == 2.5
    assert read_run(writer.path).record.elapsed_s == 2.5
    samples = writer.path / "samples.arrow"
    samples.write_bytes(b"not a stream")
    # Its record can still be read, so a list still shows it.
    assert _elapsed_s(tmp_path) == 0.0


def _elapsed_s(runs_dir: Path) -> float:
    (run,) = list_runs(runs_dir)
    assert run.record is not None
    return run.record.elapsed_s


def test_a_damaged_run_is_listed_with_what_is_wrong(runs_dir: Path) -> None:
    (runs_dir / "20261120-1714-pi-9" / "run.json").write_text("{")
    (runs_dir / "notes").mkdir()
    (runs_dir / "README").write_text("not a run")
    runs = list_runs(runs_dir)
    assert [run.id for run in runs] == [
        "20261120-1714-pi-9",
        "notes",
        "20261119-0900-dfsio",
        "20261120-1714-pi-10",
    ]
    assert "damaged" in str(runs[0].error)
    assert "no run.json" in str(runs[1].error)
    assert find_run(runs_dir, "last") == runs_dir / "20261120-1714-pi-10"


def test_a_run_that_goes_on_is_listed_as_running(tmp_path: Path) -> None:
    with RunWriter(tmp_path, as_begun(records.pi().record)):
        (run,) = list_runs(tmp_path)
        assert run.record is not None
        assert run.record.outcome is Outcome.RUNNING
    (run,) = list_runs(tmp_path)
    assert run.record is not None
    assert run.record.outcome is Outcome.ABORTED


def test_no_directory_holds_no_runs(tmp_path: Path) -> None:
    assert list_runs(tmp_path / "absent") == []
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is a file"):
        list_runs(tmp_path / "file")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("20261120-1714-pi-9", "20261120-1714-pi-9"),
        ("20261119", "20261119-0900-dfsio"),
        ("20261120-1714-pi-1", "20261120-1714-pi-10"),
        ("last", "20261120-1714-pi-10"),
    ],
)
def test_a_run_is_found(runs_dir: Path, asked: str, found: str) -> None:
    assert find_run(runs_dir, asked) == runs_dir / found


def test_a_run_is_found_by_its_directory_wherever_it_is(runs_dir: Path, tmp_path: Path) -> None:
    path = runs_dir / "20261119-0900-dfsio"
    assert find_run(tmp_path / "elsewhere", str(path)) == path


def test_a_whole_id_wins_over_longer_ones(tmp_path: Path) -> None:
    for run_id in ("20261120-1714-pi", "20261120-1714-pi-2"):
        write_run(tmp_path, _named(records.pi(), run_id, "2026-11-20T17:14:30+00:00"))
    assert find_run(tmp_path, "20261120-1714-pi") == tmp_path / "20261120-1714-pi"


@pytest.mark.parametrize(
    ("asked", "what", "hint"),
    [
        ("20261120", "2 runs have this beginning", "20261120-1714-pi-9, 20261120-1714-pi-10"),
        ("20261119-0900-dfso", "no such run", "did you mean 20261119-0900-dfsio?"),
        ("zzz", "no such run", "the newest are 20261120-1714-pi-10, 20261120-1714-pi-9"),
        ("", "no such run", "the newest are"),
        ("../runs/20261119-0900-dfsio", "no such run", ""),
    ],
)
def test_what_is_not_found_is_answered_with_what_is_near(
    runs_dir: Path, asked: str, what: str, hint: str
) -> None:
    with pytest.raises(UserError) as error:
        find_run(runs_dir, asked)
    assert error.value.where == asked
    assert what in error.value.what
    assert hint in error.value.hint


def test_where_there_are_no_runs_the_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"{tmp_path}: contains no runs"):
        find_run(tmp_path, "last")


def test_a_new_run_is_named_after_its_minute_and_its_suite(tmp_path: Path) -> None:
    assert new_run_id(NOW, "terasuite", tmp_path / "absent") == "20261120-1714-terasuite"
    for expected in ("20261120-1714-pi", "20261120-1714-pi-2", "20261120-1714-pi-3"):
        run_id = new_run_id(NOW, "pi", tmp_path)
        assert run_id == expected
        (tmp_path / run_id).mkdir()


@pytest.mark.parametrize(
    ("suite", "name"),
    [
        ("My Suite/../x", "my-suite-x"),
        ("…", "run"),
        ("", "run"),
        ("dfsio-write", "dfsio-write"),
        ("a" * 300, "a" * 64),
    ],
)
def test_any_suite_makes_a_name_for_a_directory(tmp_path: Path, suite: str, name: str) -> None:
    assert new_run_id(NOW, suite, tmp_path) == f"20261120-1714-{name}"
