"""One line of a terminal for a text of several sentences."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[.!?](?=\s+[A-Z`(])")
_CLAUSE = re.compile(r"[,;:](?= )| (?=\()")
_LEAST = 0.4
"""A clause that fills less of the line says too little alone."""


def shortened(text: str, width: int) -> str:
    """The first sentence; if that is too long, the clauses that fit; otherwise the words, and an ellipsis."""
    end = _SENTENCE.search(text)
    sentence = text[: end.end()] if end else text
    if len(sentence) <= width:
        return sentence
    for clause in reversed([match.start() for match in _CLAUSE.finditer(sentence, 0, width + 1)]):
        if clause >= _LEAST * width and _closed(sentence[:clause]):
            return sentence[:clause]
    return f"{sentence[: max(width - 1, 1)].rpartition(' ')[0]} …"


def _closed(text: str) -> bool:
    return text.count("`") % 2 == 0 and text.count("(") == text.count(")")
