"""The files of a Spark event log as lines: one file or a rolling directory, plain or compressed.

A running or killed application's file ends in ``.inprogress``, and often within a line. Zstandard is a
standard stream; LZ4 and Snappy have their Java libraries' formats: blocks, each with a short header.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

import pyarrow as pa

from howdah.errors import UserError
from howdah.units import MIB

ROLLING = "eventlog_v2_"
"""Begins the name of a rolling log's directory."""
IN_PROGRESS = ".inprogress"

_PART = re.compile(r"events_(?P<number>\d+)_.+")
_COMPACT = ".compact"
_READ_BYTES = 256 * 1024
_LONGEST_LINE = 64 * MIB
"""A longer line, a query with a huge plan, is skipped."""
_LZ4_MAGIC = b"LZ4Block"
_LZ4_RAW = 0x10
_SNAPPY_MAGIC = b"\x82SNAPPY\x00"
_SNAPPY_HEADER = 16
_LARGEST_BLOCK = 64 * MIB
_HINT = "give a Spark event log: a file of spark.eventLog.dir, or a directory eventlog_v2_…"


_BEGINNING = b'{"Event":'
"""Every line of an event log begins so."""


class _Truncated(Exception):
    """The rest of a compressed file is missing or damaged."""


class EventLines:
    """The lines of a log; ``truncated`` is known after the last one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files = event_files(path)
        self.truncated = False
        self.skipped = 0
        """Lines that are too long to be read."""

    def __iter__(self) -> Iterator[bytes]:
        for file in self._files:
            try:
                yield from self._lines(_chunks(file))
            except _Truncated:
                self.truncated = True
            except OSError as error:
                raise UserError(
                    str(file), f"cannot be read: {error.strerror or error}", "check its permissions"
                ) from error

    def _lines(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        remainder, too_long = b"", False
        for chunk in chunks:
            *lines, last = chunk.split(b"\n")
            for number, line in enumerate(lines):
                whole = remainder + line if number == 0 else line
                if not (too_long and number == 0):
                    yield whole
                remainder, too_long = (b"", False) if number == 0 else (remainder, too_long)
            if too_long:
                continue
            remainder += last
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
        if any(begin.startswith(codec.magic) for codec in _CODECS):
            begin = next(_chunks(path), b"")
    except (OSError, pa.ArrowException, _Truncated):
        return False
    return begin.startswith(_BEGINNING)


def event_files(path: Path) -> list[Path]:
    """The files of an event log in their order; raises UserError if there is none."""
    try:
        if not path.exists():
            raise UserError(str(path), "no such file or directory", _HINT)
        if path.is_file():
            files = [path]
        else:
            files = _parts(path)
            if not files:
                raise UserError(str(path), "contains no event log", _HINT)
        if not any(file.stat().st_size for file in files):
            raise UserError(str(path), "is empty", "was spark.eventLog.enabled set when the application ran?")
    except OSError as error:
        raise UserError(str(path), f"cannot be read: {error.strerror or error}", _HINT) from error
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


class _Codec(NamedTuple):
    magic: bytes
    chunks: Callable[[Path], Iterator[bytes]]


def _chunks(path: Path) -> Iterator[bytes]:
    """The content, decompressed; the first bytes decide, because users rename files."""
    with path.open("rb") as stream:
        begin = stream.read(8)
    for codec in _CODECS:
        if begin.startswith(codec.magic):
            return codec.chunks(path)
    return _plain(path)


def _plain(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(_READ_BYTES):
            yield chunk


def _stream(kind: Literal["zstd", "gzip"]) -> Callable[[Path], Iterator[bytes]]:
    def chunks(path: Path) -> Iterator[bytes]:
        read, size = 0, _READ_BYTES
        while True:
            try:
                with path.open("rb") as file, pa.CompressedInputStream(file, kind) as stream:
                    _skip(stream, read)
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

    return chunks


def _skip(stream: pa.CompressedInputStream, size: int) -> None:
    while size:
        size -= len(stream.read(min(size, _READ_BYTES)))


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
            block = _block(stream, int.from_bytes(begin, "big"))
            yield _decompressed(block, _snappy_size(block), "snappy")


def _snappy_size(block: bytes) -> int:
    size = 0
    for at, byte in enumerate(block[:5]):
        size |= (byte & 0x7F) << (7 * at)
        if byte < 0x80:
            return size
    raise _Truncated


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


_CODECS = (
    _Codec(b"\x28\xb5\x2f\xfd", _stream("zstd")),
    _Codec(b"\x1f\x8b", _stream("gzip")),
    _Codec(_LZ4_MAGIC, _lz4),
    _Codec(_SNAPPY_MAGIC, _snappy),
)
