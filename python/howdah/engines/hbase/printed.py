"""What YCSB prints at its end, and while it runs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_LINE = re.compile(r"^\[([\w-]+)\], ([^,]+), ([\d.]+)$")
_STATUS = re.compile(r" sec: (\d+) operations;")
_RETURN = "Return="
_OURS = "HOWDAH"
_TIMED = {"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"}


class Printed(NamedTuple):
    """What a client printed at its end."""

    operations: Mapping[str, int]
    """How many of each kind it did, by the operation's name here: ``read-modify-write``."""
    returns: Mapping[str, Mapping[str, int]]
    """What these came to, by YCSB's words: ``OK``, ``NOT_FOUND``."""
    begun_ms: int
    """When its first operation began, milliseconds since the epoch; 0 where it did none."""
    ended_ms: int
    """When its last one ended."""


def read_printed(lines: Iterable[str]) -> Printed | None:
    """What a client printed; None where it did not come to its end."""
    operations: dict[str, int] = {}
    returns: defaultdict[str, dict[str, int]] = defaultdict(dict)
    times: dict[str, int] = {}
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        section, name, value = match.groups()
        if section == _OURS:
            times[name] = int(float(value))
        elif section in _TIMED and name == "Operations":
            operations[section.lower()] = int(value)
        elif section in _TIMED and name.startswith(_RETURN):
            returns[section.lower()][name.removeprefix(_RETURN)] = int(value)
    if "Begun(ms)" not in times:
        return None
    return Printed(operations, dict(returns), times["Begun(ms)"], times["Ended(ms)"])


def done_so_far(line: str) -> int | None:
    """The operations that a status line tells of; None for any other line."""
    match = _STATUS.search(line)
    return int(match[1]) if match else None


def named(section: str) -> str | None:
    """The operation that one of YCSB's measurements is of; None for one that times none.

    ``Intended-READ`` is from when it should have begun, so that waiting for a client that is late counts.
    ``READ-FAILED`` is of those that came to something else than OK.
    """
    intended = section.startswith("Intended-")
    bare = section.removeprefix("Intended-")
    failed = bare.endswith("-FAILED")
    bare = bare.removesuffix("-FAILED")
    if bare not in _TIMED:
        return None
    return f"{bare.lower()}{', failed' if failed else ''}{', intended' if intended else ''}"
