"""How far a run is, told to other processes once a second."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.model.tables import Progress
from howdah.store.writer import ProgressFile, read_progress


def test_it_is_written_at_most_once_a_second(tmp_path: Path) -> None:
    file = ProgressFile(tmp_path)
    assert read_progress(tmp_path) is None
    file.keep(Progress("terasort", "map-shuffle", 10, 100, "B", 2.0))
    file.keep(Progress("terasort", "map-shuffle", 20, 100, "B", 4.0))
    known = read_progress(tmp_path)
    assert known is not None
    assert known.done == 10
    assert known.left_s == pytest.approx(18.0)
    file.remove()
    file.remove()
    assert read_progress(tmp_path) is None


@pytest.mark.parametrize(
    "progress", [Progress("pi", "map", 0, 10, "points", 2.0), Progress("pi", "map", 1, 0, "points", 2.0)]
)
def test_where_nothing_tells_no_time_is_left(progress: Progress, tmp_path: Path) -> None:
    ProgressFile(tmp_path).keep(progress)
    known = read_progress(tmp_path)
    assert known is not None
    assert known.left_s is None


def test_a_disk_that_refuses_and_a_file_that_is_none_cost_nothing(tmp_path: Path) -> None:
    ProgressFile(tmp_path / "none").keep(Progress("pi", "map", 0, 10, "points", 2.0))
    (tmp_path / ".progress.json").write_text("{")
    assert read_progress(tmp_path) is None
