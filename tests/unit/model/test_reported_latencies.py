"""Histograms of times: what is kept is merged exactly, whatever the intervals were."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.reported import SHARES, counted, encoded, encoded_counts, summary
from support.histograms import with_highest

TIMES = st.lists(st.floats(1e-6, 3000.0), min_size=1, max_size=60)


@given(TIMES)
def test_a_time_is_kept_to_a_thousandth_of_itself(times: list[float]) -> None:
    whole = summary([encoded(times)])
    assert whole is not None
    assert whole.operations == len(times)
    # Below a millisecond the microsecond is what is kept.
    assert whole.longest_s == pytest.approx(max(times), rel=1.1e-3, abs=1e-6)
    ranked = sorted(times)
    for share in SHARES:
        last = ranked[max(1, math.ceil(share * len(ranked) - 1e-9)) - 1]
        assert whole.within_s(share) == pytest.approx(last, rel=1.1e-3, abs=1e-6)


@given(TIMES, TIMES)
def test_merging_is_as_if_all_had_been_one_interval(first: list[float], second: list[float]) -> None:
    assert summary([encoded(first), encoded(second)]) == summary([encoded(first + second)])


@given(st.lists(st.tuples(st.integers(0, 4 * 10**9), st.integers(1, 5)), max_size=40))
def test_counts_make_the_histogram_that_the_times_themselves_make(times: list[tuple[int, int]]) -> None:
    repeated = [microseconds / 1e6 for microseconds, count in times for _ in range(count)]
    assert encoded_counts(times) == encoded(repeated)


def test_nothing_timed_is_no_summary() -> None:
    assert summary([]) is None
    assert summary([encoded([])]) is None


def test_more_than_an_hour_counts_as_an_hour() -> None:
    long = summary([encoded([5000.0])])
    assert long is not None
    assert long.longest_s == pytest.approx(3600, rel=1e-3)


def test_a_header_that_covers_less_than_was_counted_loses_nothing() -> None:
    times = [0.001, 0.030, 0.041, 0.170]
    short = with_highest(encoded(times), (1 << 15) - 1)
    with pytest.raises(IndexError):
        summary([short])
    whole, operations = counted(short)
    assert operations == len(times)
    assert summary([whole]) == summary([encoded(times)])


def test_what_can_be_read_is_kept_as_it_is() -> None:
    assert counted(encoded([0.2])) == (encoded([0.2]), 1)
