"""Hadoop's erasure coding policies: how they divide a file, and what that takes.

A file is cut into cells. Each row of ``data`` cells gets ``parity`` cells, every one on another DataNode.
Sources: Hadoop 3.5.0's SystemErasureCodingPolicies, StripedBlockUtil, BlockPlacementPolicyRackFaultTolerant.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from howdah.units import MIB


class CodingRate(NamedTuple):
    """What one core codes with Hadoop's Java coder, bytes per second of its CPU time."""

    encoded_bytes_per_s: float
    """Bytes of data for which it computes the parity."""
    rebuilt_bytes_per_s: float
    """Bytes of one lost unit that it computes from the others."""


class ErasurePolicy(NamedTuple):
    """One of Hadoop's policies."""

    name: str
    data: int
    """Data units of a block group."""
    parity: int
    """Parity units of a block group: so many lost units can be rebuilt."""
    java: CodingRate
    """The speed of Hadoop's Java coder, which works without ISA-L; see benches/coder_speed.py."""
    cell_bytes: int = MIB

    @property
    def units(self) -> int:
        """Units of a full block group, each on another DataNode."""
        return self.data + self.parity

    @property
    def overhead(self) -> float:
        """Bytes on disk for each byte of a large file."""
        return self.units / self.data

    def stored_bytes(self, file_bytes: float) -> float:
        """Bytes on disk of a file: its parity cells are as long as the longest data cell of their row."""
        row = self.data * self.cell_bytes
        rows, rest = divmod(file_bytes, row)
        parity = self.parity * (rows * self.cell_bytes + min(rest, self.cell_bytes))
        return file_bytes + parity

    def unit_count(self, file_bytes: float, block_bytes: float) -> int:
        """Blocks on DataNodes for a file; a short last group has only the data units that it needs."""
        group = self.data * block_bytes
        groups, rest = divmod(file_bytes, group)
        last = min(self.data, math.ceil(rest / self.cell_bytes)) + self.parity if rest else 0
        return round(groups) * self.units + last

    def group_count(self, file_bytes: float, block_bytes: float) -> int:
        """Block groups of a file; the NameNode has one object for each."""
        return math.ceil(file_bytes / (self.data * block_bytes))


def _policy(name: str, data: int, parity: int, encoded: float, rebuilt: float) -> ErasurePolicy:
    return ErasurePolicy(name, data, parity, CodingRate(encoded, rebuilt))


POLICIES: Final = {
    policy.name: policy
    for policy in (
        _policy("RS-6-3-1024k", 6, 3, 560e6, 277e6),
        _policy("RS-10-4-1024k", 10, 4, 421e6, 167e6),
        _policy("RS-3-2-1024k", 3, 2, 848e6, 557e6),
        _policy("XOR-2-1-1024k", 2, 1, 1822e6, 816e6),
    )
}
"""The policies by name. RS-LEGACY-6-3-1024k, which exists for old files only, is left out."""
