"""Straight lines through loads, and where they reach a limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.analysis.saturation import LEAST_POINTS, load_line

_RATES = (1.0, 2.0, 4.0, 8.0, 1.0, 8.0)


@given(
    idle=st.floats(0.0, 0.5),
    per_block=st.floats(1e-4, 1e-1),
)
def test_a_line_without_noise_is_found_again(idle: float, per_block: float) -> None:
    line = load_line(_RATES, [idle + per_block * rate for rate in _RATES])
    assert line is not None
    assert line.grows
    assert line.per_block == pytest.approx(per_block, rel=1e-6)
    assert line.idle == pytest.approx(idle, abs=1e-6)
    assert line.full_at(1.0)[1] == pytest.approx((1 - idle) / per_block, rel=1e-5)


def test_noise_widens_the_interval_around_the_likeliest() -> None:
    noise = (0.02, -0.02, 0.01, -0.01, -0.02, 0.02)
    line = load_line(_RATES, [0.1 + 0.05 * rate + off for rate, off in zip(_RATES, noise, strict=True)])
    assert line is not None
    fewest, likeliest, most = line.full_at(1.0)
    assert fewest < likeliest < most
    assert fewest < 0.9 / 0.05 < most


def test_a_load_that_has_nothing_to_do_with_blocks_does_not_grow() -> None:
    line = load_line(_RATES, [0.3, 0.1, 0.3, 0.1, 0.1, 0.2])
    assert line is not None
    assert not line.grows


def test_too_few_points_or_one_rate_make_no_line() -> None:
    few = _RATES[: LEAST_POINTS - 1]
    assert load_line(few, few) is None
    assert load_line([2.0] * 6, _RATES) is None
