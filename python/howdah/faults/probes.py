"""Probes and clients while faults happen: outages, and which acknowledged operations were lost.

HDFS promises (Hadoop 3.5: "HDFS filesystem specification", *outputstream*, and HDFS-265):

* a file exists after its ``create`` was acknowledged, with a length that is not yet defined;
* later readers see data after ``hflush`` was acknowledged: it is in the memory of all its DataNodes;
* data is on their disks after ``hsync`` was acknowledged;
* ``close`` does not change the readable data;
* ``rename`` and ``delete`` are complete and in the edit log after they were acknowledged.

An operation without acknowledgement may be done or not: after a rename, one of both names exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from howdah.model.faults import LedgerReport, ProbeOutage, ProbeReport

LEAST_S = 1.0  # A shorter gap is a slow answer, not an outage: probes send ten requests a second.


class ProbeAnswer(NamedTuple):
    start_s: float  # Seconds since the start of the run.
    took_s: float  # The time until the answer, or until the client gave up.
    error: str | None = None  # None for a good answer.

    @property
    def ended_s(self) -> float:
        """The time of the answer, or of the end of the wait."""
        return self.start_s + self.took_s


class ProbeLog:
    """The answers to one kind of request, in the order of the requests."""

    def __init__(self, of: str, operation: str) -> None:
        self.of = of
        self.operation = operation
        self._begin_s: float | None = None
        self._good_s = 0.0
        self._end_s = 0.0
        self._requests = self._failed = 0
        self._longest_s = 0.0
        self._since: list[ProbeAnswer] = []  # The failed requests since the last good answer.
        self._outages: list[ProbeOutage] = []

    def add(self, answer: ProbeAnswer) -> None:
        if self._begin_s is None:
            # Failures from the first request on are an outage.
            self._begin_s = self._good_s = answer.start_s
        self._requests += 1
        self._end_s = max(self._end_s, answer.ended_s)
        if answer.error is not None:
            self._failed += 1
            self._since.append(answer)
            return
        self._longest_s = max(self._longest_s, answer.took_s)
        if answer.ended_s - self._good_s > LEAST_S:
            self._outages.append(self._outage(answer.ended_s, ended=True))
        self._since = []
        self._good_s = answer.ended_s

    def report(self) -> ProbeReport:
        """Return the report so far; an outage that has not ended ends with the last request."""
        outages = list(self._outages)
        if self._since and self._end_s - self._good_s > LEAST_S:
            outages.append(self._outage(self._end_s, ended=False))
        return ProbeReport(
            of=self.of,
            operation=self.operation,
            start_s=self._begin_s or 0.0,
            end_s=self._end_s,
            asked=self._requests,
            failed=self._failed,
            longest_s=self._longest_s,
            outages=tuple(outages),
        )

    def _outage(self, end_s: float, *, ended: bool) -> ProbeOutage:
        failed, error = len(self._since), self._since[0].error if self._since else None
        return ProbeOutage(start_s=self._good_s, end_s=end_s, ended=ended, failed=failed, said=error)


def probe_reports(logs: Iterable[ProbeLog]) -> tuple[ProbeReport, ...]:
    """Return the reports of all logs, sorted by operation and target."""
    reports = [report for log in logs if (report := log.report()).asked]
    return tuple(sorted(reports, key=lambda report: (report.operation, report.of)))


MOST_LISTED = 20  # Violations of one kind that are listed by name.
WRITES = frozenset({"hflush", "hsync"})


class LedgerEntry(NamedTuple):
    """One operation of a client."""

    client: int
    operation: str  # ``create``, ``hflush``, ``hsync``, ``close``, ``append``, ``rename`` or ``delete``.
    path: str
    of: str = ""  # A record's number, or a file's new name within its directory.
    acknowledged: bool = False


@dataclass
class Content:
    records: list[int] = field(default_factory=list)  # The numbers of its records, in their order.
    unread: str | None = None  # Why it could not be read to its end.


@dataclass
class _Expected:
    sure: bool  # Whether it must exist.
    names: tuple[str, ...]
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
            lost += [f"file {file.names[0]}"] if file.sure else []
            continue
        content = contents[present[0]]
        records = set(content.records)
        why = f", which cannot be read: {content.unread}" if content.unread else ""
        missing = (number for number in file.acknowledged if number not in records)
        lost += [f"record {number} of {present[0]}{why}" for number in missing]
        unasked += [f"record {number} of {present[0]}" for number in records - set(file.requested)]
        repeated = sorted(number for number in records if content.records.count(number) > 1)
        doubled += [f"record {number} of {present[0]}" for number in repeated]
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


def _in_order(records: Sequence[int], requested: Sequence[int]) -> bool:
    """Whether the records are in the order of their requests."""
    place = {number: at for at, number in enumerate(requested)}
    once = [place[number] for number in dict.fromkeys(records) if number in place]
    return once == sorted(once)


def _brief(lines: Sequence[str]) -> tuple[str, ...]:
    more = len(lines) - MOST_LISTED
    return (*lines[:MOST_LISTED], f"and {more:,} more") if more > 0 else tuple(lines)
