"""What is run: one Workload, or a Suite of them with their parameters.

The names and parameters are Hadoop's own: a row is TeraSort's 100-byte row, maps and reduces are
tasks, slots are how many of them run at once.
"""

from __future__ import annotations

from enum import StrEnum

from howdah.model.base import Model

ROW_BYTES = 100
"""TeraSort's row: a key of 10 bytes and a value of 90."""

DFSIO_LOG = "TestDFSIO_results.log"
"""What TestDFSIO appends its results to, in the working directory."""


class WorkloadKind(StrEnum):
    """The programs howdah knows."""

    TERAGEN = "teragen"
    TERASORT = "terasort"
    TERAVALIDATE = "teravalidate"
    DFSIO_WRITE = "dfsio-write"
    DFSIO_READ = "dfsio-read"
    PI = "pi"
    NNBENCH = "nnbench"
    STORAGE = "storage"


class Codec(StrEnum):
    """Compression of intermediate data (mapreduce.map.output.compress.codec)."""

    NONE = "none"
    LZ4 = "lz4"
    SNAPPY = "snappy"
    ZSTD = "zstd"


class Workload(Model):
    """One program with its parameters; parameters that its kind does not use are left at None."""

    kind: WorkloadKind
    """The program."""
    rows: int | None = None
    """100-byte rows to generate, sort or validate."""
    maps: int | None = None
    """Map tasks."""
    reduces: int | None = None
    """Reduce tasks."""
    codec: Codec | None = None
    """Compression of intermediate data."""
    files: int | None = None
    """Files that dfsio and storage write or read."""
    file_bytes: int | None = None
    """Size of each of those files."""
    samples: int | None = None
    """Samples per map that pi draws."""
    inputs: tuple[str, ...] | None = None
    """Files to read instead of what an earlier workload left."""
    block_bytes: int | None = None
    """HDFS block size of the files it writes (dfs.blocksize)."""
    replication: int | None = None
    """Replicas of the files it writes; TeraSort's own default is 1."""
    slowstart: float | None = None
    """Share of maps that have ended before reduces start (mapreduce.job.reduce.slowstart.completedmaps)."""
    partition_samples: int | None = None
    """Keys that TeraSort samples for its partitions (mapreduce.terasort.partitions.sample)."""
    operations: int | None = None
    """Files that each map of nnbench creates, opens, renames and deletes."""


def replication_flag(kind: str) -> str:
    """The flag that says how many replicas a workload of this kind writes."""
    return "--output-replication" if kind == WorkloadKind.TERASORT else "--replication"


class Suite(Model):
    """A named list of workloads, run in order."""

    name: str
    """The suite's name on the command line."""
    workloads: tuple[Workload, ...]
    """In the order they run."""
