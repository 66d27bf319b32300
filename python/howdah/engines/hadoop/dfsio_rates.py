"""What TestDFSIO's tasks say of their I/O: the sums in its output, and each file's in its task's log."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from howdah.model.run import FileRate
from howdah.services.job import JobFacts
from howdah.services.task_log import Container, TaskLogs

_FILE = re.compile(r"Processing split: \S+/in_file_(test_io_\d+):")
_SIZE = re.compile(r"TestDFSIO: Number of bytes processed = (\d+)$", re.MULTILINE)
_TIME = re.compile(r"TestDFSIO: Exec time = (\d+)$", re.MULTILINE)


class Sums(NamedTuple):
    """The sums over all files that TestDFSIO's reduce writes."""

    tasks: int
    """Files."""
    size_bytes: int
    """Bytes of them all."""
    io_ms: int
    """Milliseconds that tasks spent on I/O alone."""


class TaskRate(NamedTuple):
    """One file, as its task's log has it."""

    name: str
    """``test_io_0``."""
    size_bytes: int
    """Bytes that were written or read."""
    io_ms: int
    """Milliseconds from when the file was open to when it was closed."""


def read_sums(output: str) -> Sums:
    """Read part-00000, lines like ``l:size<TAB>30000000``; the letter is Hadoop's for a number's type."""
    found = dict(line.split("\t", 1) for line in output.splitlines() if "\t" in line)
    return Sums(*(int(found.get(f"l:{name}", "0")) for name in ("tasks", "size", "time")))


def read_task(log: str) -> TaskRate | None:
    """Read a map task's log; None for one that holds no result."""
    name, size, time = _FILE.search(log), _SIZE.search(log), _TIME.search(log)
    return TaskRate(name[1], int(size[1]), int(time[1])) if name and size and time else None


def file_rates(
    job: JobFacts, logs: TaskLogs, sums: Sums, folder: str, operation: Literal["write", "read"]
) -> tuple[FileRate, ...] | None:
    """Every file's rate, from the logs of the tasks; None unless they add up to what the reduce wrote."""
    found: list[TaskRate] = []
    for task in job.tasks:
        winner = next((one for one in task.attempts if one.id == task.winner), None)
        if task.kind != "map" or winner is None:
            continue
        rate = read_task(logs.tail(Container(winner.container, winner.node_web), "syslog"))
        if rate is None:
            return None
        found.append(rate)
    if sums != Sums(len(found), sum(one.size_bytes for one in found), sum(one.io_ms for one in found)):
        return None
    return tuple(
        FileRate(
            path=f"{folder}/io_data/{one.name}",
            bytes=one.size_bytes,
            io_s=one.io_ms / 1000,
            operation=operation,
        )
        for one in sorted(found, key=lambda one: int(one.name.rpartition("_")[2]))
    )
