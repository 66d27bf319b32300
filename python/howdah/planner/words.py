"""How lists of numbers are said in reasons."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby


def listed(numbers: Iterable[int]) -> str:
    """Numbers in order, runs of three or more folded: ``3, 5–7, 11``; nothing for none."""
    parts: list[str] = []
    for _, run in groupby(enumerate(sorted(set(numbers))), key=lambda pair: pair[1] - pair[0]):
        values = [value for _, value in run]
        parts += [f"{values[0]}–{values[-1]}"] if len(values) > 2 else [str(value) for value in values]
    return ", ".join(parts)
