"""How sizes and lists of numbers are said in reasons."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from howdah.units import GIB


def gib(size_bytes: float) -> str:
    """Memory in GiB with two digits where they are needed: ``60.25 GiB``, ``241 GiB``."""
    return f"{size_bytes / GIB:.2f}".rstrip("0").rstrip(".") + " GiB"


def listed(numbers: Iterable[int]) -> str:
    """Numbers in order, runs of three or more folded: ``3, 5–7, 11``; nothing for none."""
    parts: list[str] = []
    for _, run in groupby(enumerate(sorted(set(numbers))), key=lambda pair: pair[1] - pair[0]):
        values = [value for _, value in run]
        parts += [f"{values[0]}–{values[-1]}"] if len(values) > 2 else [str(value) for value in values]
    return ", ".join(parts)
