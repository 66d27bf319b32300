"""The papers' file-system test: files written one after another on each data disk (D0, Appendix B)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from howdah.model.counters import Counters
from howdah.model.reported import FileRate, ResultMetric
from howdah.model.workloads.base import Moved
from howdah.model.workloads.dfsio import FILE_SIZE, FILES, FilesWorkload, throughput

STORAGE: Final = "storage"


class Storage(FilesWorkload):
    """Writes and reads so many files on every data directory, one directory after another."""

    kind: Literal["storage"] = STORAGE

    options = (FILES, FILE_SIZE)
    programs: ClassVar = {"local": "howdah.engines.local.limits:storage"}
    sizes: ClassVar = {"local": "howdah.planner.local.programs:storage"}
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
