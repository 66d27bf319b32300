"""The exam's parts, and the tables that they write."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from exams.outcomes import Outcome, write_outcome, write_unstable
from exams.parts import PARTS, TURN_MINUTES, named, turn

ROOT = Path(__file__).parents[2]
DAY = date(2026, 11, 28)


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
