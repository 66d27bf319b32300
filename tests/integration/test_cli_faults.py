"""Bad input is answered by one message that names it, exit code 2, and nothing written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.command import HOWDAH, environment, howdah, tree
from support.patience import PATIENCE_S, wait_until


def make_rows(path: Path, size: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))
    return path


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["run", "terasoup"], "terasoup"),
        (["run"], "suite"),
        (["run", "terasuite", "--rowz", "5"], "--rowz"),
        (["run", "terasuite", "--rows", "many"], "--rows"),
        (["run", "terasuite", "--rows", "0"], "--rows"),
        (["run", "terasuite", "--rows", "-5"], "--rows"),
        (["run", "terasuite", "--rows", "10.5"], "--rows"),
        (["run", "terasuite", "--rows", "99999T"], "--rows"),
        (["run", "terasuite", "--rows", "10B", "--memory", "8GiB"], "--rows"),
        (["run", "terasuite", "--maps", "0"], "--maps"),
        (["run", "terasuite", "--reduces", "100000000"], "--reduces"),
        (["run", "terasuite", "--memory", "1"], "--memory"),
        (["run", "terasuite", "--memory", "1MiB"], "--memory"),
        (["run", "terasuite", "--memory", "900TB"], "--memory"),
        (["run", "terasuite", "--rows", "500M", "--memory", "260MiB"], "--memory"),
        (["run", "terasuite", "--codec", "zip"], "--codec"),
        (["run", "terasuite", "--samples", "5"], "--samples"),
        (["run", "terasuite", "--engine", "mesos"], "--engine"),
        (["run", "terasuite", "--sample-interval", "0.01"], "--sample-interval"),
        (["run", "terasuite", "--seed", "-1"], "--seed"),
        (["run", "dfsio", "--file-size", "10 furlongs"], "--file-size"),
        (["run", "dfsio", "--file-size", "0"], "--file-size"),
        (["run", "dfsio-read"], "dfsio-write"),
        (["run", "terasort"], "teragen"),
        (["run", "teravalidate"], "terasort"),
        (["run", "terasort", "--input", "nowhere"], "nowhere"),
        (["run", "terasuite", "--data-dir", "a", "--data-dir", "a"], "--data-dir"),
        (["run", "terasuite", "--data-dir", "/proc/here"], "/proc/here"),
        (["run", "terasuite", "--data-dir", "mnt/data3"], "mnt/data3"),
        (["run", "terasuite", "--map-slots", "1000"], "--map-slots"),
        (["run", "terasuite", "--sample-interval", "inf"], "--sample-interval"),
        (["run", "storage", "--file-size", "1"], "--file-size"),
        (["run", "pi", "--samples", "0"], "--samples"),
        (["runs", "show", "nothing"], "runs"),
        (["runs", "export", "nothing"], "runs"),
        (["runs", "import", "nothing.howdah"], "nothing.howdah"),
        (["probe", "--output", "no/such/dir/host.yaml"], "no/such/dir"),
    ],
)
def test_the_message_names_what_is_wrong(tmp_path: Path, arguments: Sequence[str], named: str) -> None:
    done = howdah(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.rstrip().splitlines()
    assert lines[0].startswith("error: ")
    assert named in done.stderr
    assert len(lines) == 2, "one line for what is wrong, one for what would be right"
    assert done.stdout == ""
    assert tree(tmp_path) == set()


@pytest.mark.parametrize("suite", ["terasort", "teravalidate"])
def test_a_truncated_input_is_named_with_its_length(tmp_path: Path, suite: str) -> None:
    make_rows(tmp_path / "in/part-m-00000", 1000)
    make_rows(tmp_path / "in/part-m-00001", 950)
    before = tree(tmp_path)
    done = howdah("run", suite, "--input", "in", cwd=tmp_path)
    assert done.returncode == 2
    assert "part-m-00001" in done.stderr
    assert "950 bytes" in done.stderr
    assert tree(tmp_path) == before


def test_a_directory_that_is_not_howdahs_is_left_alone(tmp_path: Path) -> None:
    make_rows(tmp_path / "data/howdah/precious", 10)
    before = tree(tmp_path)
    done = howdah("run", "terasuite", "--rows", "1000", "--data-dir", "data", cwd=tmp_path)
    assert done.returncode == 2
    assert "not created by howdah" in done.stderr
    assert tree(tmp_path) == before


def test_a_runs_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    make_rows(tmp_path / "runs", 0)
    done = howdah("run", "terasuite", "--rows", "1000", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "runs" in done.stderr
    assert "Traceback" not in done.stderr
    assert tree(tmp_path) == {"runs"}


def test_two_runs_in_one_directory(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [HOWDAH, "run", "pi", "--maps", "1", "--samples", "100B"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_until((tmp_path / "howdah-data/howdah/.howdah").exists)
        second = howdah("run", "pi", "--maps", "1", "--samples", "10", cwd=tmp_path)
    finally:
        first.terminate()
    assert first.wait(PATIENCE_S) == 130
    assert second.returncode == 2
    assert "is using it" in second.stderr
    assert len(list((tmp_path / "runs").glob("2*"))) == 1


def test_an_unwritable_data_directory_is_named(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        # Permissions do not stop root; a read-only file system does, and /sys is one for everybody.
        target = Path("/sys/kernel")
    else:
        target = tmp_path / "locked"
        target.mkdir(mode=0o500)
    done = howdah("run", "terasuite", "--rows", "1000", "--data-dir", target, cwd=tmp_path)
    assert done.returncode == 2
    assert str(target) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_newer_record_is_refused_and_a_list_goes_on_without_it(tmp_path: Path) -> None:
    assert howdah("run", "pi", "--maps", "1", "--samples", "10", cwd=tmp_path).returncode == 0
    (run,) = (tmp_path / "runs").glob("2*")
    record = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**record, "schema_version": 99}))
    shown = howdah("runs", "show", run.name, cwd=tmp_path)
    assert shown.returncode == 2
    assert "run.json" in shown.stderr
    assert "99" in shown.stderr
    listed = howdah("runs", cwd=tmp_path)
    assert listed.returncode == 0
    assert run.name in listed.stdout


def test_a_run_does_not_remove_its_own_input(tmp_path: Path) -> None:
    for suite in ("teragen", "terasort"):
        arguments = ["--rows", "1000"] if suite == "teragen" else []
        assert howdah("run", suite, *arguments, "--keep-data", cwd=tmp_path).returncode == 0
    before = tree(tmp_path)
    done = howdah("run", "terasort", "--input", "howdah-data/howdah/terasort", cwd=tmp_path)
    assert done.returncode == 2
    assert "where this run writes" in done.stderr
    again = howdah("run", "terasuite", "--rows", "1000", cwd=tmp_path)
    assert again.returncode == 2
    assert "data, kept from an earlier run, would be replaced" in again.stderr
    assert tree(tmp_path) == before


def test_rows_that_are_not_all_there_are_not_sorted(tmp_path: Path) -> None:
    assert howdah("run", "teragen", "--rows", "1000", "--keep-data", cwd=tmp_path).returncode == 0
    part = tmp_path / "howdah-data/howdah/teragen/part-m-00000"
    part.write_bytes(part.read_bytes()[:-100])
    done = howdah("run", "terasort", cwd=tmp_path)
    assert done.returncode == 2
    assert "999 of the 1,000 rows" in done.stderr


def test_an_input_given_twice_is_refused(tmp_path: Path) -> None:
    make_rows(tmp_path / "in/part-m-00000", 1000)
    done = howdah("run", "terasort", "--input", "in", "--input", "in/part-m-00000", cwd=tmp_path)
    assert done.returncode == 2
    assert "given twice" in done.stderr


def test_other_rows_are_not_held_against_teragens_record(tmp_path: Path) -> None:
    assert howdah("run", "teragen", "--rows", "1000", "--keep-data", cwd=tmp_path).returncode == 0
    make_rows(tmp_path / "in/part-m-00000", 700)
    assert howdah("run", "terasort", "--input", "in", "--keep-data", cwd=tmp_path).returncode == 0
    done = howdah("run", "teravalidate", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "checked their order but not their completeness" in done.stdout


def test_rows_elsewhere_are_held_against_the_record_beside_them(tmp_path: Path) -> None:
    """Sorted rows that were copied away with TeraGen's record: whole, a row short, with a row changed."""
    assert howdah("run", "terasuite", "--rows", "20k", "--keep-data", cwd=tmp_path).returncode == 0
    copied = tmp_path / "copied"
    shutil.copytree(tmp_path / "howdah-data/howdah/terasort", copied)
    (part,) = copied.glob("part-r-*")
    whole = part.read_bytes()

    def validated(*inputs: str) -> dict[str, Any]:
        words = [word for name in inputs for word in ("--input", name)]
        done = howdah("run", "teravalidate", *words, "--json", cwd=tmp_path)
        assert "Traceback" not in done.stderr
        found: dict[str, Any] = json.loads(done.stdout)["run"]
        return found

    def told(run: dict[str, Any]) -> tuple[bool, bool, bool]:
        """Whether it succeeded, was held against a record, and warned that it could not be."""
        (result,) = run["workloads"]
        unheld = any(one["code"] == "no-teragen-record" for one in run["warnings"])
        return run["outcome"] == "succeeded", result["expected_checksum"] is not None, unheld

    assert told(validated("copied")) == (True, True, False)
    part.write_bytes(whole[:-100])
    assert told(validated("copied")) == (False, True, False), "a row is missing, in order as the rest is"
    part.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert told(validated("copied")) == (False, True, False), "a row's last byte, which orders nothing"
    assert told(validated(str(part.relative_to(tmp_path)))) == (True, False, True), (
        "a file is a part of something"
    )
    (copied / "_TERAGEN").write_text('{"rows": 20')
    assert told(validated("copied")) == (True, False, True), "a record that was cut off"
