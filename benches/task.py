"""What every competitor is asked to do, and what each of them does at its end."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

ROW_BYTES = 100


class Task(NamedTuple):
    """One file of rows to work on; memory in bytes."""

    input: Path
    output: Path
    scratch: Path
    rows: int
    memory_bytes: int
    threads: int

    @property
    def bytes(self) -> int:
        """The rows' size."""
        return self.rows * ROW_BYTES

    def arguments(self) -> list[str]:
        """The task as a competitor's command line."""
        return [str(value) for value in self]


def task_of_command_line() -> Task:
    """The task this competitor's process was started with."""
    source, output, scratch, rows, memory, threads = sys.argv[-6:]
    return Task(Path(source), Path(output), Path(scratch), int(rows), int(memory), int(threads))


def part_files(output: Path) -> list[Path]:
    """What a competitor wrote, in order."""
    return sorted(output.glob("part-*"))


def sync_output(output: Path) -> None:
    """Wait until a competitor's output is on disk, as howdah's is when it says it is done."""
    for path in [*part_files(output), output]:
        file = os.open(path, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
