"""Percentages in texts have one form, ``46 %``; options keep theirs, ``--share 40%``."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "howdah"


def test_no_text_formats_a_percentage_by_itself() -> None:
    """``format_percent`` has the space and the digits; Python's own format has neither.

    Templates of tables and findings (``{share:%}``) are filled with ``format_percent``.
    """
    wrong = [
        f"{path.relative_to(PACKAGE)}:{value.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for value in ast.walk(ast.parse(path.read_text()))
        if isinstance(value, ast.FormattedValue)
        and value.format_spec is not None
        and ast.unparse(value.format_spec).rstrip("'\"").endswith("%")
    ]
    assert wrong == []
