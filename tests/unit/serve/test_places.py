"""No name and no link leads out of the folder that is served."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from howdah.serve.places import NotServed, log_tail, odd_file, place_of, run_place
from support import records
from support.stored import write_run

ODD = (
    "",
    ".",
    "..",
    "../runs",
    "a/b",
    "/etc",
    ".hidden",
    "a\0b",
    "a b",
    "a%2e",
    "é",
    "x" * 200,
    "a\n",
    "~root",
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "runs", records.pi())


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_is_no_run(name: str, run: Path) -> None:
    with pytest.raises(NotServed):
        run_place(run.parent, name)


def test_a_run_is_found_by_its_name(run: Path) -> None:
    assert run_place(run.parent, run.name) == run


def test_a_link_to_a_directory_is_not_followed(run: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (run.parent / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotServed):
        place_of(run.parent, "link")


@pytest.mark.parametrize("file", ["run.json", "samples.parquet", "notes.json", ".lock", ".progress.json"])
def test_a_run_one_of_whose_files_is_a_link_is_not_served(file: str, run: Path) -> None:
    (run / file).unlink(missing_ok=True)
    (run / file).symlink_to("/etc/passwd")
    assert odd_file(run) == f"{file} is a link, which is not read"
    with pytest.raises(NotServed) as refused:
        run_place(run.parent, run.name)
    assert refused.value.reason == odd_file(run)


def test_a_fifo_is_not_waited_for(run: Path) -> None:
    (run / "logs" / "howdah.log").unlink()
    os.mkfifo(run / "logs" / "howdah.log")
    assert odd_file(run) == "logs/howdah.log is a named pipe, which is not read"
    assert log_tail(run, 1000) == ""


def test_a_run_without_odd_files_has_none(run: Path) -> None:
    assert odd_file(run) == ""


def test_a_log_that_is_a_link_is_not_read(run: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret\n")
    (run / "logs" / "howdah.log").unlink()
    (run / "logs" / "howdah.log").symlink_to(tmp_path / "secret")
    assert log_tail(run, 1000) == ""
    (run / "logs" / "howdah.log").unlink()
    (run / "logs").rmdir()
    (run / "logs").symlink_to(tmp_path)
    assert log_tail(run, 1000) == ""


def test_the_end_of_a_log_begins_with_a_whole_line(run: Path) -> None:
    (run / "logs" / "howdah.log").write_text("".join(f"line {number}\n" for number in range(100)))
    assert log_tail(run, 20) == "line 98\nline 99\n"
