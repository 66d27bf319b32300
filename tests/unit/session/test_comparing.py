"""Which runs a user means, and what is refused before anything is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.session.comparing import compare_runs, write_comparison
from support.comparing import stored_runs
from support.records import dfsio, failed, terasuite
from support.stored import write_run


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two configurations with two repeats each."""
    folder = tmp_path_factory.mktemp("runs")
    for run in stored_runs(2):
        write_run(folder, run)
    return folder


@pytest.fixture
def runs(stored: Path, tmp_path: Path) -> Path:
    """A copy of the folder that a test may spoil."""
    return Path(shutil.copytree(stored, tmp_path / "runs"))


@pytest.fixture(scope="module")
def spoilt(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder beside an empty one and one of runs that cannot be held against its own."""
    place = tmp_path_factory.mktemp("place")
    shutil.copytree(stored, place / "runs")
    (place / "empty").mkdir()
    for name, run in (("f", failed()), ("d", dfsio()), ("s", terasuite(50_000_000))):
        write_run(place / "bad", run._replace(record=run.record.model_copy(update={"id": name})))
    return place


@pytest.fixture(autouse=True)
def _here(spoilt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(spoilt)


def _groups(names: list[str], runs_dir: Path, baseline: str | None = None) -> list[list[str]]:
    comparison = compare_runs(names, baseline, runs_dir).comparison
    return [[run.run[-11:-10] for run in group.runs] for group in comparison.groups]


def test_a_folder_is_all_its_runs(runs: Path) -> None:
    assert _groups([str(runs)], runs) == [["0", "1"], ["2", "3"]]


def test_runs_are_named_by_id_by_its_beginning_and_by_path(runs: Path) -> None:
    assert _groups(["20261120-1712", str(runs / "20261120-1710-terasuite")], runs) == [["2"], ["0"]]
    assert _groups(["last", "20261120-1710-terasuite"], runs) == [["3"], ["0"]]


def test_the_baseline_is_added_where_it_is_not_among_them(runs: Path) -> None:
    assert _groups(["20261120-1710"], runs, "20261120-1712") == [["2"], ["0"]]
    assert _groups([str(runs)], runs, "20261120-1712") == [["2", "3"], ["0", "1"]]


def test_a_run_that_is_named_twice_counts_once(runs: Path) -> None:
    first = str(runs / "20261120-1710-terasuite")
    assert _groups([first, "20261120-1710", str(runs)], runs) == [["0", "1"], ["2", "3"]]


def test_runs_of_one_id_in_two_folders_are_two_runs(runs: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(runs, tmp_path / "other"))
    compared = compare_runs([str(runs), str(other)], None, runs)
    assert [len(group.runs) for group in compared.comparison.groups] == [4, 4]
    assert len(compared.paths) == 8


def test_other_things_in_a_folder_are_passed_over(runs: Path) -> None:
    (runs / "notes").mkdir()
    (runs / "notes.txt").write_text("ours")
    assert len(compare_runs([str(runs)], None, runs).comparison.refused) == 0


def test_a_damaged_record_in_a_folder_is_said_and_left_out(runs: Path) -> None:
    (runs / "20261120-1713-terasuite" / "run.json").write_text("{")
    comparison = compare_runs([str(runs)], None, runs).comparison
    (refused,) = comparison.refused
    assert refused.what.endswith("20261120-1713-terasuite")
    assert "damaged" in refused.why


def test_records_of_mixed_versions_are_said_and_left_out(runs: Path) -> None:
    path = runs / "20261120-1713-terasuite" / "run.json"
    path.write_text(path.read_text().replace('"schema_version": 2', '"schema_version": 99'))
    (refused,) = compare_runs([str(runs)], None, runs).comparison.refused
    assert "schema_version 99 is newer" in refused.why
    # One that is named is an error.
    with pytest.raises(UserError, match="schema_version 99 is newer"):
        compare_runs([str(path.parent), "20261120-1710"], None, runs)


def test_what_few_of_a_folder_did_is_passed_over_and_said(runs: Path) -> None:
    other = dfsio()
    # It is the oldest of them.
    write_run(runs, other._replace(record=other.record.model_copy(update={"id": "20260101-0000-dfsio"})))
    comparison = compare_runs([str(runs)], None, runs).comparison
    assert [len(group.runs) for group in comparison.groups] == [2, 2]
    (refused,) = comparison.refused
    assert refused.what == "20260101-0000-dfsio"
    assert refused.why == "it ran dfsio, the baseline terasuite"


def test_the_first_that_succeeded_is_a_folders_baseline(runs: Path) -> None:
    bad = failed()
    record = bad.record.model_copy(
        update={"id": "20261101-0000-terasuite", "created": "2026-11-01T00:00:00Z"}
    )
    write_run(runs, bad._replace(record=record))
    comparison = compare_runs([str(runs)], None, runs).comparison
    assert comparison.groups[0].runs[0].run == "20261120-1710-terasuite"
    assert comparison.refused[0].why.startswith("it failed: /srv/howdah/part-r-00003")


@pytest.mark.parametrize(
    ("names", "baseline", "says", "hint"),
    [
        (["20261120-1710"], None, "only 20261120-1710-terasuite can be compared", "two runs or more"),
        (["nope", "20261120-1710"], None, "nope: no such run", "the newest are"),
        (["bad/f/run.json", "20261120-1710"], None, "bad/f/run.json: is a file", "a run's directory"),
        (["empty"], None, "empty: contains no runs", "a folder of runs"),
        (["20261120-1710"], "runs", "--baseline runs: is a folder of runs", "give one run"),
        (["bad/f", "20261120-1710"], None, "cannot be a baseline: it failed", "--baseline"),
        (
            ["20261120-1710", "bad/f"],
            None,
            "cannot be compared with 20261120-1710-terasuite: it failed",
            "successful runs",
        ),
        (
            ["20261120-1710", "bad/d"],
            None,
            "it ran dfsio, the baseline terasuite",
            "compare successful runs of the same suite and dataset size",
        ),
        (
            ["20261120-1710", "bad/s"],
            None,
            "different dataset size: 50,000,000 rows",
            "compare successful runs of the same suite and dataset size",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_message(
    names: list[str], baseline: str | None, says: str, hint: str, spoilt: Path
) -> None:
    with pytest.raises(UserError) as caught:
        compare_runs(names, baseline, spoilt / "runs")
    assert says in str(caught.value)
    assert hint in caught.value.hint
    assert caught.value.exit_code == 2


def test_a_page_is_written(runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "a" / "comparison"
    page = write_comparison(compare_runs([str(runs)], None, runs), out)
    assert page == out / "compare.html"
    assert page.stat().st_size < 3_000_000
    markdown = (out / "compare.md").read_text()
    pictures = {line.split("(")[1].split(")")[0] for line in markdown.splitlines() if line.startswith("![")}
    assert pictures == {f"figures/{path.name}" for path in (out / "figures").iterdir()}
    assert {"figures/ratios.svg", "figures/repeats-1.svg", "figures/over-time-0.svg"} <= pictures


def test_a_page_that_cannot_be_written_is_one_message(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UserError, match=r"--output .*file: cannot be written"):
        write_comparison(compare_runs([str(runs)], None, runs), tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
