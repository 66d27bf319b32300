"""What the command line says, word by word, and where its options are heard."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from howdah.store.reader import read_record
from support import records
from support.command import HOWDAH, environment, howdah, tree
from support.stored import as_begun, sample_ticks, write_killed_run, write_run


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A directory with a run in ``kept/``, which is not where howdah looks by itself."""
    write_run(tmp_path / "kept", records.terasuite())
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["runs", "--runs-dir", "kept"],
        ["runs", "--runs-dir", "kept", "list"],
        ["runs", "list", "--runs-dir", "kept"],
        ["runs", "--runs-dir", "elsewhere", "list", "--runs-dir", "kept"],
        ["runs", "--runs-dir", "kept", "show", "last"],
        ["runs", "--runs-dir", "kept", "report", "last"],
        ["runs", "--runs-dir", "kept", "export", "last"],
    ],
)
def test_runs_dir_is_heard_wherever_it_is_given(stored: Path, arguments: Sequence[str]) -> None:
    done = howdah(*arguments, cwd=stored)
    assert done.returncode == 0, done.stderr
    assert "terasuite" in done.stdout


def test_an_import_goes_where_runs_dir_says(stored: Path) -> None:
    assert howdah("runs", "export", "last", "x.howdah", "--runs-dir", "kept", cwd=stored).returncode == 0
    done = howdah("runs", "--runs-dir", "imported", "import", "x.howdah", cwd=stored)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("imported/")
    assert not (stored / "runs").exists()


def test_the_option_is_stronger_than_the_environment(stored: Path) -> None:
    elsewhere = {**environment(), "HOWDAH_RUNS_DIR": "elsewhere"}
    done = howdah("runs", "--runs-dir", "kept", "list", cwd=stored, env=elsewhere)
    assert "terasuite" in done.stdout, done.stderr


def test_json_is_heard_before_a_subcommand_or_refused(stored: Path) -> None:
    listed = howdah("runs", "--json", "--runs-dir", "kept", "list", cwd=stored)
    assert [run["suite"] for run in json.loads(listed.stdout)] == ["terasuite"]
    shown = howdah("runs", "--json", "--runs-dir", "kept", "show", "last", cwd=stored)
    assert json.loads(shown.stdout)["run"]["suite"]["name"] == "terasuite"
    refused = howdah("runs", "--json", "report", "last", cwd=stored)
    assert refused.returncode == 2
    assert "--json" in refused.stderr


