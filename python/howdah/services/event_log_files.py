"""The files of a Spark event log as lines, one file or a rolling directory, and its tasks as columns.

A running or killed application's file ends in ``.inprogress``, and often within a line. Zstandard is a
standard stream; Spark's LZ4 and Snappy have their Java libraries' formats: blocks, each with a short header.
Users compress logs again, with gzip, bzip2 or the program lz4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pyarrow as pa

from howdah.errors import UserError, os_errors
from howdah.hadoop.config_files import without_secrets
from howdah.model.application import SPARK_TASKS_SCHEMA
from howdah.units import MIB

ROLLING = "eventlog_v2_"
IN_PROGRESS = ".inprogress"

_PART = re.compile(r"events_(?P<number>\d+)_.+")
_COMPACT = ".compact"
_READ_BYTES = 256 * 1024
_LONGEST_LINE = 64 * MIB  # A longer line, a query with a huge plan, is skipped.
_LZ4_MAGIC = b"LZ4Block"
_LZ4_RAW = 0x10
_SNAPPY_MAGIC = b"\x82SNAPPY\x00"
_SNAPPY_HEADER = 16
_LARGEST_BLOCK = 64 * MIB
_HINT = "give a Spark event log: a file of spark.eventLog.dir, or a directory eventlog_v2_…"


_BEGINNING = b'{"Event":'  # Every line of an event log begins so.


class _Truncated(Exception):
    """The rest of a compressed file is missing or damaged."""


class EventLines:
    """The lines of a log; ``truncated`` is known after the last one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files = event_files(path)
        self.truncated = False
        self.skipped = 0

    def __iter__(self) -> Iterator[bytes]:
        for file in self._files:
            try:
                yield from self._lines(_chunks(file))
            except _Truncated:
                self.truncated = True
            except OSError as error:
                problem = f"cannot be read: {error.strerror or error}"
                raise UserError(str(file), problem, "check its permissions") from error

    def _lines(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        remainder, too_long = b"", False
        for chunk in chunks:
            first, *lines = chunk.split(b"\n")
            if not too_long:
                remainder += first
            if lines:
                if not too_long:
                    yield remainder
                *whole, remainder = lines
                too_long = False
                yield from whole
            if len(remainder) > _LONGEST_LINE:
                remainder, too_long = b"", True
                self.skipped += 1
        if remainder:
            # A complete log ends with a line feed, but a copy may lack it.
            if remainder.endswith(b"}"):
                yield remainder
            else:
                self.truncated = True


def is_event_log_name(name: str) -> bool:
    """Whether a name may be an event log's: hidden files and Spark's status files are none."""
    return not name.startswith((".", "_", "appstatus_")) and not name.endswith((".crc", ".tmp"))


def begins_as_event_log(path: Path) -> bool:
    """Whether a file's content, decompressed, begins with an event: users rename logs."""
    try:
        with path.open("rb") as stream:
            begin = stream.read(len(_BEGINNING))
        if begin.startswith(tuple(_CODECS)):
            begin = next(_chunks(path), b"")
    except (OSError, pa.ArrowException, _Truncated):
        return False
    return begin.startswith(_BEGINNING)


def event_files(path: Path) -> list[Path]:
    """The files of an event log in their order; raises UserError if there is none."""
    with os_errors(path, "cannot be read: {}", _HINT):
        if not path.exists():
            raise UserError(str(path), "no such file or directory", _HINT)
        files = [path] if path.is_file() else _parts(path)
        if not files:
            raise UserError(str(path), "contains no event log", _HINT)
        if not any(file.stat().st_size for file in files):
            raise UserError(str(path), "is empty", "was spark.eventLog.enabled set when the application ran?")
    return files


def _parts(directory: Path) -> list[Path]:
    """Parts by number; a compacted part replaces itself and all parts before it."""
    parts = []
    for file in directory.iterdir():
        match = _PART.fullmatch(file.name)
        if match and is_event_log_name(file.name):
            compact = file.name.removesuffix(IN_PROGRESS).endswith(_COMPACT)
            parts.append((int(match["number"]), compact, file))
    parts.sort()
    first = max((at for at, (_, compact, _) in enumerate(parts) if compact), default=0)
    return [file for _, _, file in parts[first:]]


def _chunks(path: Path) -> Iterator[bytes]:
    """The content, decompressed; the first bytes decide, because users rename files."""
    with path.open("rb") as stream:
        begin = stream.read(8)
        for magic, chunks in _CODECS.items():
            if begin.startswith(magic):
                yield from chunks(path)
                return
        while begin:
            yield begin
            begin = stream.read(_READ_BYTES)


def _stream(kind: Literal["zstd", "gzip", "lz4", "bz2"], path: Path) -> Iterator[bytes]:
    read, size = 0, _READ_BYTES
    while True:
        try:
            with path.open("rb") as file, pa.CompressedInputStream(file, kind) as stream:
                to_skip = read
                while to_skip:
                    to_skip -= len(stream.read(min(to_skip, _READ_BYTES)))
                while chunk := stream.read(size):
                    read += len(chunk)
                    yield chunk
                return
        except OSError as error:
            if error.errno is not None:
                raise
            if size == 1:
                raise _Truncated from error
            # A read that fails returns nothing of what was there: read again, byte by byte.
            size = 1


def _lz4(path: Path) -> Iterator[bytes]:
    """lz4-java's blocks: magic, method, compressed and plain length, checksum, all little-endian."""
    with path.open("rb") as stream:
        while header := stream.read(21):
            if len(header) < 21 or not header.startswith(_LZ4_MAGIC):
                raise _Truncated
            packed_size, size = (int.from_bytes(header[at : at + 4], "little") for at in (9, 13))
            if size == 0:
                continue
            block = _block(stream, packed_size)
            yield block if header[8] & 0xF0 == _LZ4_RAW else _decompressed(block, size, "lz4_raw")


def _snappy(path: Path) -> Iterator[bytes]:
    """snappy-java's blocks, each after its big-endian length; every flush may start a new header."""
    with path.open("rb") as stream:
        while begin := stream.read(4):
            if _SNAPPY_MAGIC.startswith(begin):
                stream.read(_SNAPPY_HEADER - len(begin))
                continue
            if len(begin) < 4:
                raise _Truncated
            block, size = _block(stream, int.from_bytes(begin, "big")), 0
            for at, byte in enumerate(block[:5]):
                size |= (byte & 0x7F) << (7 * at)
                if byte < 0x80:
                    break
            else:
                raise _Truncated
            yield _decompressed(block, size, "snappy")


def _block(stream: BinaryIO, size: int) -> bytes:
    if size > _LARGEST_BLOCK:
        raise _Truncated
    block = stream.read(size)
    if len(block) < size:
        raise _Truncated
    return block


def _decompressed(block: bytes, size: int, kind: Literal["lz4_raw", "snappy"]) -> bytes:
    if size > _LARGEST_BLOCK:
        raise _Truncated
    try:
        return pa.decompress(block, decompressed_size=size, codec=kind, asbytes=True)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _Truncated from error


_CODECS: dict[bytes, Callable[[Path], Iterator[bytes]]] = {
    b"\x28\xb5\x2f\xfd": partial(_stream, "zstd"),
    b"\x1f\x8b": partial(_stream, "gzip"),
    b"\x04\x22\x4d\x18": partial(_stream, "lz4"),
    b"BZh": partial(_stream, "bz2"),
    _LZ4_MAGIC: _lz4,
    _SNAPPY_MAGIC: _snappy,
}  # The readers of compressed files by their first bytes.


Event = dict[str, Any]
Row = tuple[Any, ...]

_BATCH = 8192
_LONGEST_MESSAGE = 300
_TRACEBACK = "Traceback (most recent call last):"
_DETAILS = ("Class Name", "Description", "Loss Reason", "Kill Reason", "Message")
"""Details that a reason may have in addition to its name, in the order shown."""


class TaskColumns:
    """Task attempts, added in any order."""

    def __init__(self) -> None:
        self._batches: list[pa.RecordBatch] = []
        self._rows: list[Row] = []
        self._running: dict[int, Row] = {}
        self.first_ms = 0
        self.last_ms = 0

    def start(self, event: Event) -> None:
        info = event["Task Info"]
        # The columns before the metrics; kind is only in the event of its end.
        self._running[int(info["Task ID"])] = self._head(event, info, "", "running", "")

    def end(self, event: Event) -> None:
        info, reason = event["Task Info"], event.get("Task End Reason") or {}
        state, failure = _ending(reason)
        head = self._head(event, info, str(event.get("Task Type") or ""), state, failure)
        # Failed attempts of old releases have their metrics in the reason.
        self._rows.append(head + _metrics(event.get("Task Metrics") or reason.get("Metrics") or {}))
        self._running.pop(int(info["Task ID"]), None)
        if len(self._rows) == _BATCH:
            self._flush()

    def table(self) -> pa.Table:
        """Return all attempts, those that still run last."""
        self._rows += [head + _metrics({}) for head in self._running.values()]
        self._running = {}
        self._flush()
        return pa.Table.from_batches(self._batches, SPARK_TASKS_SCHEMA).unify_dictionaries()

    def _head(self, event: Event, info: Event, kind: str, state: str, failure: str) -> Row:
        start, end = _count(info, "Launch Time"), _count(info, "Finish Time")
        self.first_ms = min(self.first_ms or start, start)
        self.last_ms = max(self.last_ms, start, end)
        partition = info.get("Partition ID")
        return (
            _int(event["Stage ID"]),
            _int(event.get("Stage Attempt ID") or 0),
            _count(info, "Task ID"),
            _int(info["Index"]),
            None if partition in (None, -1) else _int(partition),
            _int(info.get("Attempt") or 0),
            kind,
            str(info["Host"]),
            str(info["Executor ID"]),
            str(info.get("Locality") or ""),
            bool(info.get("Speculative")),
            state,
            failure,
            start / 1000,
            end / 1000 if end else None,
            _count(info, "Getting Result Time") / 1000 or None,
        )

    def _flush(self) -> None:
        columns = list(zip(*self._rows, strict=True)) or [()] * len(SPARK_TASKS_SCHEMA)
        arrays = list(map(pa.array, columns, SPARK_TASKS_SCHEMA.types))
        self._batches.append(pa.RecordBatch.from_arrays(arrays, schema=SPARK_TASKS_SCHEMA))
        self._rows = []


def _metrics(metrics: Event) -> Row:
    """The columns of metrics; a metric that a release or an attempt lacks is 0, as Spark itself counts it."""
    read = metrics.get("Shuffle Read Metrics") or {}
    write = metrics.get("Shuffle Write Metrics") or {}
    source = metrics.get("Input Metrics") or {}
    target = metrics.get("Output Metrics") or {}
    return (
        _count(metrics, "Executor Run Time") / 1e3,
        _count(metrics, "Executor CPU Time") / 1e9,
        _count(metrics, "JVM GC Time") / 1e3,
        _count(metrics, "Executor Deserialize Time") / 1e3,
        _count(metrics, "Executor Deserialize CPU Time") / 1e9,
        _count(metrics, "Result Serialization Time") / 1e3,
        _count(metrics, "Result Size"),
        _count(metrics, "Memory Bytes Spilled"),
        _count(metrics, "Disk Bytes Spilled"),
        _count(metrics, "Peak Execution Memory"),
        _count(source, "Bytes Read"),
        _count(source, "Records Read"),
        _count(target, "Bytes Written"),
        _count(target, "Records Written"),
        _count(read, "Remote Bytes Read"),
        _count(read, "Local Bytes Read"),
        _count(read, "Total Records Read"),
        _count(read, "Fetch Wait Time") / 1e3,
        _count(write, "Shuffle Bytes Written"),
        _count(write, "Shuffle Records Written"),
        _count(write, "Shuffle Write Time") / 1e9,
    )


def first_line(text: Any) -> str:
    """Return the first line of a message without secrets; of a traceback, the error below it."""
    first, _, remainder = str(text or "").strip().partition("\n")
    if _TRACEBACK in first:
        first = next((line for line in remainder.splitlines() if line[:1].strip()), first)
    return without_secrets(first.strip())[:_LONGEST_MESSAGE]


def _count(metrics: Event, name: str) -> int:
    return _int(metrics.get(name) or 0, 64)


def _int(value: Any, bits: int = 32) -> int:
    number = int(value)
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise OverflowError(number)
    return number


def _ending(reason: Event) -> tuple[str, str]:
    name = str(reason.get("Reason") or "Success")
    if name == "Success":
        return "succeeded", ""
    details = (first_line(reason[key]) for key in _DETAILS if reason.get(key))
    text = ": ".join([name, *details])[:_LONGEST_MESSAGE]
    return ("killed" if name in ("TaskKilled", "TaskCommitDenied", "Resubmitted") else "failed"), text
