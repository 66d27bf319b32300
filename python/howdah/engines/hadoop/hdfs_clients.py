"""HDFS clients that run next to a job with faults: probes, and a ledger of acknowledged writes."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.processes import ConcurrentProgram
from howdah.faults.probes import (
    Content,
    LedgerEntry,
    ProbeAnswer,
    ProbeLog,
    compare_with_files,
    probe_reports,
)
from howdah.installation.java_programs import compiled, java_command
from howdah.model.faults import LEDGER_UNREAD
from howdah.model.run import Outcome, RunRecord, RunWarning
from howdah.units import format_seconds

JOURNAL = "ledger.tsv"
"""The file in a run's directory with all operations of clients and their results."""
_CLASSES, _MAIN = "hdfs", "HdfsBeside"
_CLIENTS, _EVERY_MS = 2, 100
_END_S = 600.0
"""HDFS closes files of lost writers only after minutes."""
_GOOD = "OK"


class HdfsClients:
    """A Java program that writes and reads back; see ``howdah.engines.on_lab.engine.ConcurrentClients``."""

    def __init__(self, target: HadoopTarget, runs_dir: Path) -> None:
        self._target = target
        self._runs_dir = runs_dir
        installation = target.installation
        classes = compiled(_CLASSES, installation.class_path, "set HADOOP_HOME to a Hadoop 3.x")
        self._installation = installation._replace(class_path=(str(classes), *installation.class_path))
        self._program: ConcurrentProgram | None = None
        self._seconds: Callable[[float], float] = lambda epoch_s: epoch_s
        self._lock = Lock()
        self._logs: dict[str, ProbeLog] = {}
        self._operations: dict[tuple[int, int], LedgerEntry] = {}
        self._since_s: dict[tuple[int, int], float] = {}
        self._longest: tuple[float, float] | None = None
        """The longest wait of a client, and its start, seconds since the run's start."""
        self._contents: dict[str, Content] = {}
        self._ended = False
        self._trouble: str | None = None
        self._lost_reason: str | None = None

    def begin(self, record: RunRecord, seconds: Callable[[float], float]) -> None:
        """Start the clients; ``seconds`` converts seconds since 1970 to those since the run's start."""
        self._seconds = seconds
        self._journal = (self._runs_dir / record.id / JOURNAL).open("w", encoding="utf-8")
        words = (posixpath.join(self._target.work_dir, f"{record.id}-beside"), str(_CLIENTS), str(_EVERY_MS))
        options = ("-Xmx256m", "-XX:+UseSerialGC")
        command = java_command(self._installation, self._target.conf_dir, _MAIN, *words, options=options)
        self._program = ConcurrentProgram([*self._target.client_prefix, *command], self._read_line)

    def end(self, record: RunRecord) -> RunRecord:
        """Stop the clients and compare files with acknowledged operations, after all faults were reverted."""
        if self._program is None:
            return record
        by_itself = self._program.end(_END_S)
        self._journal.close()
        with self._lock:
            probes = probe_reports(self._logs.values())
        record = record.model_copy(update={"probes": (*record.probes, *probes)})
        if self._trouble is not None:
            return ledger_unread(record, self._trouble)
        if not (by_itself and self._ended):
            late = f"not read back within {format_seconds(_END_S)}"
            why = self._lost_reason or ("the process that reads it back ended early" if by_itself else late)
            # Without any acknowledgement the end of the program proves nothing about HDFS.
            kept = any(entry.acknowledged for entry in self._operations.values())
            return ledger_lost(record, why) if kept else ledger_unread(record, why)
        report = compare_with_files(
            [self._operations[key] for key in sorted(self._operations)], self._contents
        )
        if self._longest is not None:
            longest_s, at_s = self._longest
            report = report.model_copy(update={"longest_s": longest_s, "longest_at_s": at_s})
        record = record.model_copy(update={"ledger": report})
        if report.sound:
            return record
        first = "; ".join(f"{violations[0]} is {name}" for name, violations in report.broken.items())
        return _failed(record, f"HDFS lost or changed acknowledged data: {first}")

    def _read_line(self, line: str) -> None:
        kind, *words = line.split("\t")
        try:
            match kind:
                case "probe":
                    self._answered(*words)
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

    def _answered(self, operation: str, start_ms: str, took_us: str, result: str) -> None:
        answer = ProbeAnswer(
            self._seconds(int(start_ms) / 1000), int(took_us) / 1e6, None if result == _GOOD else result
        )
        with self._lock:
            self._logs.setdefault(operation, ProbeLog("HDFS", operation)).add(answer)

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
    text = f"acknowledged data could not be compared with HDFS: {why}"
    warning = RunWarning(code=LEDGER_UNREAD, text=text)
    return record.model_copy(update={"warnings": (*record.warnings, warning)})


def ledger_lost(record: RunRecord, why: str) -> RunRecord:
    """Return the failed record of a run after which HDFS returns none of the acknowledged data."""
    return _failed(ledger_unread(record, why), f"HDFS returns none of the acknowledged data: {why}")


def _failed(record: RunRecord, error: str) -> RunRecord:
    if record.outcome is not Outcome.SUCCEEDED:
        return record
    return record.model_copy(update={"outcome": Outcome.FAILED, "error": error})
