"""What ping prints becomes a histogram for each second."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.engines.hosts.tools import histograms
from howdah.model.reported import summary

PRINTED = (Path(__file__).parents[3] / "data/iperf3/ping.txt").read_text()


def test_every_answer_is_in_the_second_it_came_in() -> None:
    first, second = histograms(PRINTED, "a", "b", "round trip", 7.0)
    assert (first.operations, second.operations) == (4, 1)
    assert (first.start_s, first.end_s, second.start_s) == (7.0, 8.0, 8.0)
    assert (first.host, first.peer) == ("a", "b")
    both = summary([first.histogram, second.histogram])
    assert both is not None
    assert both.operations == 5
    assert both.longest_s == pytest.approx(396e-6, rel=1e-3)
    assert both.within_s(0.5) == pytest.approx(48e-6, rel=1e-2)


def test_no_answer_makes_no_histogram() -> None:
    assert list(histograms("connect: Network is unreachable\n", "a", "b", "round trip", 0.0)) == []
