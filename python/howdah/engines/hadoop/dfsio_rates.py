"""What TestDFSIO's tasks say of their I/O: the sums in its output, and each file's in its task's log."""

from __future__ import annotations

from typing import NamedTuple


class Sums(NamedTuple):
    """The sums over all files that TestDFSIO's reduce writes."""

    tasks: int
    """Files."""
    size_bytes: int
    """Bytes of them all."""
    io_ms: int
    """Milliseconds that tasks spent on I/O alone."""


def read_sums(output: str) -> Sums:
    """Read part-00000, lines like ``l:size<TAB>30000000``; the letter is Hadoop's for a number's type."""
    found = dict(line.split("\t", 1) for line in output.splitlines() if "\t" in line)
    return Sums(*(int(found.get(f"l:{name}", "0")) for name in ("tasks", "size", "time")))
