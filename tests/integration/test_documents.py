"""The commands of README and of the tutorial, run as they are printed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.command import environment
from support.daemons import FETCH, LIB
from support.documents import PrintedCommand, headings, printed_commands, run_printed, section

ROOT = Path(__file__).parents[2]
TUTORIAL = (ROOT / "docs/tutorial.md").read_text()
LAB = ("Build it as a lab", "Kill a worker during the sort")
CACHE = LIB.parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a reader has: the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def _tutorial(*, lab: bool) -> list[PrintedCommand]:
    sections = [section(TUTORIAL, name) for name in headings(TUTORIAL) if (name in LAB) == lab]
    return [command for text in sections for command in printed_commands(text)]


def test_the_five_minutes_of_readme_work_as_printed(folder: Path) -> None:
    commands = list(printed_commands((ROOT / "README.md").read_text()))
    programs = [command.line.split()[1] for command in commands]
    assert programs == ["run", "plan", "plan", "render", "check", "predict"]
    for command in commands:
        printed = run_printed(command, folder).splitlines()
        if not command.line.startswith("howdah run "):
            missing = [line for line in command.shown if line not in printed]
            assert not missing, f"$ {command.line} does not print this"
    if (ROOT / ".git").exists():
        written = [path.name for path in folder.iterdir() if path.name != "examples"]
        assert {"conf", "plan.yaml", "plan.html", "predictions", "runs"} <= set(written)
        for name in written:
            ignored = subprocess.run(
                ["git", "check-ignore", "--quiet", f"{name}/file"], cwd=ROOT, check=False
            )
            assert ignored.returncode == 0, f"{name} would make a clone dirty"


def test_the_tutorial_up_to_its_lab_works_as_printed(folder: Path) -> None:
    commands = _tutorial(lab=False)
    assert len(commands) >= 10
    for command in commands:
        run_printed(command, folder)


@pytest.mark.exam("tutorial")
@pytest.mark.xdist_group("laboratory")
@pytest.mark.skipif(os.geteuid() != 0, reason="a lab with links and limits is built by root")
@pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}")
def test_the_tutorial_with_its_lab_works_as_printed(folder: Path) -> None:
    env = {**environment(), "HOWDAH_CACHE": str(CACHE)}
    try:
        for command in [*_tutorial(lab=False), *_tutorial(lab=True)]:
            run_printed(command, folder, env=env, timeout_s=900)
    finally:
        run_printed(PrintedCommand("howdah lab down", 0, ()), folder, env=env)
    last = max((folder / "runs").iterdir(), key=lambda path: path.stat().st_mtime)
    assert "h1-1" in (last / "report.md").read_text()
