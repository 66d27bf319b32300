"""Tests of file systems: TestDFSIO on HDFS, and the papers' test of each data disk.

TestDFSIO's files are written, one by each map task, and read back. The papers write files one after another
on every disk (D0, Appendix B).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final, Literal

from howdah.model.reported import Counters, FileRate, ResultMetric
from howdah.model.workloads import option
from howdah.model.workloads.base import TOGETHER, Amount, Moved, Workload, run_by, sized_by
from howdah.units import MIB, format_bytes, format_counted

DFSIO_WRITE: Final = "dfsio-write"
DFSIO_READ: Final = "dfsio-read"

DFSIO_LOG: Final = "TestDFSIO_results.log"  # What TestDFSIO appends its results to, in the working directory.
DFSIO_FOLDER: Final = "dfsio"  # Where its files are kept.

FILES: Final = option.count(
    "files", "Number of files of dfsio and storage.", most=option.MOST_TASKS, fact="files"
)
FILE_SIZE: Final = option.size(
    "file_size", "Size of each of these files, such as 1GiB.",
    refuse=option.unless(lambda size_bytes: size_bytes >= MIB,
                  "{:,} bytes would measure creating files, not writing them", "give at least 1MiB"),
)  # fmt: skip


class FilesWorkload(Workload):
    """A program over files of one size."""

    files: int | None = None  # Files that it writes or reads.
    file_bytes: int | None = None  # Size of each of those files.

    @property
    def asked(self) -> Amount | None:
        if self.files is None or self.file_bytes is None:
            return None
        return Amount(self.files * self.file_bytes, "B")

    def in_words(self) -> tuple[str, ...]:
        if self.files is None:
            return ()
        return (f"{format_counted(self.files, 'file')} × {format_bytes(self.file_bytes or 0)}",)


class DfsioFiles(FilesWorkload):
    """One of TestDFSIO's two tests."""

    log = DFSIO_LOG
    primary_metric = "throughput per task"
    importance = TOGETHER
    passes: ClassVar[tuple[int, int]]  # How often it reads its files, and writes them.

    @property
    def written_bytes(self) -> int:
        return self.passes[1] * (self.files or 0) * (self.file_bytes or 0)

    def moved(self, done: Counters) -> Moved | None:
        return None if self.asked is None else Moved(*(times * self.asked.number for times in self.passes))


class DfsioWrite(DfsioFiles):
    """Writes the files."""

    kind: Literal["dfsio-write"] = DFSIO_WRITE
    block_bytes: int | None = None  # HDFS block size of the files it writes (dfs.blocksize).
    replication: int | None = None  # Replicas of the files it writes (dfs.replication).
    erasure_coding: str | None = None  # Erasure coding policy of the files it writes, instead of replicas.

    options = (FILES, FILE_SIZE, option.BLOCK_SIZE, option.REPLICATION, option.ERASURE_CODING)
    programs: ClassVar = run_by(
        local="benchmarks:dfsio_write", hadoop="benchmarks:dfsio_write", sim="translate:dfsio"
    )
    sizes: ClassVar = sized_by(local="dfsio_write", hadoop="dfsio_write", sim="dfsio_write")
    folder = DFSIO_FOLDER
    rated_over = "file bytes written, all files together"
    passes = (0, 1)


class DfsioRead(DfsioFiles):
    """Reads them back."""

    kind: Literal["dfsio-read"] = DFSIO_READ

    # A simulation finds no files of an earlier run.
    options_on: ClassVar = {"sim": (FILES, FILE_SIZE)}
    programs: ClassVar = run_by(
        local="benchmarks:dfsio_read", hadoop="benchmarks:dfsio_read", sim="translate:dfsio"
    )
    sizes: ClassVar = sized_by(local="dfsio_read", hadoop="dfsio_read", sim="dfsio_read")
    reads = DFSIO_WRITE
    rated_over = "file bytes read, all files together"
    passes = (1, 0)


def throughput(files: Iterable[FileRate], name: str = "throughput per task") -> tuple[ResultMetric, ...]:
    """All bytes over the sum of the files' I/O time, as TestDFSIO counts it; nothing where none was spent."""
    every = tuple(files)
    io_s = sum(file.io_s for file in every)
    if io_s <= 0:
        return ()
    rate = sum(file.bytes for file in every) / io_s
    over = "the files' own I/O time"
    return (ResultMetric(name=name, value=rate, unit="B/s", better="higher", over=over),)


STORAGE: Final = "storage"


class Storage(FilesWorkload):
    """Writes and reads so many files on every data directory, one directory after another."""

    kind: Literal["storage"] = STORAGE

    options = (FILES, FILE_SIZE)
    programs: ClassVar = run_by(local="benchmarks:storage")
    sizes: ClassVar = sized_by(local="storage")
    not_on: ClassVar = {
        "hadoop": "it measures one machine's disks, without HDFS",
        "sim": "it measures real disks, and their speeds are inputs of a simulation",
    }
    # It uses one disk and one thread at a time, and is itself a measurement of the raw disk.
    limited = False
    timed_by_file = True
    primary_metric = "writing"
    rated_over = "file bytes written and read, over the files' own I/O time"

    def moved(self, done: Counters) -> Moved | None:
        return Moved(done.read_bytes, done.written_bytes)


def zone_rates(files: Sequence[FileRate]) -> tuple[ResultMetric, ...]:
    """What the disks wrote and read, over all their zones."""
    written = [file for file in files if file.operation == "write"]
    read = [file for file in files if file.operation == "read"]
    return (*throughput(written, "writing"), *throughput(read, "reading"))
