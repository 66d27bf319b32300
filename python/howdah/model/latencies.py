"""How long operations took, as HdrHistograms: made, kept as text, merged and read, never averaged."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from hdrh.codec import HdrHistogramEncoder
from hdrh.histogram import HdrHistogram

_MICROSECONDS = 1_000_000
_MOST_S = 3600
_SLACK = 1e-9
"""A share is a number of few digits, and 0.99 of 100 no more than 99."""
_DIGITS = 3
"""Significant digits that a histogram keeps: a time is known to a thousandth of itself."""


class LatencyHistogram(NamedTuple):
    """One row of the ``latencies`` table: how long each operation of one kind took in one interval."""

    workload: str
    """Kind of the workload it belongs to."""
    operation: str
    """What was timed: ``round trip, idle``, ``read``, ``update``."""
    host: str
    """Machine that sent the requests."""
    peer: str | None
    """Machine that got the requests; none for the cluster as a whole."""
    start_s: float
    """Seconds since the start of the run."""
    end_s: float
    """Seconds since the start of the run."""
    operations: int
    """How many ended in the interval."""
    histogram: str
    """Their times in microseconds, as HdrHistogram's own compressed form (V2) in base64."""


class LatencySummary(NamedTuple):
    """A summary of the times of many operations, in seconds."""

    operations: int
    """How many."""
    shares: tuple[tuple[float, float], ...]
    """Shares of all operations, 0 to 1, each with the time within which so many ended."""
    longest_s: float
    """The time of the slowest one."""

    def within_s(self, share: float) -> float:
        """The time within which a share of the operations ended; raises KeyError for one not asked for."""
        return dict(self.shares)[share]


SHARES = (0.5, 0.9, 0.99, 0.999)
"""The shares that are reported."""


def encoded(times_s: Iterable[float]) -> str:
    """Times in seconds as one histogram's text; longer ones than an hour count as an hour."""
    histogram = _empty()
    for time_s in times_s:
        histogram.record_value(min(_MOST_S * _MICROSECONDS, max(1, round(time_s * _MICROSECONDS))))
    text: bytes = histogram.encode()
    return text.decode("ascii")


def encoded_counts(times: Iterable[tuple[int, int]]) -> str:
    """How often each time was taken, in microseconds, as one histogram's text."""
    histogram = _empty()
    # What the library's record_value does for each pair, without its dozen calls: a simulation has millions.
    counts, half_bits = histogram.counts, histogram.sub_bucket_half_count_magnitude
    least, most, total = _MOST_S * _MICROSECONDS, 0, 0
    for microseconds, count in times:
        time = min(_MOST_S * _MICROSECONDS, max(1, microseconds))
        bucket = max(0, time.bit_length() - half_bits - 1)
        counts[(bucket << half_bits) + (time >> bucket)] += count
        least, most, total = min(least, time), max(most, time), total + count
    if most:
        histogram.record_value(least, 0)
        histogram.record_value(most, 0)
    histogram.total_count += total
    text: bytes = histogram.encode()
    return text.decode("ascii")


def summary(histograms: Iterable[str], shares: Iterable[float] = SHARES) -> LatencySummary | None:
    """The summary of several histograms; None without operations."""
    merged = together(histograms)
    if not merged.total_count:
        return None
    count = int(merged.total_count)
    within = tuple((share, _within(merged, share, count) / _MICROSECONDS) for share in shares)
    return LatencySummary(merged.total_count, within, merged.get_max_value() / _MICROSECONDS)


def _within(histogram: Any, share: float, count: int) -> int:
    """The least time, in microseconds, that no less than a share of all operations ended within.

    As HdrHistogram of Java has it since 2.1.10; the library's own rounds to the nearest rank.
    """
    rank = max(1, math.ceil(share * count - _SLACK))
    value: int = histogram.get_value_at_percentile(100 * rank / count)
    return value


def counted(histogram: str) -> tuple[str, int]:
    """A histogram's text, with a header that covers what it holds, and how many operations that are.

    Where threads of a Java program record a longer time than any before at one moment, the header may be left
    with the less long one (``AbstractHistogram.handleRecordException`` up to 2.2.2 is not guarded), and
    nothing reads the text any more. What was counted is all there, and is kept.
    """
    try:
        return histogram, int(HdrHistogram.decode(histogram).get_total_count())
    except IndexError:
        payload = HdrHistogramEncoder.decode(histogram)
        header = payload.payload
        header.highest_trackable_value = _MOST_S * _MICROSECONDS
        whole = HdrHistogram(
            header.lowest_trackable_value,
            header.highest_trackable_value,
            header.significant_figures,
            hdr_payload=payload,
        )
        text: bytes = whole.encode()
        return text.decode("ascii"), int(whole.get_total_count())


def together(histograms: Iterable[str]) -> Any:
    """Histograms' texts as one HdrHistogram."""
    merged = _empty()
    for text in histograms:
        merged.decode_and_add(text)
    return merged


def _empty() -> Any:
    return HdrHistogram(1, _MOST_S * _MICROSECONDS, _DIGITS)
