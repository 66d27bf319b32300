"""Blocks of HDFS: how many disks hold, and the NameNode's heap that knowing them takes."""

from __future__ import annotations

from howdah.units import GIB, MIB

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


def namespace_blocks(raw_bytes: int, replication: int, block_bytes: int = BLOCK_BYTES) -> int:
    """Blocks that disks of this size hold when they are as full as they should ever be."""
    return int(raw_bytes * FILL_LIMIT / replication) // block_bytes


def namenode_heap_bytes(blocks: int) -> int:
    """The heap a NameNode needs for so many blocks and their files."""
    return max(_HEAP_LEAST, blocks * HEAP_BYTES_PER_BLOCK)
