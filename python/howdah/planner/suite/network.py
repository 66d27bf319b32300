"""How a network is measured: how long, by how many connections, and how many pairs of hosts."""

from __future__ import annotations

from howdah.model.workloads.network import PAIRS_AT_ONCE, ROUNDS, SECONDS, STREAMS, Network
from howdah.planner.suite.cluster import ClusterSizes

_STREAMS = 4
_SECONDS = 5
_MOST_ROUNDS = 32
_TURNS = 3
"""A pair is measured one way, the other way, and both ways at once."""
_ROUND_TRIPS_S = 1
_LONGEST_ALONE_S = 600


def network(sizes: ClusterSizes) -> Network:
    """All pairs one after another while that takes minutes; else many pairs at once, and not all of them."""
    hosts = sizes.hosts
    streams = sizes.choose(
        "network streams",
        STREAMS,
        _STREAMS,
        reason="one connection may be held to one member of a bond, or to one CPU",
        source="howdah",
    )
    seconds = sizes.choose(
        "network seconds",
        SECONDS,
        _SECONDS,
        reason="TCP has found its speed after one second, which is left out",
        source="howdah",
    )
    rounds = sizes.choose(
        "network rounds",
        ROUNDS,
        min(hosts - 1, _MOST_ROUNDS),
        reason="every pair"
        if hosts - 1 <= _MOST_ROUNDS
        else "enough for each host and each pair of racks to be seen",
        source="howdah",
    )
    alone_s = rounds * hosts / 2 * (_TURNS * (seconds + 1) + _ROUND_TRIPS_S)
    alone = alone_s <= _LONGEST_ALONE_S
    pairs = sizes.choose(
        "network pairs at once",
        PAIRS_AT_ONCE,
        1 if alone else hosts // 2,
        reason="no other pair uses the links between two hosts"
        if alone
        else f"one pair after another would take {alone_s / 60:,.0f} minutes; pairs at once share no "
        "host, though what lies between hosts",
        source="howdah",
    )
    return Network(streams=streams, seconds=seconds, rounds=min(rounds, hosts - 1), pairs_at_once=pairs)
