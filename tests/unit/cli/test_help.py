"""Help: short for a screen, whole on request, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.cli import lab, main
from howdah.cli.lazy import COMMANDS, load_command

LINES = 60
"""The most lines of a command's short help at 80 columns."""


def _words() -> Iterator[list[str]]:
    """Every command line that has help of its own."""
    yield []
    for name in COMMANDS:
        command = load_command(name)
        yield name.split()
        yield from ([*name.split(), below] for below in getattr(command, "commands", {}))


def _help(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *words: str) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.argv", ["howdah", *words])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert not ended.value.code
    return capfd.readouterr().out


@pytest.mark.parametrize("words", list(_words()), ids=" ".join)
def test_the_short_help_fits_a_screen_and_the_whole_one_has_every_option(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    short = _help(monkeypatch, capfd, *words, "--help")
    assert len(short.splitlines()) <= LINES
    assert re.search(r"<\w+>|\u2026\s*$|[ \t]$", short, re.MULTILINE) is None, "types, clips, blanks"
    options, _, examples = short.partition("\nExamples\n")
    assert max(map(len, options.splitlines())) <= 80
    assert examples.lstrip().startswith(("howdah", "# ", "HADOOP_HOME", "LC_ALL"))
    whole = _help(monkeypatch, capfd, *words, "--help-all")
    flags = re.compile(r"^  (?:-\w, )?(--[\w-]+)", re.MULTILINE)
    assert set(flags.findall(short)) <= set(flags.findall(whole))
    more = re.search(r"^(\d+) more options?", short, re.MULTILINE)
    hidden = len(set(flags.findall(whole)) - set(flags.findall(short)))
    assert hidden == (int(more[1]) if more else 0)


def test_plain_howdah_shows_the_way(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shown = _help(monkeypatch, capfd)
    assert "howdah run terasuite  # measures this machine and writes a report" in shown
    headings = re.findall(r"^(?:Plan|Build|Measure|Predict)[\w ]*$", shown, re.MULTILINE)
    assert headings == ["Plan a cluster", "Build it", "Measure it", "Predict and compare"]


def test_the_plan_of_a_lab_is_that_of_the_tutorial() -> None:
    """``test_documents.py`` runs the tutorial's commands."""
    tutorial = (Path(__file__).parents[3] / "docs/tutorial.md").read_text()
    assert f"$ {lab.EXAMPLES.splitlines()[1]}\n" in tutorial
