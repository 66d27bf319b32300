"""What a file takes under Hadoop's erasure coding policies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.storage_policy import POLICIES
from howdah.units import MIB

BLOCK = 128 * MIB


@pytest.mark.parametrize(
    ("policy", "size", "stored"),
    [
        # Measured on nine DataNodes of Hadoop 3.5.0: 450 MB for 300 MB.
        ("RS-6-3-1024k", 300 * MIB, 450 * MIB),
        ("RS-10-4-1024k", 1000 * MIB, 1400 * MIB),
        # A file smaller than a cell has parity as long as itself, so that it takes more than three replicas.
        ("RS-6-3-1024k", 1000, 4000),
        ("XOR-2-1-1024k", 1000, 2000),
        # The last row's parity is as long as its first cell.
        ("RS-3-2-1024k", 4 * MIB, 8 * MIB),
        ("RS-3-2-1024k", 3 * MIB + 1, 5 * MIB + 3),
    ],
)
def test_what_a_file_takes_on_disks(policy: str, size: int, stored: int) -> None:
    assert POLICIES[policy].stored_bytes(size) == stored


@pytest.mark.parametrize(
    ("policy", "size", "groups", "units"),
    [
        ("RS-6-3-1024k", 6 * BLOCK, 1, 9),
        ("RS-6-3-1024k", 6 * BLOCK + 1, 2, 9 + 4),
        ("XOR-2-1-1024k", 1000, 1, 2),
        ("RS-10-4-1024k", 3 * MIB, 1, 7),
    ],
)
def test_the_blocks_of_a_file(policy: str, size: int, groups: int, units: int) -> None:
    assert POLICIES[policy].group_count(size, BLOCK) == groups
    assert POLICIES[policy].unit_count(size, BLOCK) == units


@given(st.sampled_from(sorted(POLICIES)), st.integers(1, 10**13))
def test_a_file_takes_between_its_overhead_and_a_parity_for_each_byte(policy: str, size: int) -> None:
    code = POLICIES[policy]
    per_byte = code.stored_bytes(size) / size
    assert code.overhead * (1 - 1e-12) <= per_byte <= (1 + code.parity) * (1 + 1e-12)
