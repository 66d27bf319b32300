"""What `howdah plan` prints in a terminal of 80 columns: about twenty lines, none of them wrapped or cut."""

from __future__ import annotations

from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from howdah.model.plan import Role
from howdah.model.request import PlanRequest, Protection
from howdah.report.plan import terminal
from howdah.session.plan.plans import plan_hosts

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
COLUMNS = 80
ROWS = {*map(str, Role), "must", "should", "may"}
"""The first words of lines that are no continuation of the line before."""
LINES = 24


def _printed(example: Path, request: PlanRequest, columns: int) -> list[str]:
    plan = plan_hosts(example, request)
    console = Console(width=columns, file=StringIO(), color_system=None)
    console.print(terminal.plan_text(plan, Path("plan.yaml"), Path("plan.html")))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_a_plan_fits_a_screen_of_80_columns(example: Path) -> None:
    lines = _printed(example, PlanRequest(), COLUMNS)
    assert len(lines) <= LINES, "\n".join(lines)
    _check_width(lines)


def test_long_lists_of_masters_break_between_roles() -> None:
    request = PlanRequest(protection=Protection.HA)
    _check_width(_printed(EXAMPLES[0].with_name("hosts-nvme.yaml"), request, COLUMNS))


def _check_width(lines: list[str]) -> None:
    assert max(map(len, lines)) <= COLUMNS
    # Rich puts an ellipsis to the word that it cuts; where words are left out, one stands by itself.
    assert not [line for line in lines if line.rstrip().endswith("…") and not line.rstrip().endswith(" …")]
    # A line is wrapped where the first word of the next one would not have fitted.
    for line, after in pairwise(lines):
        if after.startswith("  ") and after.split()[0].rstrip(",") not in ROWS:
            assert len(line.rstrip()) + 1 + len(after.split()[0]) <= COLUMNS, f"{line}\n{after}"
