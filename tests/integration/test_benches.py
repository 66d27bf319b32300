"""The benches themselves, on little data: what they write, what they refuse, what they leave behind."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benches import predicting, serving, simulator
from benches.cache import drop_from_cache
from benches.coder_speed import measured
from benches.command import ratio_of
from benches.contestant import PEERS, Contestant, Output, limit, ours, peer
from benches.limit import WORKS
from benches.ours.sort import PROCESS_BYTES, slots_of
from benches.process import ProcessFailed, run_process
from benches.race import Course, Input, Start, Wrong
from benches.result import Case, Goal, Turn
from benches.rows import KEY_BYTES, KEYS, write_rows
from benches.simgrid import simgrid
from benches.sizes import Request
from benches.task import ROW_BYTES
from benches.workspace import open_workspace

from howdah import _native
from howdah.engines.local.work import sort_needs
from howdah.errors import UserError
from support.patience import PATIENCE_S

REPOSITORY = Path(__file__).parents[2]
pytestmark = pytest.mark.exam("benches")

ROWS = 20_000
AMPLE_BYTES = 2**30


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Course]:
    with open_workspace(tmp_path / "context") as workspace:
        yield Course(workspace, threads=2, repeats=1, tell=lambda text: None)


def benches(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m benches`` as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "benches", "--dir", str(folder), *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


def results(folder: Path) -> list[dict[str, Any]]:
    (path,) = folder.glob("*.json")
    found: list[dict[str, Any]] = json.loads(path.read_text())["results"]
    return found


class TestRows:
    @pytest.mark.parametrize("keys", KEYS)
    def test_are_lines_of_a_hundred_bytes_numbered_from_zero(self, keys: str, tmp_path: Path) -> None:
        # More than one chunk, and no whole number of them.
        rows = 120_001
        write_rows(tmp_path / "rows", keys, rows)
        lines = (tmp_path / "rows").read_bytes().split(b"\n")
        assert lines.pop() == b""
        assert {len(line) + 1 for line in lines} == {ROW_BYTES}
        numbers = [int(line[KEY_BYTES : KEY_BYTES + 32], 16) for line in lines]
        assert numbers == list(range(rows))
        assert not set(b"".join(lines)) & set(b"\"',\\\r\t\x01 ")

    def test_are_the_same_every_time(self, tmp_path: Path) -> None:
        for name in ("one", "other"):
            write_rows(tmp_path / name, "skewed", ROWS)
        assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()

    def test_have_the_distribution_they_are_named_for(self, tmp_path: Path) -> None:
        keys: dict[str, list[bytes]] = {}
        for name in KEYS:
            write_rows(tmp_path / name, name, ROWS)
            lines = (tmp_path / name).read_bytes().splitlines()
            keys[name] = [line[:KEY_BYTES] for line in lines]
        assert len(set(keys["uniform"])) == ROWS
        assert len(set(keys["duplicate"])) == 16
        assert keys["sorted"] == sorted(keys["sorted"])
        assert len(set(keys["sorted"])) == ROWS
        prefixes = Counter(key[:2] for key in keys["skewed"])
        assert prefixes.most_common(1)[0][1] > ROWS / 10
        assert Counter(key[:2] for key in keys["uniform"]).most_common(1)[0][1] < ROWS / 100


class TestChecking:
    def test_checksum_is_the_sum_of_the_rows_crcs(self, course: Course) -> None:
        source = course.make_input("uniform", ROWS)
        lines = source.path.read_bytes().splitlines(keepends=True)
        assert source.checksum == f"{sum(map(zlib.crc32, lines)):x}"

    def test_rows_out_of_order_are_found(self, course: Course) -> None:
        unsorted = limit("two-copies", 1, Output.SORTED)
        with pytest.raises(Wrong, match="limit"):
            self.race(course, unsorted)

    def test_other_rows_are_found(self, course: Course) -> None:
        foreign = limit("write", 1, Output.COPIED)
        with pytest.raises(Wrong, match="checksum"):
            self.race(course, foreign)

    def test_no_output_is_found(self, course: Course) -> None:
        idle = limit("read", 1, Output.COPIED)
        with pytest.raises(Wrong, match="0 rows"):
            self.race(course, idle)

    def test_generated_rows_pass_as_unsorted_rows_but_not_as_the_inputs(self, course: Course) -> None:
        self.race(course, ours("generate", Output.GENERATED))
        with pytest.raises(Wrong, match="checksum"):
            self.race(course, ours("generate", Output.COPIED))

    def test_faults_that_a_validator_prints_are_found(self, course: Course) -> None:
        with pytest.raises(Wrong, match="howdah"):
            self.race(course, ours("validate", Output.FOUND))

    @staticmethod
    def race(course: Course, contestant: Contestant) -> Case:
        source = course.make_input("uniform", ROWS)
        (case,) = course.race([Start("small", source, AMPLE_BYTES, [contestant])])
        return case


@pytest.mark.parametrize("keys", KEYS)
def test_howdah_sorts_every_distribution(keys: str, course: Course) -> None:
    source = course.make_input(keys, ROWS)
    (case,) = course.race([Start(keys, source, AMPLE_BYTES, [ours("sort", Output.SORTED)])])
    (turn,) = case.turns
    assert turn.own_s is not None
    assert 0 < turn.own_s < turn.whole_s
    assert turn.said["in_memory"]


@pytest.mark.parametrize("name", PEERS)
def test_every_peer_that_is_here_sorts(name: str, course: Course) -> None:
    try:
        contestant = peer(name)
    except LookupError as missing:
        pytest.skip(str(missing))
    source = course.make_input("duplicate", ROWS)
    (case,) = course.race([Start("small", source, AMPLE_BYTES, [contestant])])
    (turn,) = case.turns
    assert turn.whole_s > 0
    assert turn.peak_rss_bytes > 0


def test_a_peer_that_fails_loses_its_turn_and_howdah_the_race(course: Course) -> None:
    source = course.make_input("uniform", ROWS)
    broken = Contestant("broken", "1", ("benches.no_such_program",), Output.SORTED)
    (case,) = course.race([Start("small", source, AMPLE_BYTES, [ours("sort", Output.SORTED), broken])])
    assert [turn.contestant for turn in case.turns] == ["howdah"]
    (failure,) = case.failures
    assert failure.contestant == "broken"
    assert "no_such_program" in failure.message
    with pytest.raises(ProcessFailed):
        course.race([Start("small", source, AMPLE_BYTES, [broken._replace(name="howdah")])])


@pytest.mark.parametrize("work", WORKS)
@pytest.mark.parametrize("depth", [1, 4])
def test_the_limit_moves_every_byte(work: str, depth: int, course: Course) -> None:
    # No whole number of blocks, nor of pages.
    source = course.make_input("uniform", 100_001)
    copies = work == "two-copies"
    contestant = limit(work, depth, Output.COPIED if copies else Output.NONE)
    (case,) = course.race([Start("small", source, AMPLE_BYTES, [contestant])])
    assert case.turns[0].own_s
    written = list(course.workspace.output.iterdir())
    assert [path.stat().st_size for path in written] == (
        [] if work == "read" else [source.path.stat().st_size]
    )


def test_the_kernel_gets_what_the_engine_would_give_it() -> None:
    slots = slots_of(2)
    least, _ = _native.terasort_needs(ROWS, slots, slots)
    engines, _ = sort_needs(ROWS, slots, slots)
    # The engine sets more aside only where its own process is already larger.
    assert engines >= least + PROCESS_BYTES


def test_the_input_is_not_in_the_page_cache_when_a_turn_starts(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    write_rows(path, "uniform", ROWS)
    file = os.open(path, os.O_RDONLY)
    try:
        buffer = bytearray(4096)
        os.preadv(file, [buffer], 0)
        try:
            assert os.preadv(file, [buffer], 0, os.RWF_NOWAIT) == len(buffer)
        except OSError:
            pytest.skip("this file system does not say what is cached")
        drop_from_cache([path])
        with pytest.raises(BlockingIOError):
            os.preadv(file, [buffer], 0, os.RWF_NOWAIT)
    finally:
        os.close(file)


def test_a_failed_process_says_why(tmp_path: Path) -> None:
    with pytest.raises(ProcessFailed, match="no such thing"):
        run_process([sys.executable, "-c", "import sys; sys.exit('no such thing')"], tmp_path)


def test_a_processs_peak_is_that_of_its_largest_child(tmp_path: Path) -> None:
    child = "bytearray(300_000_000)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{child}'], check=True)"
    ended = run_process([sys.executable, "-c", parent], tmp_path)
    assert ended.peak_rss_bytes > 300_000_000


class TestRatios:
    @staticmethod
    def turn(contestant: str, repeat: int, own_s: float | None, whole_s: float) -> Turn:
        return Turn(
            contestant=contestant,
            repeat=repeat,
            whole_s=whole_s,
            own_s=own_s,
            peak_rss_bytes=1,
            cpu_s=1.0,
            said={},
        )

    def test_are_taken_within_turns(self) -> None:
        turns = []
        # The second turn is disturbed: everything takes ten times as long.
        for repeat, slow in enumerate([1, 10, 1]):
            turns += [
                self.turn("limit", repeat, 1.0 * slow, 1.5 * slow),
                self.turn("howdah", repeat, 1.2 * slow, 2.0 * slow),
                self.turn("duckdb", repeat, None, 9.0 * slow),
            ]
        case = Case(name="", rows=1, keys=None, memory_bytes=None, contestants={}, turns=tuple(turns))
        assert case.to_limit("howdah") == pytest.approx(1.2)
        assert case.to_limit("duckdb") == pytest.approx(9.0)
        assert case.speed_up("duckdb") == pytest.approx(4.5)
        assert case.kernel_speed_up("duckdb") == pytest.approx(7.5)

    def test_of_pairs_have_an_interval(self) -> None:
        # Each pair is disturbed by itself; the second side takes 1, 2 and 3 % longer.
        pairs = [({"s": 10.0}, {"s": 10.1}), ({"s": 50.0}, {"s": 51.0}), ({"s": 20.0}, {"s": 20.6})]
        ratio, half = ratio_of(pairs, "s")
        assert ratio == pytest.approx(1.02, abs=1e-4)
        # Student's t with two degrees of freedom: 4.303 standard errors of 0.57 %.
        assert half == pytest.approx(0.0247, rel=0.03)
        assert math.isnan(ratio_of(pairs[:1], "s")[1])

    def test_leave_out_turns_that_one_side_lost(self) -> None:
        turns = [self.turn("howdah", repeat, 1.0, 2.0) for repeat in range(3)]
        turns.append(self.turn("duckdb", 2, None, 9.0))
        case = Case(name="", rows=1, keys=None, memory_bytes=None, contestants={}, turns=tuple(turns))
        assert case.speed_up("duckdb") == pytest.approx(4.5)
        never = Goal(claim="", measured=case.speed_up("polars"), bound=0.0, at_most=False)
        assert not never.met

    @pytest.mark.parametrize(
        ("measured", "at_most", "met"),
        [(1.2, True, True), (1.3, True, False), (1.2, False, False), (1.3, False, True)],
    )
    def test_are_held_to_their_goals(self, measured: float, at_most: bool, met: bool) -> None:
        assert Goal(claim="", measured=measured, bound=1.25, at_most=at_most).met is met


class TestCommand:
    @pytest.mark.parametrize(
        ("name", "contestants"),
        [
            ("in-memory", {"limit", "howdah", "gnu-sort"}),
            ("out-of-memory", {"limit", "howdah", "gnu-sort"}),
            ("growth", {"limit", "howdah"}),
            ("skew", {"howdah"}),
            ("teragen", {"limit", "howdah"}),
            ("teravalidate", {"limit", "howdah"}),
        ],
    )
    def test_runs_each_race_small_and_removes_its_data(
        self, name: str, contestants: set[str], tmp_path: Path
    ) -> None:
        done = benches(tmp_path, name, "--rows", str(16 * ROWS), "--repeats", "1", "--peer", "gnu-sort")
        assert done.returncode == 0, done.stderr
        (result,) = results(tmp_path)
        assert result["bench"] == name
        for case in result["cases"]:
            assert {turn["contestant"] for turn in case["turns"]} == contestants
        assert result["goals"]
        assert {path.suffix for path in tmp_path.iterdir()} == {".json", ""}
        assert not (tmp_path / "work").exists()

    def test_measures_planning(self, tmp_path: Path) -> None:
        done = benches(tmp_path, "planning", "--repeats", "1")
        assert done.returncode == 0, done.stderr
        (result,) = results(tmp_path)
        assert {goal["claim"] for goal in result["goals"]} == {
            "plan of 10,000 hosts",
            "check of a configuration",
        }
        assert all(value > 0 for value in result["figures"].values())

    def test_predicts_what_it_then_runs(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(predicting, "MEASURING_S", 10)
        monkeypatch.setattr(predicting, "SIZES", (1,))
        result = predicting.predictions(course, Request(rows=100_000, peers=(), seconds=1.0))
        assert len(result.goals) == 2
        predicted = {name for name in result.figures if name.endswith("predicted s")}
        assert len(predicted) == 2 * 5
        assert all(value > 0 for value in result.figures.values())

    @pytest.mark.skipif(not Path("/usr/include/simgrid").exists(), reason="needs libsimgrid-dev")
    def test_races_simgrid(self, tmp_path: Path) -> None:
        done = benches(tmp_path, "simgrid", "--repeats", "1")
        assert done.returncode == 0, done.stderr
        (result,) = results(tmp_path)
        assert len(result["goals"]) == 2
        assert all(value > 0 for value in result["figures"].values())

    def test_measures_the_simulator(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        small = simulator.Cluster(hosts=4, workers=4, dataset="100GB")
        large = simulator.Cluster(hosts=8, workers=4, dataset="200GB")
        # The same hosts with more data are another cluster.
        full = simulator.Cluster(hosts=4, workers=4, dataset="200GB")
        bound = simulator.Bound(full, cpu_s=600.0, bytes=2**30)
        monkeypatch.setattr(simulator, "BOUNDS", (bound,))
        monkeypatch.setattr(simulator, "GROWTH", (small, large))
        result = simulator.simulator(course, Request(rows=None, peers=(), seconds=1.0))
        assert len(result.goals) == 3
        for more in (large, full):
            least = result.figures[f"{small.name}, activities"]
            assert result.figures[f"{more.name}, activities"] > least > 0
        assert all(value > 0 for value in result.figures.values())

    def test_measures_serving(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(serving, "RUNS", 30)
        monkeypatch.setattr(serving, "READERS", 3)
        request = Request(rows=None, peers=(), seconds=2.0)
        runs = serving.many_runs(course, request)
        assert [goal.claim for goal in runs.goals] == ["first page", "filter", "memory"]
        assert all(value > 0 for value in runs.figures.values())
        readers = serving.many_readers(course, request)
        assert set(readers.figures) == {f"share of a core, {count} readers" for count in (0, 1, 3)}
        assert len(readers.goals) == 1

    def test_says_what_it_takes_to_race_simgrid(
        self, course: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", "")
        result = simgrid(course, Request(rows=None, peers=(), seconds=1.0))
        assert result.remarks == ("skipped: cargo is not installed: see rustup.rs",)
        assert not result.goals

    def test_measures_telemetry(self, tmp_path: Path) -> None:
        done = benches(tmp_path, "telemetry", "--seconds", "1")
        assert done.returncode == 0, done.stderr
        (result,) = results(tmp_path)
        shares = [value for name, value in result["figures"].items() if name.startswith("share")]
        assert len(shares) == 4
        assert all(0 < share < 1 for share in shares)

    @pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
    def test_measures_telemetry_of_a_laboratory(self, tmp_path: Path) -> None:
        done = benches(tmp_path, "lab-telemetry", "--seconds", "1")
        assert done.returncode == 0, done.stderr
        (result,) = results(tmp_path)
        shares = [value for name, value in result["figures"].items() if name.startswith("share")]
        assert len(shares) == 2
        assert all(0 < share < 1 for share in shares)
        assert not list(Path("/run/netns").glob("howdah-context-*"))

    def test_refuses_what_it_does_not_know(self, tmp_path: Path) -> None:
        for arguments in (["sideways"], ["--peer", "abacus"], ["--rows", "many"]):
            done = benches(tmp_path, *arguments)
            assert done.returncode == 2
            assert arguments[-1] in done.stderr
            assert "Traceback" not in done.stderr

    def test_refuses_to_start_without_room(self, tmp_path: Path) -> None:
        done = benches(tmp_path, "in-memory", "--rows", "1T")
        assert done.returncode == 2
        assert "are free" in done.stderr
        assert not (tmp_path / "work").exists()

    def test_refuses_to_run_twice_at_once(self, tmp_path: Path) -> None:
        with (
            open_workspace(tmp_path),
            pytest.raises(UserError, match="already running"),
            open_workspace(tmp_path),
        ):
            pass

    def test_clears_away_what_a_killed_run_left(self, tmp_path: Path) -> None:
        (tmp_path / "work").mkdir()
        (tmp_path / "work" / "left").touch()
        with open_workspace(tmp_path) as workspace:
            assert list(workspace.inputs.parent.iterdir()) == [workspace.inputs]

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_removes_its_data_when_stopped(self, number: signal.Signals, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "benches", "in-memory", "--rows", "3M", "--dir", str(tmp_path)]
        with subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + PATIENCE_S
            while not list((tmp_path / "work").glob("inputs/*")) and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(number)
            _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
        assert "removed" in said
        assert not (tmp_path / "work").exists()
        assert not list(tmp_path.glob("*.json"))


def test_an_input_that_is_not_the_whole_is_refused(course: Course) -> None:
    source = course.make_input("uniform", ROWS)
    short = Input(source.path, source.keys, source.rows + 1, source.checksum)
    with pytest.raises(ProcessFailed, match="came back short"):
        course.race([Start("short", short, AMPLE_BYTES, [limit("read", 1, Output.NONE)])])


def test_hadoops_own_coders_are_measured_and_checked() -> None:
    told = measured(("XOR-2-1-1024k", "RS-3-2-1024k"))
    assert list(told) == ["XOR-2-1-1024k", "RS-3-2-1024k"]
    assert all(rate > 0 for rates in told.values() for rate in rates)
