"""iperf3's own reports, recorded over a link of 1 Gb/s."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from howdah.engines.hosts.tools import Station, nominal, rates

DATA = Path(__file__).parents[3] / "data/iperf3"


def station(name: str, nominal_bits_per_s: int | None = 10**9) -> Station:
    return Station(name, name, name, (), nominal_bits_per_s)


def report(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text())


def test_one_way_is_what_arrived() -> None:
    (link,) = rates(report("one-way"), station("a"), station("b"), "one way", 2)
    assert (link.source, link.target) == ("a", "b")
    assert link.bits_per_s == pytest.approx(956.3e6, rel=1e-3)
    assert link.nominal_bits_per_s == 10**9
    assert link.retransmits == 0
    # Mean and longest over both streams, from microseconds.
    assert link.round_trip_s == pytest.approx(2.14e-3, rel=0.02)
    assert link.longest_round_trip_s == pytest.approx(2.2e-3, rel=0.05)
    assert link.source_cpu == pytest.approx(0.0202, rel=0.01)
    assert link.target_cpu == pytest.approx(0.0505, rel=0.01)


def test_both_ways_are_two_links_and_only_the_client_knows_its_round_trips() -> None:
    there, back = rates(report("both-ways"), station("a"), station("b"), "both ways", 2)
    assert (there.source, back.source) == ("a", "b")
    assert there.bits_per_s == pytest.approx(955.3e6, rel=1e-3)
    assert back.bits_per_s == pytest.approx(953.5e6, rel=1e-3)
    assert there.round_trip_s == pytest.approx(3.96e-3, rel=0.01)
    assert back.round_trip_s is None
    assert (back.source_cpu, back.target_cpu) == (there.target_cpu, there.source_cpu)


def test_the_slower_port_counts_and_an_unknown_one_makes_none() -> None:
    assert nominal(station("a"), station("b", 10**8)) == 10**8
    assert nominal(station("a"), station("b", None)) is None
