"""The tables of docs/exams.md that programs write: each part's last outcome, and unstable tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from howdah.units import format_seconds

_RESULT = 100
"""The longest result that is kept of a part, in characters."""


class Outcome(NamedTuple):
    """How one part came out."""

    part: str
    date: date
    seed: int
    elapsed_s: float
    passed: bool
    result: str
    """The last line that it printed."""

    @property
    def in_words(self) -> str:
        """Whether it passed, and how long that took."""
        verdict = "passed" if self.passed else "FAILED"
        return f"{verdict} in {format_seconds(self.elapsed_s)} with seed {self.seed}: {self.result}"

    @property
    def row(self) -> str:
        """Its row of the table."""
        result = self.result.replace("|", "\\|")[:_RESULT]
        verdict = "passed" if self.passed else "**failed**"
        took = format_seconds(self.elapsed_s)
        return f"| `{self.part}` | {self.date} | {self.seed} | {took} | {verdict} | {result} |"


def write_outcome(page: Path, outcome: Outcome) -> None:
    """Put a part's row into the table of outcomes, in place of its former one."""

    def renewed(rows: list[str]) -> list[str]:
        return sorted([row for row in rows if not row.startswith(f"| `{outcome.part}` |")] + [outcome.row])

    _renew(page, "outcomes", renewed)


def write_unstable(page: Path, tests: Iterable[str], day: date) -> None:
    """Add tests that failed and passed when they were repeated."""

    def renewed(rows: list[str]) -> list[str]:
        new = [f"| `{test}` | {day} |" for test in tests]
        listed = {row.split("|")[1] for row in rows}
        return sorted([*rows, *(row for row in new if row.split("|")[1] not in listed)])

    _renew(page, "unstable", renewed)


def _renew(page: Path, table: str, renewed: Callable[[list[str]], list[str]]) -> None:
    """Replace the rows of the table that follows the comment ``<!-- TABLE -->``."""
    text = page.read_text()
    found = re.search(rf"<!-- {table} -->\n\n((?:\|.*\n){{2}})((?:\|.*\n)*)", text)
    if found is None:
        raise SystemExit(f"error: {page}: there is no table after <!-- {table} -->")
    rows = renewed(found[2].splitlines())
    page.write_text(text[: found.start(2)] + "".join(f"{row}\n" for row in rows) + text[found.end(2) :])
