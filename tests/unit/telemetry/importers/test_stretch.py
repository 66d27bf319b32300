"""Stretches of the world's clock on a run's clock."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.metrics import METRICS
from howdah.model.run import Sample
from howdah.telemetry.importers.stretch import (
    Stretch,
    Window,
    is_counter,
    is_listed,
    onto_run,
    span,
    sum_stretches,
    window_of,
)
from support import records

START = 1_795_000_000.0
READ = "disk/sda/read_bytes"
FREE = "memory/available_bytes"


def stretch(start_s: float, end_s: float, value: float, metric: str = READ) -> Stretch:
    return Stretch("w1", metric, START + start_s, START + end_s, value)


def points(samples: list[Sample]) -> list[tuple[float, float]]:
    """Times and values, rounded as far as times since 1970 are exact."""
    return [(round(one.time_s, 4), round(one.value, 2)) for one in samples]


def test_every_metric_is_known_by_an_instance_of_its_own() -> None:
    for metric in METRICS:
        name = metric.pattern.replace("*", "x1")
        assert is_listed(name)
        assert is_counter(name) == (metric.kind == "counter")
    assert is_counter("cpu/all/throttled_s")
    assert not is_listed("disk/sda/temperature")


def test_a_stretch_counts_by_its_share_of_the_run() -> None:
    samples = onto_run([stretch(-5, 5, 100), stretch(5, 15, 10)], Window(START, 12))
    assert points(samples) == [(0, 0), (5, 500), (12, 570)]


def test_nothing_is_known_to_have_grown_where_nobody_looked() -> None:
    samples = onto_run([stretch(1, 2, 7), stretch(8, 9, 1)], Window(START, 20))
    assert points(samples) == [(1, 0), (2, 7), (8, 7), (9, 8)]


def test_two_copies_of_a_file_count_once() -> None:
    once = [stretch(0, 10, 5), stretch(10, 20, 6)]
    gauges = [stretch(0, 10, 5, FREE), stretch(10, 20, 6, FREE)]
    window = Window(START, 20)
    assert onto_run([*once, *gauges, *once, *gauges], window) == onto_run([*once, *gauges], window)


def test_gauges_outside_of_the_run_are_left_out() -> None:
    samples = onto_run([stretch(t, t, t, FREE) for t in (-1, 0, 5, 10, 11)], Window(START, 10))
    assert [one.value for one in samples] == [0, 5, 10]


@given(
    st.lists(st.floats(0.1, 30), min_size=1, max_size=12),
    st.lists(st.floats(0, 1e9), min_size=12, max_size=12),
    st.floats(-60, 60),
    st.floats(1, 200),
)
def test_growth_is_the_integral_of_the_rates_over_the_run(
    lengths: list[float], rates: list[float], first_s: float, elapsed_s: float
) -> None:
    ends = [first_s + sum(lengths[: number + 1]) for number in range(len(lengths))]
    begins = [first_s, *ends[:-1]]
    course = list(zip(begins, ends, rates, strict=False))
    samples = onto_run([stretch(*one) for one in course], Window(START, elapsed_s))
    expected = sum(rate * max(0.0, min(end, elapsed_s) - max(begin, 0.0)) for begin, end, rate in course)
    assert (samples[-1].value if samples else 0.0) == pytest.approx(expected, rel=1e-6, abs=1e4)
    assert [one.value for one in samples] == sorted(one.value for one in samples)
    assert all(-1e-5 <= one.time_s <= elapsed_s + 1e-5 for one in samples)


def test_columns_of_one_metric_are_added_up() -> None:
    one, two = stretch(0, 10, 5), stretch(0, 10, 6)
    assert sum_stretches([one, two, stretch(10, 20, 1)]) == (stretch(0, 10, 11), stretch(10, 20, 1))


def test_a_record_without_a_zone_is_of_utc() -> None:
    record = records.pi().record
    with_zone = record.model_copy(update={"created": "2026-11-20T18:14:00+01:00"})
    without = record.model_copy(update={"created": "2026-11-20T17:14:00"})
    assert window_of(record) == window_of(with_zone) == window_of(without)
    assert window_of(record).start_s == 1_795_194_840.0


def test_moments_as_people_read_them() -> None:
    assert span(1_795_194_840.0, 1_795_194_900.0) == "2026-11-20 17:14:00 to 17:15:00 UTC"
    assert span(1_795_194_840.0, 1_795_281_240.0) == "2026-11-20 17:14:00 to 2026-11-21 17:14:00 UTC"
