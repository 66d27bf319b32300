"""Whether whoever reads a sentence can find it with grep: some of its words stand together in the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "howdah"
LEAST = 4
"""Words that stand together on one line of the source."""
SHORT, FEW = 8, 2
"""A sentence with fewer words, or fewer places for such words, may be made of names: `HBase is on m1`."""
_NUMBER = re.compile(r"\d")
_VALUE = re.compile(r"[\d/_=]|\w\.\w")
"""What a word has that is a value, a path or a property, which the source computes."""


@cache
def _source() -> str:
    """The text of every module and every table."""
    files = sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".toml"))
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def windows(text: str, value: re.Pattern[str] = _NUMBER) -> Iterator[str]:
    """Words that follow one another without a ``value``, and without the punctuation around them."""
    words = text.split()
    for at in range(len(words) - LEAST + 1):
        window = " ".join(words[at : at + LEAST]).strip(".,;:()")
        if not value.search(window):
            yield window


def is_in_source(text: str) -> bool:
    """Whether some words of a text stand together in the source."""
    return any(window in _source() for window in windows(text))


def lost(text: str) -> bool:
    """Whether a sentence is long enough to be found, and is not."""
    long = len(text.split()) >= SHORT and len(list(windows(text, _VALUE))) >= FEW
    return long and not is_in_source(text)
