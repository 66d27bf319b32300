"""What howdah makes on disk, and what it never touches."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from howdah.engines.local.workspace import Workspace, find_kept, spread_file_names
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


def keep(tmp_path: Path, name: str) -> None:
    """Keep data of that name below ``tmp_path``, as a completed workload does."""
    with Workspace([str(tmp_path)], "keeper", keep=True) as workspace:
        (workspace.fresh(name)[0] / "part-m-00000").write_text("old")
        workspace.fresh("spill", scratch=True)
        workspace.complete()


def test_kept_data_survives_later_runs(tmp_path: Path) -> None:
    keep(tmp_path, "teragen")
    assert [path.name for path in find_kept([str(tmp_path)], "teragen")] == ["teragen"]
    assert find_kept([str(tmp_path)], "spill") == []
    with Workspace([str(tmp_path)], "next", keep=False) as workspace:
        workspace.fresh("terasort")
    assert tree(tmp_path) == {
        "howdah",
        "howdah/.howdah",
        "howdah/teragen",
        "howdah/teragen/part-m-00000",
    }


def test_kept_data_is_not_replaced_without_a_word(tmp_path: Path) -> None:
    keep(tmp_path, "teragen")
    before = tree(tmp_path)
    with pytest.raises(UserError, match="its teragen data, kept from an earlier run"):
        Workspace([str(tmp_path)], "next", keep=False, replaces=["teragen", "terasort"])
    assert tree(tmp_path) == before
    with Workspace([str(tmp_path)], "other", keep=False, replaces=["terasort"]):
        pass
    assert tree(tmp_path) == before


def test_data_of_a_workload_that_was_not_completed_is_not_kept(tmp_path: Path) -> None:
    with Workspace([str(tmp_path)], "run", keep=True) as workspace:
        workspace.fresh("teragen")
        workspace.complete()
        workspace.fresh("terasort")
    assert {path.name for path in (tmp_path / "howdah").iterdir()} == {".howdah", "teragen"}


def test_whatever_a_user_puts_into_the_folder_stays(tmp_path: Path) -> None:
    keep(tmp_path, "teragen")
    (tmp_path / "howdah/notes.txt").write_text("mine")
    (tmp_path / "howdah/terasort").mkdir()
    with Workspace([str(tmp_path)], "next", keep=False) as workspace:
        workspace.fresh("dfsio")
        with pytest.raises(UserError, match="terasort was not created by howdah"):
            workspace.fresh("terasort")
    assert {path.name for path in (tmp_path / "howdah").iterdir()} == {
        ".howdah",
        "teragen",
        "notes.txt",
        "terasort",
    }


def test_a_users_own_empty_folder_is_used_and_left_behind(tmp_path: Path) -> None:
    (tmp_path / "howdah").mkdir()
    with Workspace([str(tmp_path)], "run", keep=False) as workspace:
        workspace.fresh("teragen")
    assert tree(tmp_path) == {"howdah"}


def test_directories_within_one_another_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="contain one another"):
        Workspace([str(tmp_path / "a"), str(tmp_path / "a/b")], "run", keep=False)
    assert tree(tmp_path) == set()


def test_directories_on_one_file_system_are_known_to_share_it(tmp_path: Path) -> None:
    with Workspace([str(tmp_path / "a"), str(tmp_path / "b")], "run", keep=False) as workspace:
        assert workspace.sharing() == [tmp_path / "a", tmp_path / "b"]
    with Workspace([str(tmp_path / "a")], "run", keep=False) as workspace:
        assert workspace.sharing() == []


def test_a_folder_that_is_not_howdahs_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "howdah").mkdir()
    (tmp_path / "howdah/thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="not created by howdah"):
        Workspace([str(tmp_path)], "run", keep=False)
    assert tree(tmp_path) == {"howdah", "howdah/thesis.tex"}


def test_a_second_run_in_the_same_directory_is_refused_by_name(tmp_path: Path) -> None:
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    with Workspace([one], "first", keep=False):
        with pytest.raises(UserError, match="run first is using it"):
            Workspace([two, one], "second", keep=False)
        assert tree(tmp_path) == {"one", "one/howdah", "one/howdah/.howdah"}


def test_the_same_directory_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="given twice"):
        Workspace([str(tmp_path), f"{tmp_path}/."], "run", keep=False)


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be created") as caught:
        Workspace([str(tmp_path / "file/data")], "run", keep=False)
    assert "file/data" in caught.value.where


def test_old_data_that_was_about_to_be_replaced_is_not_kept_after_a_kill(tmp_path: Path) -> None:
    keep(tmp_path, "teragen")
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    child.kill()
    child.communicate()
    assert find_kept([str(tmp_path)], "teragen") == []


KILLED = """
import sys, time
from howdah.engines.local.workspace import Workspace
workspace = Workspace([sys.argv[1]], "killed", keep=False)
(workspace.fresh("teragen")[0] / "part-m-00000").write_text("half")
print("ready", flush=True)
time.sleep(60)
"""


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    keep(tmp_path, "dfsio")
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert (tmp_path / "howdah/teragen/part-m-00000").exists()
    with Workspace([str(tmp_path)], "next", keep=False):
        assert tree(tmp_path) == {
            "howdah",
            "howdah/.howdah",
            "howdah/dfsio",
            "howdah/dfsio/part-m-00000",
        }


def test_files_are_dealt_out_evenly(tmp_path: Path) -> None:
    dirs = [str(tmp_path / name) for name in "abc"]
    with Workspace(dirs, "run", keep=False) as workspace:
        files = spread_file_names(workspace.fresh("teragen"), "part-m-{:05d}", 7)
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
