"""Percentages in texts have one form, ``46 %``; options keep theirs, ``--share 40%``."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "howdah"


def test_no_text_formats_a_percentage_by_itself() -> None:
    """``format_percent`` has the space and the digits; Python's own format has neither."""
    wrong = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search(r"\{[^{}]+:[+<>]?[\d.]*%\}", line)
    ]
    assert wrong == []
