"""Operations of HDFS clients and their acknowledgements, compared with the files after all faults.

HDFS promises (Hadoop 3.5: "HDFS filesystem specification", *outputstream*, and HDFS-265):

* a file exists after its ``create`` was acknowledged, with a length that is not yet defined;
* later readers see data after ``hflush`` was acknowledged: it is in the memory of all its DataNodes;
* data is on their disks after ``hsync`` was acknowledged;
* ``close`` does not change the readable data;
* ``rename`` and ``delete`` are complete and in the edit log after they were acknowledged.

An operation without acknowledgement may be done or not: after a rename, one of both names exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from howdah.model.faults import LedgerReport

MOST_LISTED = 20
"""Violations of one kind that are listed by name."""
WRITES = frozenset({"hflush", "hsync"})


class LedgerEntry(NamedTuple):
    """One operation of a client."""

    client: int
    operation: str
    """``create``, ``hflush``, ``hsync``, ``close``, ``append``, ``rename`` or ``delete``."""
    path: str
    of: str = ""
    """A record's number, or a file's new name within its directory."""
    acknowledged: bool = False


@dataclass
class Content:
    """The content of a file."""

    records: list[int] = field(default_factory=list)
    """The numbers of its records, in their order in the file."""
    unread: str | None = None
    """Why it could not be read to its end."""


@dataclass
class _Expected:
    """The expected state of one file."""

    sure: bool
    """Whether it must exist."""
    names: tuple[str, ...]
    """Its possible names."""
    requested: list[int] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)


def compare_with_files(history: Sequence[LedgerEntry], contents: Mapping[str, Content]) -> LedgerReport:
    """Compare the operations of all clients, in order by client, with the existing files."""
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
    """Return the files that must or may exist at the end; acknowledged deletions are left out."""
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
    """Whether the records are in the order of their requests."""
    place = {number: at for at, number in enumerate(requested)}
    once = [place[number] for number in dict.fromkeys(records) if number in place]
    return once == sorted(once)


def _brief(lines: Sequence[str]) -> tuple[str, ...]:
    more = len(lines) - MOST_LISTED
    return (*lines[:MOST_LISTED], f"and {more:,} more") if more > 0 else tuple(lines)
