"""What ``howdah lab`` refuses, each in one message and before anything is made."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from howdah.documents.files import write_document
from howdah.model.plan import WorkerPlan
from support.command import environment, howdah
from support.lab_traces import traces
from support.labs import lab_plan, save_plan

NAME = f"refused-{os.getpid()}"


def lab(*words: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run ``howdah lab`` with the laboratory's name."""
    command, *rest = words
    return howdah("lab", command, "--name", NAME, *rest, cwd=cwd, env={**environment(), **variables})


def _refused(done: subprocess.CompletedProcess[str], cwd: Path, *words: str) -> None:
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert traces(NAME, cwd / "build" / NAME) == []
    assert not (cwd / "build").exists()


def test_a_plan_of_one_machine_has_no_laboratory(tmp_path: Path) -> None:
    alone = WorkerPlan(platform="native", workers=(), settings=())
    (tmp_path / "plan.yaml").write_text(write_document(alone))
    _refused(lab("up", "plan.yaml", cwd=tmp_path), tmp_path, "howdah plan")


def test_a_secure_plan_needs_what_no_laboratory_has(tmp_path: Path) -> None:
    save_plan(lab_plan(secure=True), tmp_path)
    _refused(lab("up", "plan.yaml", cwd=tmp_path), tmp_path, "key distribution centre", "without --secure")


def test_a_directory_that_holds_anything_is_left_alone(tmp_path: Path) -> None:
    save_plan(lab_plan(), tmp_path)
    done = lab("up", "plan.yaml", "--dir", ".", cwd=tmp_path)
    _refused(done, tmp_path, "is not empty")
    assert (tmp_path / "plan.yaml").exists()


def test_missing_jars_are_told_with_the_command_that_fetches_them(tmp_path: Path) -> None:
    save_plan(lab_plan(), tmp_path)
    done = lab("up", "plan.yaml", cwd=tmp_path, HOWDAH_CACHE=str(tmp_path / "empty"), HADOOP_HOME="")
    _refused(done, tmp_path, "howdah hadoop fetch")


def test_missing_java_is_told(tmp_path: Path) -> None:
    save_plan(lab_plan(), tmp_path)
    done = lab("up", "plan.yaml", cwd=tmp_path, JAVA_HOME=str(tmp_path))
    _refused(done, tmp_path, "JAVA_HOME", "has no bin/java")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--hosts", "7"), "--hosts 7"),
        (("--hosts", "some"), "--hosts"),
        (("--link", "fast"), "--link"),
        (("--link", "1GB/s"), "--link"),
    ],
)
def test_limits_that_cannot_be_are_told(tmp_path: Path, flags: tuple[str, ...], said: str) -> None:
    save_plan(lab_plan(), tmp_path)
    _refused(lab("up", "plan.yaml", *flags, cwd=tmp_path), tmp_path, said)


def test_a_name_that_would_lead_elsewhere_is_told(tmp_path: Path) -> None:
    save_plan(lab_plan(), tmp_path)
    _refused(lab("up", "plan.yaml", "--name", "../lab", cwd=tmp_path), tmp_path, "--name")


@pytest.mark.parametrize("words", [("status",), ("ssh", "h1-1"), ("kill", "h1-1"), ("start", "h1-1")])
def test_there_is_nothing_to_do_where_there_is_no_laboratory(tmp_path: Path, words: tuple[str, ...]) -> None:
    _refused(lab(*words, cwd=tmp_path), tmp_path, f'lab "{NAME}": is not up', "howdah lab up PLAN")


@pytest.mark.parametrize("words", [("down",), ("status",), ("up", "plan.yaml"), ("kill", "h1-1", "datanode")])
def test_a_laboratory_s_name_given_as_an_argument_is_told_as_a_flag(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    _refused(lab(*words, "mine", cwd=tmp_path), tmp_path, "mine: is an unexpected argument", "--name mine")


def test_a_way_to_be_lost_that_there_is_not_is_told(tmp_path: Path) -> None:
    done = lab("kill", "h1-1", "--how", "fire", cwd=tmp_path)
    _refused(done, tmp_path, "--how: unknown value 'fire'", "one of process, host")


def test_taking_down_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    for _ in range(2):
        done = lab("down", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, f'there is no lab "{NAME}"\n')
    assert json.loads(lab("down", "--json", cwd=tmp_path).stdout) == {
        "name": NAME,
        "found": False,
        "left": [],
    }
    assert traces(NAME, tmp_path) == [str(tmp_path)]