@pytest.mark.parametrize("line", ["runs --runs-dir kept show ", "runs show --runs-dir kept ", "runs show "])
def test_completion_offers_the_runs_of_the_directory_that_is_meant(stored: Path, line: str) -> None:
    words = f"howdah {line}"
    asked = {"_HOWDAH_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    if "kept" not in line:
        asked["HOWDAH_RUNS_DIR"] = "kept"
    done = subprocess.run(
        [HOWDAH], cwd=stored, env={**environment(), **asked}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["last", "20261120-1714-terasuite"]


def test_showing_json_writes_nothing(stored: Path) -> None:
    before = tree(stored)
    shown = howdah("runs", "show", "last", "--json", "--runs-dir", "kept", cwd=stored)
    assert "report" not in json.loads(shown.stdout)
    assert tree(stored) == before
    assert howdah("runs", "report", "last", "--runs-dir", "kept", cwd=stored).returncode == 0
    page = stored / "kept/20261120-1714-terasuite/report.html"
    page.write_text("somebody's own")
    shown = howdah("runs", "show", "last", "--json", "--runs-dir", "kept", cwd=stored)
    assert json.loads(shown.stdout)["report"] == str(page.relative_to(stored))
    assert page.read_text() == "somebody's own"


def test_one_unreadable_record_leaves_the_others_their_columns(stored: Path) -> None:
    bad = write_run(stored / "kept", records.pi())
    content = json.loads((bad / "run.json").read_text())
    (bad / "run.json").write_text(json.dumps({**content, "schema_version": 99}))
    lines = howdah("runs", "--runs-dir", "kept", cwd=stored).stdout.splitlines()
    assert lines[0].split() == ["run", "outcome", "suite", "engine", "origin", "elapsed"]
    assert lines[1].startswith("20261120-1714-terasuite  succeeded  terasuite  local   measured")
    assert lines[2].startswith("unreadable  ")
    assert str(Path("kept", bad.name, "run.json")) in lines[2]
    assert lines[2].endswith("schema_version 99 is newer than this howdah supports (2)")
    assert lines[3].strip() == "read it with the version of howdah that wrote it, or a newer one"
    assert len(lines) == 4


def test_a_killed_run_is_listed_with_the_time_it_went_on(tmp_path: Path) -> None:
    data = records.terasuite()
    path = write_killed_run(tmp_path / "runs", data._replace(record=as_begun(data.record, elapsed_s=0.0)))
    (run,) = json.loads(howdah("runs", "--json", cwd=tmp_path).stdout)
    assert run["elapsed_s"] == max(one.time_s for tick in sample_ticks(data.samples) for one in tick)
    assert read_record(path).elapsed_s == run["elapsed_s"]


def test_a_run_killed_before_its_first_sample_has_no_time(tmp_path: Path) -> None:
    data = records.pi()
    begun = as_begun(data.record, elapsed_s=0.0, preparation=())
    write_killed_run(
        tmp_path / "runs", data._replace(record=begun, tasks=data.tasks[:0], samples=data.samples[:0])
    )
    (run,) = json.loads(howdah("runs", "--json", cwd=tmp_path).stdout)
    assert run["elapsed_s"] is None
    assert howdah("runs", cwd=tmp_path).stdout.splitlines()[1].endswith(" –")


def test_in_a_pipe_a_shown_run_has_whole_lines_without_trailing_spaces(tmp_path: Path) -> None:
    path = write_run(tmp_path / "runs", records.with_warnings())
    shown = howdah("runs", "show", path.name, cwd=tmp_path).stdout.splitlines()
    assert [line for line in shown if line != line.rstrip()] == []
    (warning,) = (line for line in shown if "Direct I/O was refused" in line)
    assert warning.endswith("so rates may be the memory's and not the disk's.")


def test_dfsio_says_its_figures_and_where_its_log_is(tmp_path: Path) -> None:
    done = howdah("run", "dfsio", "--files", "2", "--file-size", "1MiB", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "TestDFSIO_results.log").read_text()
    assert str(tmp_path / "TestDFSIO_results.log") in done.stdout
    throughputs = [line.split()[-1] for line in log.splitlines() if "Throughput" in line]
    assert len(throughputs) == 2
    said = done.stdout.replace(",", "")
    for value in throughputs:
        assert f"throughput {float(value):.2f} MB/s" in said
    for figure in ("average I/O rate", "standard deviation", "2 files in"):
        assert said.count(figure) == 2


def test_kept_data_is_said_to_lie_where_it_lies(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    dirs = ["--data-dir", "a", "--data-dir", "b"]
    done = howdah("run", "teragen", "--rows", "200k", "--keep-data", *dirs, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert f"data    {tmp_path / 'a/howdah'} (teragen)" in lines
    assert f"{tmp_path / 'b/howdah'} (teragen)" in lines
    gone = howdah("run", "pi", "--samples", "10", cwd=tmp_path)
    assert "data " not in gone.stdout


def test_storage_is_rated_as_its_report_rates_it(tmp_path: Path) -> None:
    done = howdah("run", "storage", "--files", "2", "--file-size", "4MiB", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("  storage"))
    shown = howdah("runs", "show", "last", cwd=tmp_path).stdout.splitlines()
    row = next(line for line in shown if "over the files' own I/O time" in line)
    assert line.split()[3:5] == row.split()[3:5]
    assert line.split()[4].endswith("B/s")


def test_one_of_a_kind_is_singular_and_thousands_are_separated(tmp_path: Path) -> None:
    one = howdah("run", "pi", "--maps", "1", "--samples", "1", cwd=tmp_path)
    assert "plan    1 map × 1 sample · " in one.stdout
    sort = howdah("run", "terasuite", "--rows", "1k", "--maps", "1", "--reduces", "1", cwd=tmp_path)
    assert "1,000 rows · 100 kB · 1 map, 1 reduce · " in sort.stdout


@pytest.mark.parametrize("words", [(), ("lab",), ("inventory",), ("hadoop",)])
def test_what_only_has_commands_prints_its_help_and_no_error(words: tuple[str, ...], tmp_path: Path) -> None:
    done = howdah(*words, cwd=tmp_path)
    assert done.returncode == 0
    assert "Usage" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "what", "hint"),
    [
        (["--codec", "zip"], "--codec: 'zip' is not a valid codec", "one of none, lz4, snappy, zstd"),
        (["--seed", "-1"], "--seed: '-1' is not a seed", "give a whole number from 0 to 9223372036854775807"),
        (["--seed", "9" * 19], f"--seed: '{'9' * 19}' is not a seed", "give a whole number from 0 to"),
        (["--seed", "9" * 5000], "--seed: '9999", "give a whole number from 0 to"),
        (["--sample-interval", "0.01"], "--sample-interval: 0.01 s", "give seconds from 0.1 to 3600"),
        (
            ["--sample-interval", "nan"],
            "--sample-interval: 'nan' is not a number",
            "give seconds from",
        ),
        (["--sample-interval", "1 Hz"], "--sample-interval: '1 Hz' is not a number", "give seconds from"),
        (["--maps", "some"], "--maps: 'some' is not a quantity", "give for instance"),
        (["--files", "1.5"], "--files: '1.5' is not a whole number", "give for instance"),
        (["--rowz", "5"], "--rowz: unknown option", "did you mean --rows"),
    ],
)
def test_a_wrong_value_is_said_in_howdahs_words(
    tmp_path: Path, arguments: Sequence[str], what: str, hint: str
) -> None:
    done = howdah("run", "terasuite", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    first, second = done.stderr.splitlines()
    assert first.startswith(f"error: {what}")
    assert second.strip().startswith(hint)
    assert "Value error" not in first
    assert "Input should" not in first


def test_another_shells_completion_is_refused_with_the_way_to_get_it(tmp_path: Path) -> None:
    done = howdah("--show-completion", "zsh", cwd=tmp_path)
    assert done.returncode == 2
    assert "'zsh'" in done.stderr
    told = subprocess.run(
        [HOWDAH],
        env={**os.environ, "_HOWDAH_COMPLETE": "source_zsh"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_HOWDAH_COMPLETE=source_zsh" in done.stderr
    assert told.stdout.lstrip().startswith("#compdef howdah")


@pytest.mark.parametrize(("typed", "meant"), [("paln", "plan"), ("rusn", "runs"), ("chekc", "check")])
def test_a_mistyped_command_is_told_the_nearest(typed: str, meant: str, tmp_path: Path) -> None:
    done = howdah(typed, cwd=tmp_path)
    assert done.returncode == 2
    assert f"error: {typed}: unknown command" in done.stderr
    assert f"did you mean {meant}" in done.stderr
