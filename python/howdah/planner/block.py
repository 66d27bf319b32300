"""Blocks of HDFS: how many disks hold, and the NameNode's heap that knowing them takes."""

from __future__ import annotations

from howdah.model.request import PlanRequest
from howdah.units import GIB, MIB

BLOCK_BYTES = 256 * MIB
"""The block that is planned with before one is decided (D0 49, D1 77)."""
REPLICATION = 3
"""The replicas that are planned with where the user asks for no other number (X5)."""
FILL_LIMIT = 0.8
"""The share of its room that HDFS should hold: balancing, deleting late and lost disks need the rest."""
FILE_BYTES = 64 * MIB
"""The mean file that is planned with where the user names none: far smaller than a block.

Vendors' sizes are for such files: Hortonworks' table is for 1.1 to 1.2 blocks a file, Cloudera counts 1.5.
"""
HEAP_BYTES_PER_BLOCK = 1100
"""Cloudera's 1 GB of NameNode heap for a million blocks and their files, and its tenth more for G1."""
USUAL_HEAP = 4 * GIB
"""A NameNode's where there is room: clients, reports and snapshots take some, however few the files."""
_HEAP_LEAST = GIB
HEAP_MOST = 186 * GIB
"""Of a NameNode, 200 GB: collections of larger heaps stop it for longer than its clients wait (howdah)."""


def file_bytes(request: PlanRequest) -> int:
    """The mean size of the files to be stored: the user's, or the one that is planned with."""
    return request.file_bytes or FILE_BYTES


def blocks_of(stored_bytes: float, block_bytes: float, mean_file_bytes: int) -> int:
    """The most blocks that so much data is, before replication: each file may end in a part of one."""
    return int(stored_bytes / block_bytes + stored_bytes / mean_file_bytes)


def namespace_blocks(
    raw_bytes: int, replication: int, *, block_bytes: int = BLOCK_BYTES, mean_file_bytes: int
) -> int:
    """Blocks that disks of this size hold when they are as full as they should ever be."""
    return blocks_of(raw_bytes * FILL_LIMIT / replication, block_bytes, mean_file_bytes)


def namenode_heap_bytes(blocks: int) -> int:
    """The heap a NameNode needs for so many blocks and their files."""
    return max(_HEAP_LEAST, blocks * HEAP_BYTES_PER_BLOCK)
