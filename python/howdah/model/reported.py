"""What a workload counts and reports: rates, throughput, times of files and of single operations.

Times of operations are HdrHistograms: made, kept as text, merged and read, never averaged. Some of it only a
simulation shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from hdrh.codec import HdrHistogramEncoder
from hdrh.histogram import HdrHistogram
from pydantic import Field

from howdah import units
from howdah.model.base import Model

OPERATIONS_PHASE = "run"  # The phase of a program on a table in which its operations run.
_MICROSECONDS = 1_000_000
_MOST_S = 3600
_SLACK = 1e-9  # A share is a number of few digits, and 0.99 of 100 no more than 99.
_DIGITS = 3  # Significant digits that a histogram keeps: a time is known to a thousandth of itself.


class LatencyHistogram(NamedTuple):
    """One row of the ``latencies`` table: how long each operation of one kind took in one interval."""

    workload: str  # Kind of the workload it belongs to.
    operation: str  # What was timed: ``round trip, idle``, ``read``, ``update``.
    host: str  # Machine that sent the requests.
    peer: str | None  # Machine that got the requests; none for the cluster as a whole.
    start_s: float  # Seconds since the start of the run.
    end_s: float  # Seconds since the start of the run.
    operations: int  # How many ended in the interval.
    histogram: str  # Their times in microseconds, as HdrHistogram's own compressed form (V2) in base64.


class LatencySummary(NamedTuple):
    """A summary of the times of many operations, in seconds."""

    operations: int
    shares: tuple[tuple[float, float], ...]
    """Shares of all operations, 0 to 1, each with the time within which so many ended."""
    longest_s: float

    def within_s(self, share: float) -> float:
        """The time within which a share of the operations ended; raises KeyError for one not asked for."""
        return dict(self.shares)[share]


SHARES = (0.5, 0.9, 0.99, 0.999)  # The shares that are reported.


def encoded(times_s: Iterable[float]) -> str:
    """Times in seconds as one histogram's text; longer ones than an hour count as an hour."""
    return encoded_counts((round(time_s * _MICROSECONDS), 1) for time_s in times_s)


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
    """The least microseconds that a share of operations ended within, as Java's HdrHistogram since 2.1.10."""
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


class Counters(Model):
    """A workload's own counts of bytes and rows; zero if not applicable."""

    input_rows: int = 0  # Rows read as input.
    output_rows: int = 0  # Rows written as output.
    read_bytes: int = 0  # Input bytes read, spilled data excluded.
    written_bytes: int = 0  # Output bytes written, spilled data excluded.
    spilled_rows: int = 0  # Rows that went to intermediate files.
    spilled_raw_bytes: int = 0  # Intermediate data before compression.
    spilled_bytes: int = 0  # Intermediate data as it lay on disk.
    spill_read_bytes: int = 0  # Bytes of intermediate files read back.


Unit = Literal["s", "B", "1", "share", "1/s", "B/s", "bit/s"]
"""Seconds, bytes, a count, a share of all there is (0 to 1), and counts, bytes or bits in a second."""


class FileRate(Model):
    """One file written or read: its size, the seconds its I/O took, and where it lies."""

    path: str  # The file.
    bytes: int  # Bytes written to it or read from it.
    io_s: float  # Seconds its task spent on I/O alone, as TestDFSIO counts them.
    operation: Literal["write", "read"] = "write"  # Which of the two was timed.


class LinkRate(Model):
    """What one machine sent another over TCP, or why nothing arrived; rates are of what was received."""

    source: str  # The machine that sent.
    target: str  # The machine that received.
    how: Literal["one way", "both ways", "all at once"]
    """Whether only these two were at work, in one direction or in both, or all machines."""
    streams: int  # Connections at once.
    seconds: float  # How long it was measured; the first second, in which TCP finds its speed, is left out.
    bits_per_s: float  # What arrived, all streams together; 0 where no connection came about.
    nominal_bits_per_s: int | None = None
    """What the slower of the two hosts' ports are planned to carry together."""
    retransmits: int | None = None  # Segments that were sent again.
    round_trip_s: float | None = None
    """Mean round trip that the sender's TCP saw under this load, over all streams."""
    longest_round_trip_s: float | None = None  # The longest of these.
    source_cpu: float | None = None  # What the sender's iperf3 used of one CPU, 1 for all of it.
    target_cpu: float | None = None  # What the receiver's iperf3 used of one CPU.
    error: str | None = None  # Why nothing was measured, in iperf3's words.


class OperationCount(Model):
    """How often one kind of operation was requested, and its results."""

    operation: str  # ``read``, ``update``, ``insert``, ``scan``, ``read-modify-write``.
    done: int  # How many ended within the time that counts.
    returns: dict[str, int] = Field(default_factory=dict)
    """How many ended in which way, by YCSB's own words: ``OK``, ``NOT_FOUND``, ``ERROR``."""


