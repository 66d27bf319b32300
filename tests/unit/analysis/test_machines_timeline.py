"""Counters between samples: exact at samples, straight between them, additive over any cuts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.analysis.machines import MODES, Timeline, all_series
from howdah.analysis.use import cpu_share
from howdah.model.tables import SAMPLES_SCHEMA

DISK = "disk/vda/read_bytes"


def samples(rows: list[tuple[float, str, str, float]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    return pa.table(dict(zip(SAMPLES_SCHEMA.names, columns, strict=True)), schema=SAMPLES_SCHEMA)


def disk(points: list[tuple[float, float]]) -> Timeline:
    return Timeline(samples([(time_s, "host1", DISK, value) for time_s, value in points]))


def test_growth_is_interpolated_between_samples() -> None:
    timeline = disk([(0, 0), (1, 100), (2, 100)])
    assert timeline.growth("host1", DISK, 0.5, 1.5) == pytest.approx(50)


def test_growth_beyond_the_samples_is_nothing() -> None:
    timeline = disk([(1, 0), (2, 100)])
    assert timeline.growth("host1", DISK, 0, 1) == 0
    assert timeline.growth("host1", DISK, 2, 9) == 0


def test_samples_out_of_order_repeated_or_not_a_number_do_no_harm() -> None:
    timeline = disk([(2, 100), (0, 0), (1, 50), (1, 70), (1.5, float("nan"))])
    assert timeline.growth("host1", DISK, 0, 2) == 100


def test_a_metric_that_was_never_sampled_has_no_track() -> None:
    timeline = disk([(0, 0), (1, 1)])
    assert timeline.track("host1", "disk/vdb/read_bytes") is None
    assert timeline.growth("host1", "disk/vdb/read_bytes", 0, 1) == 0
    assert timeline.instances("host1", "disk") == ("vda",)
    assert timeline.instances("host2", "disk") == ()


def test_no_samples_cover_nothing() -> None:
    timeline = Timeline(samples([]))
    assert not timeline.covers(0, 1)
    assert all_series(timeline) == ()


def test_uncertainty_is_zero_at_a_sample_and_the_farther_neighbour_between() -> None:
    track = disk([(0, 0), (1, 100)]).track("host1", DISK)
    assert track is not None
    assert track.uncertainty(1.0) == 0
    assert track.uncertainty(0.25) == pytest.approx(75)


def test_a_stretch_is_blurred_below_two_intervals_unless_samples_mark_its_ends() -> None:
    grid = [(float(tick), 0.0) for tick in range(6)]
    assert disk(grid).blurred(1.5, 3.4)
    assert not disk(grid).blurred(1.5, 3.6)
    assert not disk([*grid, (1.5, 0.0), (2.5, 0.0)]).blurred(1.5, 2.5)


# Times come from a clock that counts nanoseconds.
moments = st.integers(0, 100 * 10**9).map(lambda count: count / 1e9)
counters = st.lists(
    st.tuples(moments, st.floats(0, 1e12)),
    min_size=2,
    max_size=40,
    unique_by=lambda point: point[0],
)


@settings(deadline=None)
@given(points=counters, cuts=st.lists(moments, min_size=2, max_size=10))
def test_integrals_over_parts_add_up_to_the_integral_over_the_whole(
    points: list[tuple[float, float]], cuts: list[float]
) -> None:
    values = sorted(value for _, value in points)
    times = sorted(time_s for time_s, _ in points)
    timeline = disk(list(zip(times, values, strict=True)))
    edges = sorted(cuts)
    parts = sum(timeline.growth("host1", DISK, start, end) for start, end in pairwise(edges))
    assert parts == pytest.approx(timeline.growth("host1", DISK, edges[0], edges[-1]), abs=1e-3)


@settings(deadline=None)
@given(points=counters)
def test_the_series_holds_the_same_bytes_as_the_counter(points: list[tuple[float, float]]) -> None:
    values = sorted(value for _, value in points)
    # Times a millisecond apart at least: closer ones are no sampler's, and their rates overflow.
    times = np.cumsum([1e-3 + time_s for time_s, _ in points])
    timeline = disk(list(zip(times.tolist(), values, strict=True)))
    (read,) = [series for series in all_series(timeline) if series.quantity == "read"]
    moved = float((read.values * np.diff(read.edges_s)).sum())
    assert moved == pytest.approx(values[-1] - values[0], abs=1e-2)


@settings(deadline=None)
@given(
    spent=st.lists(
        st.tuples(*[st.floats(0, 1e6, allow_subnormal=False) for _ in MODES]), min_size=1, max_size=8
    )
)
def test_cpu_shares_sum_to_one(spent: list[tuple[float, ...]]) -> None:
    rows = []
    for cpu, modes in enumerate(spent):
        for mode, seconds in zip(MODES, modes, strict=True):
            rows += [
                (0.0, "host1", f"cpu/{cpu}/{mode}_s", 0.0),
                (1.0, "host1", f"cpu/{cpu}/{mode}_s", seconds),
            ]
    timeline = Timeline(samples(rows))
    share = cpu_share(timeline, "host1", 0.0, 1.0)
    if sum(sum(modes) for modes in spent) == 0:
        assert share is None
        return
    assert share is not None
    assert sum(getattr(share, mode) for mode in MODES) == pytest.approx(1)
    stacked = sum(series.values for series in all_series(timeline) if series.subject == "cpu")
    assert stacked == pytest.approx(1)
