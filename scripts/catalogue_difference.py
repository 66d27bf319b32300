"""Reduce a release's catalogue to what differs from that of another release.

Usage: catalogue_difference.py BASE.json RELEASE.json, which prints the difference. A description is only
kept for
properties that the other release has not got.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main(base_path: str, release_path: str) -> None:
    """Print the difference, one property a line."""
    base, release = (json.loads(Path(path).read_bytes()) for path in (base_path, release_path))
    known = {row[0]: row for row in base["properties"]}
    named = {row[0] for row in release["properties"]}
    rows = [
        [*row[:4], "" if row[0] in known else row[4]]
        for row in release["properties"]
        if row[0] not in known or known[row[0]][1:4] != row[1:4]
    ]
    former = {
        name: today for name, today in release["deprecated"].items() if base["deprecated"].get(name) != today
    }
    parts = {
        "product": _line(release["product"]),
        "version": _line(release["version"]),
        "base": _line(base["version"]),
        "removed": _lines(sorted(known.keys() - named)),
        "properties": _lines(rows),
        "undeprecated": _lines(sorted(base["deprecated"].keys() - release["deprecated"].keys())),
        "deprecated": "{\n"
        + ",\n".join(f"{_line(name)}:{_line(today)}" for name, today in former.items())
        + "\n}",
    }
    print("{" + ",\n".join(f"{_line(name)}:{text}" for name, text in parts.items()) + "}")


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _lines(values: list[Any]) -> str:
    return "[\n" + ",\n".join(map(_line, values)) + "\n]"


if __name__ == "__main__":
    main(*sys.argv[1:])
