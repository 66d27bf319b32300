"""What HDFS takes for a block."""

from __future__ import annotations

from howdah.units import MIB

_LEAST_BYTES = MIB
"""A NameNode takes none that is smaller, by default (dfs.namenode.fs-limits.min-block-size)."""
_MOST_BYTES = 8191 * 2**50
"""As many PiB as dfs.blocksize, a Java long, can hold."""
_CHECKED_BYTES = 512
"""A DataNode keeps a checksum of so much."""

BLOCKS = "give from 1MiB to 8191PiB, in multiples of 512 bytes"
"""What to say to whoever gives another size."""


def is_block(size_bytes: int) -> bool:
    """Whether a block can have this size."""
    return _LEAST_BYTES <= size_bytes <= _MOST_BYTES and size_bytes % _CHECKED_BYTES == 0
