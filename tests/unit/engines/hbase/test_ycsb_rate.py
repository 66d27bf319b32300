"""The search for the highest rate that is answered in time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from howdah.engines.hbase.ycsb import search
from howdah.model.reported import RateStep


def steps_of(highest_per_s: float, threshold_per_s: float) -> list[RateStep]:
    def measure(rate: float) -> RateStep:
        return RateStep(asked_per_s=rate, done_per_s=rate, within_s=0.0, held=rate <= threshold_per_s)

    return list(search(highest_per_s, measure))


@given(st.floats(100, 1e6), st.floats(0.02, 0.99))
def test_the_rate_found_is_near_below_the_highest_that_holds(highest: float, share: float) -> None:
    threshold = share * highest
    steps = steps_of(highest, threshold)
    found = max(step.asked_per_s for step in steps if step.held)
    assert found <= threshold
    # The next rate that was too high is near, or none was.
    assert threshold <= found * 1.06
    assert len(steps) <= 14


def test_where_no_rate_holds_it_ends_at_a_small_part_of_the_throughput() -> None:
    steps = steps_of(6400.0, 1.0)
    assert not any(step.held for step in steps)
    assert steps[-1].asked_per_s == 100.0
    assert len(steps) == 6