class RateStep(Model):
    """One target rate of operations, and whether they were answered in time."""

    asked_per_s: float  # Target operations per second.
    done_per_s: float  # Operations done in a second.
    within_s: float
    """The time within which 99 % of the slowest kind of operation ended, from when each should have begun."""
    held: bool  # Whether that was in time, and the rate was kept.


class ResultMetric(Model):
    """One number that a workload came to, with all that is needed to compare it with another run's."""

    name: str
    """What it is, unique within the workload: ``create_write``, ``throughput``, ``read, 99th percentile``."""
    value: float  # In the metric's unit.
    unit: Unit  # What it is counted in.
    better: Literal["higher", "lower"] | None = None
    """Which of two values is the better one; none where neither is."""
    over: str | None = None  # What it was taken over: ``the files' own I/O time``.
    longest_s: float | None = None  # The longest of the operations that a time was taken over.
    printed: str | None = None  # The program's own text where that has more digits than a number keeps.

    def in_words(self) -> str:
        """The value as people read it: what the program printed, or three digits and the unit."""
        return self.printed or format_value(self.value, self.unit)


def latency_metrics(
    timed: Sequence[LatencyHistogram], shares: Sequence[float], counted: str
) -> tuple[ResultMetric, ...]:
    """Within what time these shares of each kind of operation ended; ``counted`` is what one is called."""
    metrics = []
    for operation in dict.fromkeys(row.operation for row in timed):
        merged = summary((row.histogram for row in timed if row.operation == operation), shares)
        if merged is None:
            continue
        over = units.format_counted(merged.operations, counted)
        for share, value in merged.shares:
            name = f"{operation}, {100 * share:g} % within"
            longest_s = merged.longest_s
            metrics.append(
                ResultMetric(name=name, value=value, unit="s", better="lower", over=over, longest_s=longest_s)
            )
    return tuple(metrics)


def format_value(value: float, unit: Unit) -> str:
    """A value with its unit, as people read it."""
    return _IN_WORDS[unit](value)


def _seconds(value: float) -> str:
    # The bounds are where three digits would be rounded to 1000 of the smaller unit.
    if 0 < abs(value) < 0.0009995:
        return f"{value * 1_000_000:.3g} µs"
    return f"{value * 1000:.3g} ms" if 0 < abs(value) < 0.9995 else units.format_seconds(value)


_IN_WORDS: Mapping[Unit, Callable[[float], str]] = {
    "s": _seconds,
    "B": units.format_bytes,
    "1": lambda value: f"{value:,.0f}" if value.is_integer() else f"{value:,.4g}",
    "share": lambda value: f"{100 * value:.3g} %",
    "1/s": units.format_per_s,
    "B/s": units.format_rate,
    "bit/s": units.format_bits_per_s,
}


class PhaseUse(Model):
    """What a phase used of the cluster, all of its machines together."""

    phase: str  # The phase's name.
    disk_read_bytes: float  # Bytes that disks read.
    disk_written_bytes: float  # Bytes that disks wrote, replicas included.
    received_bytes: float  # Bytes that hosts received from others.
    sent_bytes: float  # Bytes that hosts sent to others.
    cpu_busy: float  # Share of the hardware threads that was busy, the mean over all hosts.
    namenode_busy: float  # Share of one core that the NameNode was busy.
    scheduler_busy: float
    """Share of one core that the ResourceManager was busy, or the JobTracker of Hadoop 1."""


class StationUse(Model):
    """Something that operations on a table wait for, and how busy it was."""

    station: str  # What it is: ``server processors``, ``disks``, ``log`` …
    busy: float  # Share of the time, of the busiest one of its kind.


class WorkUse(Model):
    """What a workload used, as only a simulator can show it of the whole cluster."""

    remote_read_bytes: float  # Input that was read from another host.
    phases: tuple[PhaseUse, ...]  # Phase by phase.
    in_memory: float | None = None  # Fraction of reads that needed no disk, if a table was read.
    stations: tuple[StationUse, ...] = ()  # What operations on the table waited for.


class Band(Model):
    """The elapsed times of one stretch over several simulations."""

    workload: str  # The workload's kind.
    phase: str | None  # Its phase; None for the whole workload.
    low_s: float  # The lower end of the 90 % interval.
    median_s: float  # The median.
    high_s: float  # The upper end of the 90 % interval.


class Simulated(Model):
    """What a simulated record rests on."""

    calibration: str | None  # The calibration's name; None where every parameter has its default.
    parameters: dict[str, float] = Field(default_factory=dict)  # The parameters that the calibration gives.
    replications: int = 1  # How many simulations the bands are over.
    bands: tuple[Band, ...] = ()  # Elapsed times over all of them; the record's own are those of its seed.
    activities: int = 0  # Transfers and computations that were simulated for the record itself.
