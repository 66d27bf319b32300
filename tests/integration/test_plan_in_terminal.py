"""What `howdah plan` prints in a terminal of 80 columns: about twenty lines, none of them cut.

Only long lists of masters are wrapped.
"""

from __future__ import annotations

from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from howdah.model.request import PlanRequest, Protection
from howdah.report.plan.explained import plan_summary
from howdah.report.terminal import terminal
from howdah.session.plans import plan_hosts

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
COLUMNS = 80
LINES = 24


def _printed(example: Path, request: PlanRequest, columns: int) -> list[str]:
    plan = plan_hosts(example, request)
    console = Console(width=columns, file=StringIO(), color_system=None)
    console.print(terminal(plan_summary(plan, Path("plan.yaml"), Path("plan.html"))))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_a_plan_fits_a_screen_of_80_columns(example: Path) -> None:
    lines = _printed(example, PlanRequest(), COLUMNS)
    assert len(lines) <= LINES, "\n".join(lines)
    _check_width(lines)


def test_long_lists_of_masters_are_wrapped_between_words() -> None:
    request = PlanRequest(protection=Protection.HA)
    _check_width(_printed(EXAMPLES[0].with_name("hosts-nvme.yaml"), request, COLUMNS))


def _check_width(lines: list[str]) -> None:
    assert max(map(len, lines)) <= COLUMNS
    # Rich puts an ellipsis to the word that it cuts; where words are left out, one stands by itself.
    assert not [line for line in lines if line.rstrip().endswith("…") and not line.rstrip().endswith(" …")]
    # A line is wrapped where the first word of the next one would not have fitted.
    masters = [at for at, line in enumerate(lines) if line.startswith("masters")]
    topology = next(at for at, line in enumerate(lines) if line.startswith("topology"))
    for line, after in pairwise([*lines[: masters[0]], *lines[topology:]]):
        if after.startswith("  "):
            assert len(line.rstrip()) + 1 + len(after.split()[0]) <= COLUMNS, f"{line}\n{after}"
