"""What virtual machines spend on being several."""

from __future__ import annotations

from howdah.planner.platforms.division import Division
from howdah.units import GIB

GUEST_BYTES = 3 * GIB
"""Operating system 1 GiB and a DataNode about 2 GB, for each virtual machine (RULES 122)."""


def guest_share(division: Division) -> float:
    """The part of the workers' memory that operating systems and DataNodes take, 0 to 1."""
    memory = sum(share.per_host * share.memory_bytes for share in division.shares)
    return min(1.0, division.per_host * GUEST_BYTES / memory)
