"""Everybody meets everybody once, and nobody is in two pairs at a time."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from howdah.engines.hosts.engine import ring, rounds


@given(st.integers(2, 40))
def test_everybody_meets_everybody_once(hosts: int) -> None:
    met = Counter(frozenset(pair) for pairs in rounds(range(hosts)) for pair in pairs)
    assert met == Counter(frozenset(pair) for pair in combinations(range(hosts), 2))


@given(st.integers(2, 40))
def test_nobody_is_in_two_pairs_of_a_round(hosts: int) -> None:
    for pairs in rounds(range(hosts)):
        busy = [host for pair in pairs for host in pair]
        assert len(busy) == len(set(busy)) == hosts - hosts % 2


@given(st.lists(st.integers(1, 10), min_size=2, max_size=12))
def test_a_ring_crosses_hosts_and_serves_everybody_once(workers: list[int]) -> None:
    machines = [[(host, worker) for worker in range(many)] for host, many in enumerate(workers)]
    pairs = ring(machines)
    assert all(source[0] != target[0] for source, target in pairs)
    assert len({source for source, _ in pairs}) == len({target for _, target in pairs}) == len(pairs)
    # Nobody is left out where no host has more machines than all others together.
    everybody = sum(workers) if 2 * max(workers) <= sum(workers) else len(workers)
    assert len(pairs) == everybody
