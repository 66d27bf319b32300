"""The index is made from the records, follows them, and is thrown away when it is not to be trusted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from howdah.model.run import Annotation
from howdah.serve.finding import RunsWanted, find_runs
from howdah.serve.index import RunIndex, RunRow
from howdah.store.archive import write_annotation
from howdah.store.writer import RunWriter
from support import records
from support.stored import as_begun, write_run


def look(index: RunIndex) -> set[str]:
    return set().union(*index.refresh(index.names(), every=True))


def _row(index: RunIndex, name: str) -> RunRow | None:
    return next((row for row in find_runs(index, RunsWanted()).rows if row.id == name), None)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_run(tmp_path / "runs", records.pi())
    write_run(tmp_path / "runs", records.failed())
    return tmp_path / "runs"


def test_runs_that_appear_change_and_go_are_told(runs: Path) -> None:
    index = RunIndex(runs, None)
    first = look(index)
    assert len(first) == len(index) == 2
    assert look(index) == set()
    name = sorted(first)[0]
    write_annotation(runs / name, Annotation(tags=("good",), note="as expected"))
    assert look(index) == {name}
    row = _row(index, name)
    assert row is not None
    assert (row.tags, row.note) == (("good",), "as expected")
    shutil.rmtree(runs / name)
    assert look(index) == {name}
    assert _row(index, name) is None
    assert find_runs(index, RunsWanted(tag="good")).found == 0


def test_a_run_under_way_is_seen_to_be_killed(tmp_path: Path) -> None:
    data = records.terasuite()
    writer = RunWriter(tmp_path, as_begun(data.record))
    index = RunIndex(tmp_path, None)
    look(index)
    assert index.running == {data.record.id}
    writer.__exit__(None, None, None)
    assert set().union(*index.refresh(index.names(), every=False)) == {data.record.id}
    row = _row(index, data.record.id)
    assert row is not None
    assert row.outcome == "aborted"
    assert index.running == frozenset()


def test_what_cannot_be_read_is_listed_with_its_reason_and_read_once_it_can_be(runs: Path) -> None:
    whole = next(path for path in runs.iterdir() if path.is_dir())
    content = (whole / "run.json").read_bytes()
    (whole / "run.json").write_bytes(content[: len(content) // 2])
    index = RunIndex(runs, None)
    look(index)
    row = _row(index, whole.name)
    assert row is not None
    assert row.outcome == "unreadable"
    assert "incomplete JSON" in row.error
    assert str(runs) not in row.error
    (whole / "run.json").write_bytes(content)
    assert set().union(*index.refresh(index.names(), every=False)) == {whole.name}


def test_it_is_kept_between_starts_and_made_anew_where_it_is_damaged(runs: Path, tmp_path: Path) -> None:
    file = tmp_path / "state" / "runs.sqlite"
    index = RunIndex(runs, file)
    look(index)
    index.close()
    again = RunIndex(runs, file)
    assert len(again) == 2
    assert look(again) == set()
    again.close()
    file.write_bytes(b"no database at all" * 1000)
    fresh = RunIndex(runs, file)
    assert len(fresh) == 0
    assert len(look(fresh)) == 2
    fresh.close()


def test_without_a_place_to_keep_it_it_is_in_memory(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    index = RunIndex(runs, tmp_path / "file" / "runs.sqlite")
    assert len(look(index)) == 2


def test_no_directory_is_no_runs(tmp_path: Path) -> None:
    index = RunIndex(tmp_path / "none", None)
    assert look(index) == set()


def test_a_run_with_a_link_in_it_is_listed_and_not_followed(runs: Path) -> None:
    run = next(path for path in runs.iterdir() if path.is_dir())
    (run / "run.json").unlink()
    (run / "run.json").symlink_to("/etc/passwd")
    index = RunIndex(runs, None)
    look(index)
    row = _row(index, run.name)
    assert row is not None
    assert "link" in row.error
