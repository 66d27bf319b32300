"""What is run: one Workload, or a Suite of them with their parameters.

The names and parameters are Hadoop's own: a row is TeraSort's 100-byte row, maps and reduces are
tasks, slots are how many of them run at once.
"""

from __future__ import annotations

from enum import StrEnum

from howdah.model.base import Model


class WorkloadKind(StrEnum):
    """The programs howdah knows."""

    TERAGEN = "teragen"
    TERASORT = "terasort"
    TERAVALIDATE = "teravalidate"
    DFSIO_WRITE = "dfsio-write"
    DFSIO_READ = "dfsio-read"
    PI = "pi"
    STORAGE = "storage"


class Codec(StrEnum):
    """Compression of intermediate data (mapreduce.map.output.compress.codec)."""

    NONE = "none"
    LZ4 = "lz4"
    SNAPPY = "snappy"
    ZSTD = "zstd"


class Workload(Model):
    """One program with its parameters; parameters that its kind does not use are left at None.

    ``rows`` are 100-byte TeraSort rows; ``files`` and ``file_bytes`` belong to dfsio and storage;
    ``samples`` is pi's samples per map. ``inputs`` are files to read instead of what an earlier
    workload left.
    """

    kind: WorkloadKind
    rows: int | None = None
    maps: int | None = None
    reduces: int | None = None
    codec: Codec | None = None
    files: int | None = None
    file_bytes: int | None = None
    samples: int | None = None
    inputs: tuple[str, ...] | None = None


class Suite(Model):
    """A named list of workloads, run in order."""

    name: str
    workloads: tuple[Workload, ...]
