"""``howdah compare`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import howdah, tree
from support.comparing import stored_runs
from support.stored import write_run


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with two configurations in ``runs``, three repeats each."""
    folder = tmp_path_factory.mktemp("place")
    for run in stored_runs(3):
        write_run(folder / "runs", run)
    return folder


def test_the_answer_comes_first(place: Path) -> None:
    done = howdah("compare", "runs", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    kicker, answer, *rest = done.stdout.splitlines()
    assert kicker == "terasuite · 6 runs in 2 groups · baseline map slots per worker 2 · measured"
    assert answer.startswith("With map slots per worker 8, terasort takes 19 % more time than")
    assert "more time" in answer
    text = "\n".join(rest)
    assert "What changed" in text
    assert "slower" in text
    assert "native" not in text  # what did not change is not told


def test_json_is_the_whole_comparison(place: Path) -> None:
    done = howdah("compare", "20261120-1710", "20261120-1713", "--json", cwd=place)
    said = json.loads(done.stdout)
    assert said["baseline"] == "map slots per worker 2"
    assert {one["verdict"] for one in said["against"][0]["times"]} == {"cannot tell"}
    assert "one run on each side" in said["against"][0]["times"][0]["why"]


def test_output_writes_a_page_and_says_where(place: Path, tmp_path: Path) -> None:
    done = howdah("compare", "runs", "--output", tmp_path / "out", cwd=place)
    assert done.stdout.splitlines()[-1] == f"page  {tmp_path / 'out' / 'compare.html'}"
    assert {"out/compare.html", "out/compare.md", "out/figures/ratios.svg"} <= tree(tmp_path)
    assert json.loads(howdah("compare", "runs", "--json", "-o", tmp_path / "out", cwd=place).stdout)[
        "page"
    ] == str(tmp_path / "out" / "compare.html")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "RUN: is missing"),
        (("nope", "last"), "nope: no such run in runs"),
        (("last",), "only 20261120-1715-terasuite can be compared"),
        (("runs", "--baseline", "runs"), "--baseline runs: is a folder of runs"),
    ],
)
def test_bad_input_is_one_message_and_exit_2(place: Path, arguments: tuple[str, ...], says: str) -> None:
    before = tree(place)
    done = howdah("compare", *arguments, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert tree(place) == before
