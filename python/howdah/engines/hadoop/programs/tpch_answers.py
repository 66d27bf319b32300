"""Answers of TPC-H's queries in a form in which those of several engines are equal, and the reference.

The reference for scale factor 1 are the answers that TPC publishes, rounded to two decimals. Those for other
scale factors are DuckDB's on the same files; ``scripts/tpch_answers.py`` writes both.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).with_name("tpch_answers.json")
_NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")
_CENT = Decimal("0.01")


class QueryAnswer(NamedTuple):
    """An answer: its number of rows, and the SHA-256 of these."""

    rows: int
    sha256: str


def canonical(value: object) -> str:
    """A value as text: numbers with decimals rounded to two, texts without spaces at their ends."""
    text = "null" if value is None else str(value).strip()
    if not _NUMBER.fullmatch(text):
        return text
    return str(Decimal(text).quantize(_CENT, ROUND_HALF_UP))


def answer_of(rows: Iterable[Sequence[object]]) -> QueryAnswer:
    """The answer that rows are, in whatever order: TPC-H leaves the order of equal keys open."""
    lines = sorted("|".join(map(canonical, row)) for row in rows)
    return QueryAnswer(len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest())


@cache
def references() -> Mapping[str, Mapping[str, tuple[QueryAnswer, ...]]]:
    """By scale factor, as text, the accepted answers of each query by its name.

    There are two where DuckDB's differs from TPC's within TPC's own tolerance.
    """
    content = json.loads(_FILE.read_text())
    return {
        scale: {
            query: tuple(QueryAnswer(*fields) for fields in accepted) for query, accepted in answers.items()
        }
        for scale, answers in content.items()
    }
