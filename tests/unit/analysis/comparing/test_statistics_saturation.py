"""Straight lines through loads, and where they fill what there is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.analysis.comparing.statistics import LEAST_POINTS, Estimate, full_at, load_line, mean_of

_RATES = (1.0, 2.0, 4.0, 8.0, 1.0, 8.0)


@given(
    idle=st.floats(0.0, 0.5),
    each=st.floats(1e-4, 1e-1),
)
def test_a_line_without_noise_is_found_again(idle: float, each: float) -> None:
    line = load_line(_RATES, [idle + each * rate for rate in _RATES])
    assert line is not None
    assert line.per_unit.certain
    assert line.per_unit.value == pytest.approx(each, rel=1e-6)
    assert line.idle == pytest.approx(idle, abs=1e-6)
    assert full_at(1 - idle, line.per_unit) == pytest.approx([(1 - idle) / each] * 3, rel=1e-4)


def test_noise_widens_the_interval_around_the_likeliest() -> None:
    noise = (0.02, -0.02, 0.01, -0.01, -0.02, 0.02)
    line = load_line(_RATES, [0.1 + 0.05 * rate + off for rate, off in zip(_RATES, noise, strict=True)])
    assert line is not None
    fewest, likeliest, most = full_at(0.9, line.per_unit)
    assert fewest < likeliest < most
    assert fewest < 0.9 / 0.05 < most


def test_a_load_that_has_nothing_to_do_with_blocks_does_not_grow() -> None:
    line = load_line(_RATES, [0.3, 0.1, 0.3, 0.1, 0.1, 0.2])
    assert line is not None
    assert not line.per_unit.certain


def test_too_few_points_or_one_rate_make_no_line() -> None:
    few = _RATES[: LEAST_POINTS - 1]
    assert load_line(few, few) is None
    assert load_line([2.0] * 6, _RATES) is None


def test_a_product_is_as_uncertain_as_both() -> None:
    product = Estimate(4.0, 0.3).times(Estimate(2.0, 0.2))
    assert product.value == 8
    assert product.half == pytest.approx(8 * ((0.3 / 4) ** 2 + 0.1**2) ** 0.5)


def test_a_mean_has_an_interval_from_two_values_on() -> None:
    assert mean_of([1.0]) is None
    mean = mean_of([1.0, 1.2, 0.8])
    assert mean is not None
    # Student's t for two degrees of freedom is 4.303.
    assert mean == pytest.approx((1.0, 4.303 * 0.2 / 3**0.5), rel=1e-3)
