"""What clients of HDFS asked and were acknowledged, held against what was there after all faults were undone.

What HDFS promises (Hadoop 3.5: "HDFS filesystem specification", *outputstream*, and HDFS-265):

* a file whose ``create`` was acknowledged is there, though nobody can say yet how long it is;
* what ``hflush`` acknowledged is seen by whoever reads later: it is in the memory of all its DataNodes;
* what ``hsync`` acknowledged is on their disks besides;
* ``close`` changes nothing of what may be read;
* ``rename`` and ``delete`` that were acknowledged were done, as a whole, and are in the log of edits.

What was asked and not acknowledged may have been done or not: of a rename one of both names is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from howdah.model.faults import LedgerReport

MOST_LISTED = 20
"""Violations of one kind that are told by name."""
WRITES = frozenset({"hflush", "hsync"})


class LedgerEntry(NamedTuple):
    """One thing that a client asked for, one after the other."""

    client: int
    operation: str
    """``create``, ``hflush``, ``hsync``, ``close``, ``append``, ``rename`` or ``delete``."""
    path: str
    of: str = ""
    """A record's number, or a file's new name within its directory."""
    acknowledged: bool = False


@dataclass
class Content:
    """What is in a file."""

    records: list[int] = field(default_factory=list)
    """The records' numbers, in the order in which they are read."""
    unread: str | None = None
    """Why it could not be read to its end."""


@dataclass
class _Expected:
    """What has to be there of one file."""

    sure: bool
    """Whether it has to be there."""
    names: tuple[str, ...]
    """One of these is its name."""
    requested: list[int] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)


def compare_with_files(history: Sequence[LedgerEntry], contents: Mapping[str, Content]) -> LedgerReport:
    """Hold what was asked, client by client in its order, against the files that are there."""
    files = _expected(history)
    lost, unasked, disordered, doubled = [], [], [], []
    for file in files:
        present = [name for name in file.names if name in contents]
        if len(present) > 1:
            doubled.append(f"{present[0]} is there as {present[1]}, too")
        if not present:
            if file.sure:
                lost.append(f"file {file.names[0]}")
            continue
        content = contents[present[0]]
        lost += [f"record {number} of {present[0]}{_why(content)}" for number in _missing(file, content)]
        unasked += [
            f"record {number} of {present[0]}" for number in set(content.records) - set(file.requested)
        ]
        doubled += [f"record {number} of {present[0]}" for number in _repeated(content.records)]
        if not _in_order(content.records, file.requested):
            disordered.append(f"records of {present[0]}")
    expected = {name for file in files for name in file.names}
    unasked += [f"file {name}" for name in sorted(set(contents) - expected)]
    acknowledged = sum(entry.acknowledged for entry in history)
    return LedgerReport(
        clients=len({entry.client for entry in history}),
        asked=len(history),
        acknowledged=acknowledged,
        failed=len(history) - acknowledged,
        files=len(contents),
        lost=_brief(lost),
        unasked=_brief(unasked),
        disordered=_brief(disordered),
        doubled=_brief(doubled),
    )


def _expected(history: Iterable[LedgerEntry]) -> list[_Expected]:
    """The files that are there after everything, or may be; those whose removal was acknowledged are not."""
    files: dict[str, _Expected] = {}
    for entry in history:
        if entry.operation == "create":
            files[entry.path] = _Expected(entry.acknowledged, (entry.path,))
            continue
        file = files[entry.path]
        if entry.operation in WRITES:
            file.requested.append(int(entry.of))
            if entry.acknowledged:
                file.acknowledged.append(int(entry.of))
        elif entry.operation == "rename":
            renamed = f"{entry.path.rpartition('/')[0]}/{entry.of.rpartition('/')[2]}"
            file.names = (renamed,) if entry.acknowledged else (entry.path, renamed)
            files[renamed] = files.pop(entry.path)
        elif entry.operation == "delete":
            if entry.acknowledged:
                del files[entry.path]
            else:
                file.sure = False
    return list(files.values())


def _missing(file: _Expected, content: Content) -> Iterator[int]:
    present = set(content.records)
    return (number for number in file.acknowledged if number not in present)


def _why(content: Content) -> str:
    return f", which cannot be read: {content.unread}" if content.unread else ""


def _repeated(records: Sequence[int]) -> list[int]:
    return sorted({number for number in records if records.count(number) > 1})


def _in_order(records: Sequence[int], requested: Sequence[int]) -> bool:
    """Whether those that were asked for are read in the order in which they were asked."""
    place = {number: at for at, number in enumerate(requested)}
    once = [place[number] for number in dict.fromkeys(records) if number in place]
    return once == sorted(once)


def _brief(lines: Sequence[str]) -> tuple[str, ...]:
    more = len(lines) - MOST_LISTED
    return (*lines[:MOST_LISTED], f"and {more:,} more") if more > 0 else tuple(lines)
