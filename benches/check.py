"""Says of an output whether it is the input's rows, and whether they are in order.

``python -m benches.check REPORT THREADS FILE...`` prints the rows, their CRC sum and the first faults
as JSON; the judging is done by the caller, who knows what they should be.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

from benches.ours.validate import validate


class Found(NamedTuple):
    """What a file or several hold: rows, the sum of their CRC-32s, and faults in their order."""

    rows: int
    checksum: str
    faults: list[str]


def found_by(printed: str) -> Found:
    """What this program printed."""
    return Found(**json.loads(printed))


def main() -> None:
    """Read the files once and print what they hold."""
    report, threads, *files = sys.argv[1:]
    seen, _ = validate([Path(file) for file in files], Path(report), int(threads))
    Path(report).unlink()
    found = Found(seen.rows, seen.checksum, [f"{kind}: {message}" for kind, message in seen.errors[:5]])
    print(json.dumps(found._asdict()))


if __name__ == "__main__":
    main()
