"""Event logs of real Spark applications (tests/data/spark-events), and ways to write them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa

SPARK_EVENTS = Path(__file__).parent.parent / "data" / "spark-events"
LOGS = tuple(sorted(path.stem for path in SPARK_EVENTS.glob("*.gz")))


def log_bytes(name: str) -> bytes:
    """Return the log as Spark wrote it without compression."""
    return gzip.decompress((SPARK_EVENTS / f"{name}.gz").read_bytes())


def zstd(data: bytes, frame: int = 1 << 12) -> bytes:
    """Compress as Spark's zstd codec does: a frame for each flush."""
    codec = pa.Codec("zstd")
    return b"".join(codec.compress(data[at : at + frame], asbytes=True) for at in range(0, len(data), frame))


def lz4(data: bytes, size: int = 1 << 15) -> bytes:
    """Compress as lz4-java's LZ4BlockOutputStream does, with an empty block at the end and no checksums."""
    codec, packed = pa.Codec("lz4_raw"), b""
    for at in range(0, len(data), size):
        block = data[at : at + size]
        body = codec.compress(block, asbytes=True)
        packed += b"LZ4Block\x25" + _little(len(body)) + _little(len(block)) + _little(0) + body
    return packed + b"LZ4Block\x15" + _little(0) * 3


def snappy(data: bytes, size: int = 1 << 15) -> bytes:
    """Compress as snappy-java's SnappyOutputStream does."""
    codec, packed = pa.Codec("snappy"), b"\x82SNAPPY\x00" + (1).to_bytes(4, "big") * 2
    for at in range(0, len(data), size):
        body = codec.compress(data[at : at + size], asbytes=True)
        packed += len(body).to_bytes(4, "big") + body
    return packed


def _little(number: int) -> bytes:
    return number.to_bytes(4, "little")
