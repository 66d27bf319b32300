"""How a link is held to its speed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from howdah.lab.kernel.network import bucket, queueing

SPEEDS = st.integers(10_000_000, 10_000_000_000)


@given(SPEEDS)
def test_a_packet_waits_a_few_hundredths_of_a_second_at_most(bits_per_s: int) -> None:
    depth, queue = bucket(bits_per_s)

    assert depth < queue
    assert queue * 8 / bits_per_s < 0.07


@given(SPEEDS)
def test_the_bucket_lasts_until_a_late_machine_refills_it(bits_per_s: int) -> None:
    depth, _ = bucket(bits_per_s)

    assert depth * 8 / bits_per_s > 0.0039


@given(SPEEDS, SPEEDS)
def test_a_faster_link_has_no_smaller_bucket(one: int, other: int) -> None:
    slow, fast = sorted((one, other))

    assert bucket(slow) <= bucket(fast)


def test_a_line_for_tc() -> None:
    assert queueing("host1", 100_000_000) == (
        "qdisc replace dev host1 root tbf rate 100000000bit burst 50000 limit 175000"
    )
