"""Runs that are stopped or killed: a readable record, and a clean start for the next run."""

from __future__ import annotations

import json
import random
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from howdah.store.reader import read_run
from support.command import HOWDAH, environment, howdah, tree
from support.patience import PATIENCE_S

ROWS = "3M"


SORT = ("terasuite", "--rows", ROWS, "--memory", "320MiB")
ASK = ("ycsb", "--records", "20k", "--operations", "1M", "--target", "20k")


def start(cwd: Path, suite: tuple[str, ...] = SORT) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [HOWDAH, "run", *suite],
        cwd=cwd,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_record(cwd: Path) -> Path:
    for _ in range(30_000):
        found = list((cwd / "runs").glob("2*/run.json"))
        if found:
            return found[0].parent
        time.sleep(0.01)
    raise AssertionError("the run made no record")


@pytest.mark.parametrize("suite", [SORT, ASK], ids=["sort", "ask"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_leaves_a_readable_record_and_no_data(
    tmp_path: Path, number: signal.Signals, suite: tuple[str, ...]
) -> None:
    child = start(tmp_path, suite)
    run = wait_for_record(tmp_path)
    time.sleep(0.5)
    child.send_signal(number)
    _, complaint = child.communicate(timeout=PATIENCE_S)
    assert child.returncode == 130
    assert "stopped by the user" in complaint
    assert "Traceback" not in complaint
    assert json.loads((run / "run.json").read_text())["outcome"] == "aborted"
    assert (run / "report.html").exists()
    assert not (tmp_path / "howdah-data").exists()


def test_a_command_that_is_stopped_while_it_asks_a_cluster_says_so(tmp_path: Path) -> None:
    # Connections are taken up by the kernel, and nobody ever answers.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        (tmp_path / "core-site.xml").write_text(
            "<configuration><property><name>fs.defaultFS</name><value>hdfs://127.0.0.1:8020</value></property>"
            "<property><name>dfs.namenode.http-address</name>"
            f"<value>127.0.0.1:{silent.getsockname()[1]}</value></property></configuration>"
        )
        child = subprocess.Popen(
            [HOWDAH, "inventory", "import", "--conf", tmp_path],
            cwd=tmp_path,
            env=environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        connection, _ = silent.accept()
        with connection:
            child.send_signal(signal.SIGINT)
            _, complaint = child.communicate(timeout=PATIENCE_S)
    assert (child.returncode, complaint) == (130, "error: stopped by the user\n")


def test_runs_killed_at_random_moments_read_as_aborted_and_the_next_starts_clean(tmp_path: Path) -> None:
    moments = random.Random(20261120)
    for _ in range(5):
        before = set((tmp_path / "runs").glob("2*"))
        child = start(tmp_path)
        while not set((tmp_path / "runs").glob("2*")) - before and child.poll() is None:
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 2))
        child.kill()
        child.communicate(timeout=PATIENCE_S)
    listed = json.loads(howdah("runs", "--json", cwd=tmp_path).stdout)
    assert len(listed) == 5
    assert all(run["error"] is None for run in listed)
    assert {run["outcome"] for run in listed} <= {"aborted", "succeeded"}
    assert "aborted" in {run["outcome"] for run in listed}
    for run in listed:
        assert howdah("runs", "report", run["id"], cwd=tmp_path).returncode == 0
    done = howdah("run", "terasuite", "--rows", "100k", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # The killed runs' empty data directory may stay: the run that ended well did not make it.
    assert {path for path in tree(tmp_path) if path.startswith("howdah-data")} <= {"howdah-data"}


def test_a_killed_run_of_operations_keeps_their_times_and_no_table_that_was_not_whole(tmp_path: Path) -> None:
    kept = howdah("run", "ycsb-load", "--records", "20k", "--keep-data", cwd=tmp_path)
    assert kept.returncode == 0, kept.stderr
    before = set((tmp_path / "runs").glob("2*"))
    child = start(tmp_path, ("ycsb-a", "--operations", "1M", "--target", "5k", "--warm-up", "0.1"))
    while not set((tmp_path / "runs").glob("2*")) - before and child.poll() is None:
        time.sleep(0.01)
    time.sleep(4)
    child.kill()
    child.communicate(timeout=PATIENCE_S)
    [run] = set((tmp_path / "runs").glob("2*")) - before
    timed = read_run(run).latencies
    assert set(timed["operation"].to_pylist()) >= {"read", "update", "read, intended"}
    refused = howdah("run", "ycsb-b", cwd=tmp_path)
    assert refused.returncode == 2
    assert "contains a table that an interrupted or failed run left behind" in refused.stderr
    # What the killed run of a load left goes when the next one begins.
    child = start(tmp_path, ("ycsb-load", "--records", "3M", "--data-dir", str(tmp_path)))
    time.sleep(3)
    child.kill()
    child.communicate(timeout=PATIENCE_S)
    done = howdah("run", "ycsb-load", "--records", "1k", "--data-dir", str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "howdah" / "ycsb").exists()


def test_a_damaged_output_fails_validation(tmp_path: Path) -> None:
    kept = howdah("run", "terasuite", "--rows", "100k", "--keep-data", cwd=tmp_path)
    assert kept.returncode == 0, kept.stderr
    part = sorted((tmp_path / "howdah-data/howdah/terasort").glob("part-r-*"))[0]
    content = bytearray(part.read_bytes())
    content[5050] ^= 1
    part.write_bytes(content)
    done = howdah("run", "teravalidate", cwd=tmp_path)
    assert done.returncode == 1
    assert "checksum" in done.stderr
    assert "report" in done.stdout


def test_generate_sort_and_validate_apart(tmp_path: Path) -> None:
    for suite in ("teragen", "terasort", "teravalidate"):
        arguments = ["--rows", "50k"] if suite == "teragen" else []
        done = howdah("run", suite, *arguments, "--keep-data", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert "matches" in done.stdout


def test_json_is_all_that_is_printed(tmp_path: Path) -> None:
    done = howdah("run", "terasuite", "--rows", "50k", "--json", "--seed", "5", cwd=tmp_path)
    content = json.loads(done.stdout)
    assert content["run"]["seed"] == 5
    assert content["run"]["outcome"] == "succeeded"
    assert Path(tmp_path, content["report"]).exists()
    assert done.stderr == ""


def test_quiet_prints_the_reports_path_alone(tmp_path: Path) -> None:
    done = howdah("run", "pi", "--samples", "1k", "--quiet", cwd=tmp_path)
    assert (tmp_path / done.stdout.strip()).name == "report.html"
    assert done.stdout.count("\n") == 1


def test_an_exported_run_gives_the_same_report_elsewhere(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    assert howdah("run", "terasuite", "--rows", "50k", cwd=here).returncode == 0
    assert howdah("runs", "export", "last", "../run.howdah", cwd=here).returncode == 0
    done = howdah("runs", "import", "../run.howdah", cwd=there)
    assert done.returncode == 0, done.stderr
    (first,) = (here / "runs").glob("2*/report.html")
    assert Path(there, done.stdout.strip()).read_bytes() == first.read_bytes()


def test_several_data_directories_share_the_data_evenly(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    dirs = [argument for name in "abc" for argument in ("--data-dir", name)]
    done = howdah("run", "terasuite", "--rows", "90k", "--maps", "9", "--keep-data", *dirs, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    counts = [len(list((tmp_path / name).rglob("part-m-*"))) for name in "abc"]
    assert counts == [3, 3, 3]


def test_more_files_than_the_usual_limit_of_open_ones(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -Sn 256 && exec "$0" run terasuite --rows 30k --maps 400', HOWDAH],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
