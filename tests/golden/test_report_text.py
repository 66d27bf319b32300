"""Markdown and terminal text of whole runs, held against files.

Set HOWDAH_UPDATE_GOLDEN=1 to write the files anew, then read the difference before committing it.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from howdah.analysis.analyse import analyse
from howdah.report.run import run_report
from howdah.report.terminal import terminal
from howdah.report.write import write_document
from support.reports import RUNS

pytestmark = pytest.mark.slow

FILES = Path(__file__).parent / "report"


def _held(name: str, text: str) -> None:
    path = FILES / name
    if os.environ.get("HOWDAH_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RUNS)
def test_terminal_text(name: str) -> None:
    run = RUNS[name]()
    written = io.StringIO()
    console = Console(file=written, width=100, color_system=None, highlight=False)
    console.print(terminal(run_report(run, analyse(run), drawn=False)))
    lines = [line.rstrip() for line in written.getvalue().splitlines()]
    _held(f"{name}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", ["terasuite", "spilled", "failed", "dfsio", "laboratory", "ycsb"])
def test_markdown(name: str, tmp_path: Path) -> None:
    run = RUNS[name]()
    write_document(run_report(run, analyse(run)), tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    _held(f"{name}.md", text)
    pictures = {line.split("(")[1].split(")")[0] for line in text.splitlines() if line.startswith("![")}
    assert pictures == {f"figures/{path.name}" for path in (tmp_path / "figures").iterdir()}
