"""The tests of differences: against known cases, and how often they are wrong on ten thousand pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from howdah.analysis.comparing.statistics import detectable, holm, one_noise, repeats_needed, welch

PAIRS = 10_000
NOISE = 0.01

SLEEP = (
    np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]),
    np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]),
)
"""Student's sleep data (Biometrika 6, 1908), the example of R's t.test."""


def _pairs(difference: float, base: int = 5, other: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20261120)
    return (
        rng.normal(0.0, NOISE, (PAIRS, base)),
        rng.normal(math.log1p(difference), NOISE, (PAIRS, other)),
    )


def test_welch_gives_what_r_gives() -> None:
    tested = welch(*SLEEP)
    assert tested.p == pytest.approx(0.07939, abs=5e-6)
    assert tested.low == pytest.approx(-0.2054832)
    assert tested.high == pytest.approx(3.3654832)


def test_of_pairs_without_a_difference_few_are_called_different() -> None:
    assert (welch(*_pairs(0.0)).p < 0.05).mean() <= 0.055


def test_of_pairs_five_per_cent_apart_nearly_all_are_called_different() -> None:
    assert (welch(*_pairs(0.05)).p < 0.05).mean() >= 0.95


@pytest.mark.parametrize("noise", [1.0, 10.0])
def test_sides_of_unlike_noise_are_not_called_different(noise: float) -> None:
    base, other = _pairs(0.0)
    assert (welch(base, noise * other).p < 0.05).mean() <= 0.055


def test_intervals_hold_the_true_ratio_as_often_as_they_say() -> None:
    for difference in (0.0, 0.05):
        tested = welch(*_pairs(difference))
        held = (tested.low <= math.log1p(difference)) & (math.log1p(difference) <= tested.high)
        assert 0.945 <= held.mean() <= 0.97


def test_a_single_run_against_repeats_of_the_same_noise_is_seldom_called_different() -> None:
    for base, other in ((5, 1), (1, 5), (2, 1)):
        assert (one_noise(*_pairs(0.0, base, other)).p < 0.05).mean() <= 0.055


def test_holm_gives_what_r_gives() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.02])) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm(np.array([0.4, 0.9])) == pytest.approx([0.8, 0.9])
    assert len(holm(np.array([]))) == 0


def test_a_family_without_any_difference_is_seldom_called_different() -> None:
    # Eight workloads and phases, each with repeats of its own.
    p = np.stack([welch(*(side + 0.0 for side in _seeded(seed))).p for seed in range(8)], axis=-1)
    assert ((p < 0.05).any(axis=-1)).mean() > 0.25
    assert ((holm(p) < 0.05).any(axis=-1)).mean() <= 0.055


def _seeded(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0.0, NOISE, (PAIRS, 5)), rng.normal(0.0, NOISE, (PAIRS, 5))


def test_the_effect_is_hedges_g() -> None:
    # Two groups of five, means 2 apart, both deviations 1: d = 2, corrected by 1 - 3/31.
    base = np.array([-1.0, -1.0, 0.0, 1.0, 1.0])
    tested = welch(base, base + 2)
    assert tested.noise == pytest.approx(1.0)
    assert tested.effect == pytest.approx(2 * (1 - 3 / 31))


def test_repeats_needed_are_those_of_r() -> None:
    # power.t.test(power = .90, delta = 1) gives n = 22.02110.
    assert repeats_needed(1.0, 1.0, 0.05) == 23
    assert repeats_needed(-1.0, 1.0, 0.05) == 23
    assert repeats_needed(0.001, 0.01, 0.05) is None
    assert repeats_needed(0.0, 0.01, 0.05) is None


@pytest.mark.parametrize("level", [0.05, 0.005])
@pytest.mark.parametrize("difference", [0.01, 0.02, 0.05])
def test_so_many_repeats_tell_so_large_a_difference(difference: float, level: float) -> None:
    repeats = repeats_needed(math.log1p(difference), NOISE, level)
    assert repeats is not None
    assert (welch(*_pairs(difference, repeats, repeats)).p < level).mean() > 0.85
    if repeats > 2:
        fewer = (welch(*_pairs(difference, repeats - 1, repeats - 1)).p < level).mean()
        assert fewer < 0.91


def test_what_is_detectable_is_detected() -> None:
    least = detectable(4, 6, NOISE, 0.05)
    assert least is not None
    told = (welch(*_pairs(least - 1, 4, 6)).p < 0.05).mean()
    assert told == pytest.approx(0.9, abs=0.03)


def test_what_nobody_would_meet_is_not_told_by_a_number() -> None:
    assert detectable(2, 1, 5.0, 0.0001) is None
    assert detectable(1, 2, 0.5, 1e-9) is None
