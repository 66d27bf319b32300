"""Blocks of HDFS: sizes it takes, how many disks hold, and the NameNode's heap that knowing them takes."""

from __future__ import annotations

from howdah.units import GIB, MIB

_LEAST_BYTES = MIB
"""A NameNode takes none that is smaller, by default (dfs.namenode.fs-limits.min-block-size)."""
_MOST_BYTES = 8191 * 2**50
"""As many PiB as dfs.blocksize, a Java long, can hold."""
_CHECKED_BYTES = 512
"""A DataNode keeps a checksum of so much."""

BLOCKS = "give from 1MiB to 8191PiB, in multiples of 512 bytes"
"""What to say to whoever gives another size."""

BLOCK_BYTES = 256 * MIB
"""The block that is planned with before one is decided (D0 49, D1 77)."""
REPLICATION = 3
"""The replicas that are planned with where the user asks for no other number (X5)."""
FILL_LIMIT = 0.8
"""The share of its room that HDFS should hold: balancing, deleting late and lost disks need the rest."""
HEAP_BYTES_PER_BLOCK = 1000
"""1 GB of NameNode heap for a million blocks and their files: practice, not a paper."""
USUAL_HEAP = 4 * GIB
"""A NameNode's where there is room: users' files are smaller than blocks, so there are more of them."""
_HEAP_LEAST = GIB


def is_block(size_bytes: int) -> bool:
    """Whether a block can have this size."""
    return _LEAST_BYTES <= size_bytes <= _MOST_BYTES and size_bytes % _CHECKED_BYTES == 0


def namespace_blocks(raw_bytes: int, replication: int, block_bytes: int = BLOCK_BYTES) -> int:
    """Blocks that disks of this size hold when they are as full as they should ever be."""
    return int(raw_bytes * FILL_LIMIT / replication) // block_bytes


def namenode_heap_bytes(blocks: int) -> int:
    """The heap a NameNode needs for so many blocks and their files."""
    return max(_HEAP_LEAST, blocks * HEAP_BYTES_PER_BLOCK)
