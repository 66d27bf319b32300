"""Racks of unequal size: what they hold without keeping all replicas of a block in one of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.planner.topology import safe_bytes, weigh_racks
from support.clusters import host_group, inventory

TB = 10**12
ROOMS = st.lists(st.integers(1, 10**6), min_size=2, max_size=8)


@given(ROOMS, st.integers(2, 5))
def test_so_much_fits_and_no_more(rooms: list[int], replicas: int) -> None:
    safe = safe_bytes(rooms, replicas)

    def fits(data: float) -> bool:
        return sum(min(room, (replicas - 1) * data) for room in rooms) >= replicas * data * (1 - 1e-9)

    assert fits(safe)
    assert not fits(safe * 1.001)


def test_equal_racks_are_as_safe_as_they_are_large() -> None:
    assert safe_bytes([100.0] * 4, 3) == pytest.approx(400 / 3)
    even = host_group(count=20, racks=("r1", "r2"))
    assert weigh_racks(inventory(even), 100 * TB, 3) == ()


def test_a_rack_that_is_far_larger_than_the_others_is_told_of() -> None:
    small = host_group("small", count=2, racks=("r1",))
    large = host_group("large", count=20, racks=("r2",))
    (advice,) = weigh_racks(inventory(small, large), 110 * TB, 3)
    assert advice.rule == "capacity.rack-balance"
    assert "Rack r2 has 91 % of all disks" in advice.text
    assert "the others have room for 30.0 TB of the 110 TB" in advice.text


def test_without_racks_or_replicas_there_is_nothing_to_balance() -> None:
    small = host_group("small", count=2)
    large = host_group("large", count=20, racks=("r2",))
    assert weigh_racks(inventory(small, large), 110 * TB, 3) == ()
    apart = host_group("small", count=2, racks=("r1",))
    assert weigh_racks(inventory(apart, large), 110 * TB, 1) == ()
