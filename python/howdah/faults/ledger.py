"""The ledger of a run with faults: which operations HDFS acknowledged, and which of them were lost.

HDFS promises (Hadoop 3.5: "HDFS filesystem specification", *outputstream*, and HDFS-265):

* a file exists after its ``create`` was acknowledged, with a length that is not yet defined;
* later readers see data after ``hflush`` was acknowledged: it is in the memory of all its DataNodes;
* data is on their disks after ``hsync`` was acknowledged;
* ``close`` does not change the readable data;
* ``rename`` and ``delete`` are complete and in the edit log after they were acknowledged.

An operation without acknowledgement may be done or not: after a rename, one of both names exists.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from howdah.faults.probes import ProbeAnswer, ProbeLog, probe_reports
from howdah.model.faults import LEDGER_UNREAD, LedgerReport
from howdah.model.run import Outcome, RunRecord, RunWarning

JOURNAL = "ledger.tsv"  # The file in a run's directory with all operations of clients and their results.
_GOOD = "OK"
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


class HdfsLedger:
    """What clients report of their operations, line by line, compared with HDFS at the end of a run.

    ``seconds`` converts seconds since 1970 to those since the run's start. Each operation is on the disk
    before the next line is read.
    """

    def __init__(self, file: Path, seconds: Callable[[float], float]) -> None:
        self._seconds = seconds
        self._journal = file.open("w", encoding="utf-8")
        self._lock = Lock()
        self._logs: dict[str, ProbeLog] = {}
        self._operations: dict[tuple[int, int], LedgerEntry] = {}
        self._since_s: dict[tuple[int, int], float] = {}
        self._longest: tuple[float, float] | None = None  # A client's longest wait, and its start.
        self._contents: dict[str, Content] = {}
        self._ended = False
        self._trouble: str | None = None
        self._lost_reason: str | None = None

    def close(self, record: RunRecord, late: str) -> RunRecord:
        """The record with probes and the comparison; ``late`` says why the program was killed, if it was."""
        self._journal.close()
        with self._lock:
            probes = probe_reports(self._logs.values())
        record = record.model_copy(update={"probes": (*record.probes, *probes)})
        if self._trouble is not None:
            return ledger_unread(record, self._trouble)
        if late or not self._ended:
            why = self._lost_reason or late or "the process that reads it back ended early"
            # Without any acknowledgement the end of the program proves nothing about HDFS.
            kept = any(entry.acknowledged for entry in self._operations.values())
            return ledger_lost(record, why) if kept else ledger_unread(record, why)
        operations = [self._operations[key] for key in sorted(self._operations)]
        report = compare_with_files(operations, self._contents)
        if self._longest is not None:
            longest_s, at_s = self._longest
            report = report.model_copy(update={"longest_s": longest_s, "longest_at_s": at_s})
        record = record.model_copy(update={"ledger": report})
        if report.sound:
            return record
        first = "; ".join(f"{violations[0]} is {name}" for name, violations in report.broken.items())
        return _failed(record, f"HDFS lost or changed acknowledged data: {first}")

    def read_line(self, line: str) -> None:
        """Take in one line of the clients' program; called in another thread."""
        kind, *words = line.split("\t")
        try:
            match kind:
                case "probe":
                    operation, start_ms, took_us, result = words
                    start_s, why = self._seconds(int(start_ms) / 1000), None if result == _GOOD else result
                    with self._lock:
                        log = self._logs.setdefault(operation, ProbeLog("HDFS", operation))
                        log.add(ProbeAnswer(start_s, int(took_us) / 1e6, why))
                case "ask" | "ack" | "fail":
                    self._journal.write(f"{line}\n")
                    self._journal.flush()
                    os.fdatasync(self._journal.fileno())
                    self._note(kind, words)
                case "file":
                    self._contents[words[0]] = Content()
                case "record":
                    self._contents[words[0]].records.append(int(words[1]))
                case "unread":
                    self._contents[words[0]].unread = words[1]
                case "failed":
                    self._trouble = f"{words[0]}: {words[1]}"
                case "gone":
                    self._lost_reason = words[0]
                case "end":
                    self._ended = True
        except OSError as error:
            self._trouble = f"{self._journal.name}: {error.strerror}"

    def _note(self, kind: str, words: list[str]) -> None:
        key, now_s = (int(words[0]), int(words[1])), self._seconds(int(words[2]) / 1000)
        if kind == "ask":
            self._since_s[key] = now_s
            operation, path, of = words[3:6]
            self._operations[key] = LedgerEntry(key[0], operation, path, of)
            return
        since_s = self._since_s.pop(key)
        self._longest = max(self._longest or (0.0, since_s), (now_s - since_s, since_s))
        if kind == "ack":
            self._operations[key] = self._operations[key]._replace(acknowledged=True)


def ledger_unread(record: RunRecord, why: str) -> RunRecord:
    """Return the record with a warning: the ledger could not be checked, for a reason of howdah's own."""
    warning = RunWarning(code=LEDGER_UNREAD, text=f"acknowledged data could not be compared with HDFS: {why}")
    return record.model_copy(update={"warnings": (*record.warnings, warning)})


def ledger_lost(record: RunRecord, why: str) -> RunRecord:
    """Return the failed record of a run after which HDFS returns none of the acknowledged data."""
    return _failed(ledger_unread(record, why), f"HDFS returns none of the acknowledged data: {why}")


def _failed(record: RunRecord, error: str) -> RunRecord:
    if record.outcome is not Outcome.SUCCEEDED:
        return record
    return record.model_copy(update={"outcome": Outcome.FAILED, "error": error})
