"""The exam's parts, and the tables that they write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from exams.outcomes import Outcome, write_outcome, write_unstable
from exams.parts import PARTS, TURN_MINUTES, named, turn
from exams.predictions import CELLS, Cell, Figure, main, planned
from howdah.documents.files import read_plan
from howdah.planner.lab_fit import fit_plan
from howdah.planner.lab_room import footprint
from howdah.planner.suite.cluster import size_planned
from howdah.simulation.translate import translate
from howdah.units import parse_count
from support.machine import host
from support.requests import run_request

ROOT = Path(__file__).parents[2]
DAY = date(2026, 11, 28)
GB = 10**9


def test_every_short_part_has_its_turn() -> None:
    short = {part.name for part in PARTS if part.minutes <= TURN_MINUTES}
    assert {turn(number).name for number in range(500, 500 + len(short))} == short


def test_every_part_of_tests_has_tests() -> None:
    marked = {
        part
        for file in (ROOT / "tests").rglob("test_*.py")
        for part in re.findall(r'mark\.exam\("([a-z-]+)"\)', file.read_text())
    }
    assert marked == {part.name for part in PARTS if "--exam" in part.words}


def test_a_seed_reaches_a_script() -> None:
    (part,) = named(["upgrades"])
    assert part.command(7)[1:] == ["-m", "exams.upgrades", "--seed", "7"]


def test_an_unknown_part_is_refused_with_those_that_exist() -> None:
    with pytest.raises(SystemExit, match="PART=nope: unknown part; the parts are laws, quick"):
        named(["nope"])


@pytest.fixture
def page(tmp_path: Path) -> Path:
    copy = tmp_path / "exams.md"
    copy.write_text((ROOT / "docs/exams.md").read_text())
    return copy


def test_an_outcome_replaces_the_former_one_of_its_part(page: Path) -> None:
    before = page.read_text()
    for seed, passed in ((1, False), (2, True)):
        write_outcome(page, Outcome("upgrades", DAY, seed, 61.0, passed, "a | b"))
    rows = [line for line in page.read_text().splitlines() if line.startswith("| `upgrades` |")]
    assert rows == ["| `upgrades` | 2026-11-28 | 2 | 1 min 01 s | passed | a \\| b |"]
    added = set(page.read_text().splitlines()) - set(before.splitlines())
    assert added == set(rows)


def test_an_unstable_test_is_listed_once(page: Path) -> None:
    for day in (DAY, date(2026, 12, 1)):
        write_unstable(page, ["tests/unit/test_x.py::test_y"], day)
    rows = [line for line in page.read_text().splitlines() if "test_x" in line]
    assert rows == ["| `tests/unit/test_x.py::test_y` | 2026-11-28 |"]


def test_a_page_without_its_table_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "exams.md"
    page.write_text("# Exams\n")
    with pytest.raises(SystemExit, match="there is no table after <!-- unstable -->"):
        write_unstable(page, ["a"], DAY)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_every_lab_of_the_exam_of_predictions_fits_a_small_machine(cell: Cell, tmp_path: Path) -> None:
    """On 2 CPUs and 24 GiB, with enough hosts for the replicas that its runs write."""
    plan = read_plan(planned(tmp_path / "lab", cell))
    lab = fit_plan(plan, host(cpus=2), free_bytes=74 * GB).plan
    assert sum(group.count for group in lab.cluster.inventory.worker_groups) == cell.hosts
    assert footprint(lab).total <= 22 * GB
    for words in cell.runs:
        options = dict(zip(words[::2], words[1::2], strict=True))
        request = run_request("terasuite", rows=parse_count(options["--rows"], "--rows"))
        suite = size_planned(request, lab).suite
        replicas = int(options.get("--output-replication", options.get("--replication", "2")))
        assert replicas <= cell.hosts
        translate(lab, suite, {}, seed=1)


def test_the_exam_of_predictions_prints_its_totals_although_a_lab_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def scored(plan: Path, cell: Cell, calibration: Path) -> Iterator[Figure]:
        if cell is CELLS[1]:
            raise RuntimeError("no second lab")
        yield Figure(cell.name, "teragen", 11.0, 10.0, inside=True)

    monkeypatch.setattr("exams.predictions.scored", scored)
    monkeypatch.setattr("exams.predictions.planned", lambda folder, cell: folder)
    monkeypatch.setattr("sys.argv", ["predictions", "--calibration", str(tmp_path / "mine.yaml")])
    with pytest.raises(RuntimeError, match="no second lab"):
        main()
    assert "1 figures: median error 10%, largest 10%, 100% in their 90 % intervals" in capsys.readouterr().out
