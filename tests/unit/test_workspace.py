"""What howdah makes on disk, and what it never touches."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from howdah.engines.local.workspace import Workspace, find_kept
from howdah.errors import UserError


def tree(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


def test_everything_made_is_removed_again(tmp_path: Path) -> None:
    with Workspace([str(tmp_path / "a/b")], "run", keep=False) as workspace:
        (workspace.fresh("teragen")[0] / "part-m-00000").write_text("x")
        assert (tmp_path / "a/b/howdah/teragen/part-m-00000").exists()
    assert tree(tmp_path) == set()


def test_a_users_own_files_stay(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/photo").write_text("mine")
    with Workspace([str(tmp_path / "data")], "run", keep=False) as workspace:
        workspace.fresh("terasort")
    assert tree(tmp_path) == {"data", "data/photo"}


def test_kept_data_survives_later_runs_until_it_is_replaced(tmp_path: Path) -> None:
    data = [str(tmp_path)]
    with Workspace(data, "one", keep=True) as workspace:
        (workspace.fresh("teragen")[0] / "part-m-00000").write_text("old")
        workspace.fresh("spill", scratch=True)
    assert [path.name for path in find_kept(data, "teragen")] == ["teragen"]
    assert find_kept(data, "spill") == []
    with Workspace(data, "two", keep=False) as workspace:
        workspace.fresh("terasort")
    assert [path.name for path in find_kept(data, "teragen")] == ["teragen"]
    assert find_kept(data, "terasort") == []
    with Workspace(data, "three", keep=False) as workspace:
        assert list(workspace.fresh("teragen")[0].iterdir()) == []
    assert tree(tmp_path) == set()


def test_a_folder_that_is_not_howdahs_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "howdah").mkdir()
    (tmp_path / "howdah/thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="not made by howdah"):
        Workspace([str(tmp_path)], "run", keep=False)
    assert tree(tmp_path) == {"howdah", "howdah/thesis.tex"}


def test_a_second_run_in_the_same_directory_is_refused_by_name(tmp_path: Path) -> None:
    with Workspace([str(tmp_path)], "first", keep=False):
        with pytest.raises(UserError, match="run first is using it"):
            Workspace([str(tmp_path / "other"), str(tmp_path)], "second", keep=False)
        assert tree(tmp_path) == {"howdah", "howdah/.howdah"}


def test_the_same_directory_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="given twice"):
        Workspace([str(tmp_path), f"{tmp_path}/."], "run", keep=False)


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be created") as caught:
        Workspace([str(tmp_path / "file/data")], "run", keep=False)
    assert "file/data" in caught.value.where


KILLED = """
import sys, time
from howdah.engines.local.workspace import Workspace
workspace = Workspace([sys.argv[1]], "killed", keep=False)
(workspace.fresh("teragen")[0] / "part-m-00000").write_text("half")
print("ready", flush=True)
time.sleep(60)
"""


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    with Workspace([str(tmp_path)], "kept", keep=True) as workspace:
        workspace.fresh("dfsio")
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert (tmp_path / "howdah/teragen/part-m-00000").exists()
    with Workspace([str(tmp_path)], "next", keep=False):
        assert tree(tmp_path) == {"howdah", "howdah/.howdah", "howdah/dfsio"}


def test_files_are_dealt_out_evenly(tmp_path: Path) -> None:
    dirs = [str(tmp_path / name) for name in "abc"]
    with Workspace(dirs, "run", keep=False) as workspace:
        files = workspace.spread(workspace.fresh("teragen"), "part-m-{:05d}", 7)
        assert [file.name for file in files] == [f"part-m-{number:05d}" for number in range(7)]
        counts = [sum(str(file).startswith(folder) for file in files) for folder in dirs]
        assert sorted(counts) == [2, 2, 3]


def test_too_little_room_is_known_before_anything_is_written(tmp_path: Path) -> None:
    with Workspace([str(tmp_path / name) for name in "ab"], "run", keep=False) as workspace:
        free = os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize
        assert workspace.shortage(free // 2) is None
        shortage = workspace.shortage(2 * free)
        assert shortage is not None
        assert 0.4 < shortage.fitting_share < 0.5
