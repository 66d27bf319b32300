"""What TeraValidate wrote, held against what TeraGen counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.engines.hadoop.generated import Generated
from howdah.model.run import ValidationError

_CHECKSUM = "checksum"
_ERROR = "error"
_COUNTED = (1 << 64) - 1
"""The bits of a checksum that a counter of Hadoop holds."""


class Verdict(NamedTuple):
    """What became of validating rows."""

    checksum: str | None
    """The sum of the rows' CRC-32 in hex; None where there were no rows."""
    expected: str | None
    """The sum that it should have been, as far as TeraGen's counter tells."""
    errors: tuple[ValidationError, ...]
    """The faults, in the words of TeraValidate and of howdah's local engine."""


def judge(report: str, rows: int, generated: Generated | None) -> Verdict:
    """Read the text of TeraValidate's part-r-00000, and hold rows and checksum against TeraGen's record.

    TeraGen's counter holds the low 64 bits of the sum. The bits above, which 4 billion rows reach,
    are not compared: the expected sum has them as they were found.
    """
    found = list(_records(report))
    checksum = next((value.strip() for key, value in found if key == _CHECKSUM), None)
    errors = [ValidationError(kind=key, message=value) for key, value in found if key == _ERROR]
    if generated is None:
        return Verdict(checksum, None, tuple(errors))
    total = int(checksum or "0", 16)
    expected = total & ~_COUNTED | int(generated.checksum, 16) & _COUNTED
    errors += _incompleteness(rows, total, generated.rows, expected)
    return Verdict(checksum, f"{expected:x}", tuple(errors))


def _records(report: str) -> Iterator[tuple[str, str]]:
    """Keys and values; the words about a bad partitioning go over several lines."""
    key, lines = "", list[str]()
    for line in report.splitlines():
        start, tab, rest = line.partition("\t")
        if tab and start in (_CHECKSUM, _ERROR):
            if key:
                yield key, "\n".join(lines)
            key, lines = start, [rest]
        else:
            lines.append(line)
    if key:
        yield key, "\n".join(lines)


def _incompleteness(
    rows: int, checksum: int, expected_rows: int, expected_checksum: int
) -> Iterator[ValidationError]:
    if rows != expected_rows:
        how = "lost" if rows < expected_rows else "too many"
        yield ValidationError(
            kind="rows",
            message=f"{rows} rows where TeraGen recorded {expected_rows}: {abs(rows - expected_rows)} {how}",
        )
    if checksum != expected_checksum:
        yield ValidationError(
            kind="checksum",
            message=f"checksum {checksum:x} where TeraGen recorded {expected_checksum:x}: "
            "rows were changed, lost or repeated",
        )
