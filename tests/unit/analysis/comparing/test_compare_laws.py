"""What holds for every comparison, whatever was measured."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.analysis.comparing.compare import compare
from howdah.analysis.comparing.statistics import holm
from howdah.model.comparison import Judged, Verdict
from support.comparing import group

SECONDS = st.floats(1e-3, 1e6)
REPEATS = st.lists(SECONDS, min_size=1, max_size=6)
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=20)

OPPOSITE = {
    Verdict.FASTER: Verdict.SLOWER,
    Verdict.SLOWER: Verdict.FASTER,
    Verdict.CANNOT_TELL: Verdict.CANNOT_TELL,
}


def _judged(base: list[float], other: list[float]) -> Judged:
    return compare([group("base", base), group("other", other, "lz4")]).against[0].times[0]


@given(REPEATS, REPEATS)
def test_the_ratio_lies_within_its_interval(base: list[float], other: list[float]) -> None:
    judged = _judged(base, other)
    assert judged.ratio is not None
    if judged.low is not None and judged.high is not None:
        assert judged.low <= judged.ratio * (1 + 1e-9)
        assert judged.ratio <= judged.high * (1 + 1e-9)


@given(REPEATS, REPEATS)
def test_a_told_difference_has_1_outside_its_interval(base: list[float], other: list[float]) -> None:
    judged = _judged(base, other)
    told = judged.verdict in (Verdict.FASTER, Verdict.SLOWER)
    if judged.low is not None and judged.high is not None:
        # The only test of its family: the interval and the verdict are one thing said twice.
        assert told == (not judged.low <= 1 <= judged.high) or judged.verdict is Verdict.ALIKE
    else:
        assert judged.verdict is Verdict.CANNOT_TELL


@given(REPEATS, REPEATS)
def test_the_other_way_round_the_ratio_is_the_inverse(base: list[float], other: list[float]) -> None:
    one, back = _judged(base, other), _judged(other, base)
    assert one.ratio is not None
    assert back.ratio is not None
    assert one.ratio * back.ratio == pytest.approx(1)
    if Verdict.ALIKE not in (one.verdict, back.verdict):
        assert back.verdict is OPPOSITE[one.verdict]


@given(REPEATS, REPEATS, st.floats(0.01, 100))
def test_the_unit_of_time_does_not_matter(base: list[float], other: list[float], factor: float) -> None:
    one = _judged(base, other)
    scaled = _judged([factor * value for value in base], [factor * value for value in other])
    assert one.ratio == pytest.approx(scaled.ratio)
    if one.evidence is not None and scaled.evidence is not None:
        assert one.evidence.p == pytest.approx(scaled.evidence.p, rel=1e-3, abs=1e-6)


@given(PROBABILITIES)
def test_correction_takes_nothing_from_a_probability_and_keeps_the_order(p: list[float]) -> None:
    raw = np.array(p)
    adjusted = holm(raw)
    assert np.all(adjusted >= raw)
    assert np.all(adjusted <= 1)
    assert np.all(np.diff(adjusted[np.argsort(raw, kind="stable")]) >= 0)
    assert adjusted.min() == pytest.approx(min(1.0, raw.min() * len(p)))


@given(PROBABILITIES, st.randoms())
def test_correction_does_not_care_for_the_order_of_tests(p: list[float], random: Random) -> None:
    order = list(range(len(p)))
    random.shuffle(order)
    assert holm(np.array(p)[order]) == pytest.approx(holm(np.array(p))[order])
