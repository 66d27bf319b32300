"""What a workload counts and reports: rates, throughput, times of files; what only a simulation shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from pydantic import Field

from howdah.model.base import Model
from howdah.model.latencies import LatencyHistogram, summary
from howdah.units import (
    format_bits_per_s,
    format_bytes,
    format_counted,
    format_per_s,
    format_rate,
    format_seconds,
)


class Counters(Model):
    """A workload's own counts of bytes and rows; zero if not applicable."""

    input_rows: int = 0
    """Rows read as input."""
    output_rows: int = 0
    """Rows written as output."""
    read_bytes: int = 0
    """Input bytes read, spilled data excluded."""
    written_bytes: int = 0
    """Output bytes written, spilled data excluded."""
    spilled_rows: int = 0
    """Rows that went to intermediate files."""
    spilled_raw_bytes: int = 0
    """Intermediate data before compression."""
    spilled_bytes: int = 0
    """Intermediate data as it lay on disk."""
    spill_read_bytes: int = 0
    """Bytes of intermediate files read back."""


Unit = Literal["s", "B", "1", "share", "1/s", "B/s", "bit/s"]
"""Seconds, bytes, a count, a share of all there is (0 to 1), and counts, bytes or bits in a second."""


class FileRate(Model):
    """One file written or read: its size, the seconds its I/O took, and where it lies."""

    path: str
    """The file."""
    bytes: int
    """Bytes written to it or read from it."""
    io_s: float
    """Seconds its task spent on I/O alone, as TestDFSIO counts them."""
    operation: Literal["write", "read"] = "write"
    """Which of the two was timed."""


class LinkRate(Model):
    """What one machine sent another over TCP, or why nothing arrived; rates are of what was received."""

    source: str
    """The machine that sent."""
    target: str
    """The machine that received."""
    how: Literal["one way", "both ways", "all at once"]
    """Whether only these two were at work, in one direction or in both, or all machines."""
    streams: int
    """Connections at once."""
    seconds: float
    """How long it was measured; the first second, in which TCP finds its speed, is left out."""
    bits_per_s: float
    """What arrived, all streams together; 0 where no connection came about."""
    nominal_bits_per_s: int | None = None
    """What the slower of the two hosts' ports are planned to carry together."""
    retransmits: int | None = None
    """Segments that were sent again."""
    round_trip_s: float | None = None
    """Mean round trip that the sender's TCP saw under this load, over all streams."""
    longest_round_trip_s: float | None = None
    """The longest of these."""
    source_cpu: float | None = None
    """What the sender's iperf3 used of one CPU, 1 for all of it."""
    target_cpu: float | None = None
    """What the receiver's iperf3 used of one CPU."""
    error: str | None = None
    """Why nothing was measured, in iperf3's words."""


class OperationCount(Model):
    """How often one kind of operation was requested, and its results."""

    operation: str
    """``read``, ``update``, ``insert``, ``scan``, ``read-modify-write``."""
    done: int
    """How many ended within the time that counts."""
    returns: dict[str, int] = Field(default_factory=dict)
    """How many ended in which way, by YCSB's own words: ``OK``, ``NOT_FOUND``, ``ERROR``."""


class RateStep(Model):
    """One target rate of operations, and whether they were answered in time."""

    asked_per_s: float
    """Target operations per second."""
    done_per_s: float
    """Operations done in a second."""
    within_s: float
    """The time within which 99 % of the slowest kind of operation ended, from when each should have begun."""
    held: bool
    """Whether that was in time, and the rate was kept."""


class ResultMetric(Model):
    """One number that a workload came to, with all that is needed to compare it with another run's."""

    name: str
    """What it is, unique within the workload: ``create_write``, ``throughput``, ``read, 99th percentile``."""
    value: float
    """In the metric's unit."""
    unit: Unit
    """What it is counted in."""
    better: Literal["higher", "lower"] | None = None
    """Which of two values is the better one; none where neither is."""
    over: str | None = None
    """What it was taken over: ``the files' own I/O time``."""
    longest_s: float | None = None
    """The longest of the operations that a time was taken over."""
    printed: str | None = None
    """The program's own text where that has more digits than a number keeps."""

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
        over = format_counted(merged.operations, counted)
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
    return f"{value * 1000:.3g} ms" if 0 < abs(value) < 0.9995 else format_seconds(value)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.4g}"


_IN_WORDS: Mapping[Unit, Callable[[float], str]] = {
    "s": _seconds,
    "B": format_bytes,
    "1": _number,
    "share": lambda value: f"{100 * value:.3g} %",
    "1/s": format_per_s,
    "B/s": format_rate,
    "bit/s": format_bits_per_s,
}


class PhaseUse(Model):
    """What a phase used of the cluster, all of its machines together."""

    phase: str
    """The phase's name."""
    disk_read_bytes: float
    """Bytes that disks read."""
    disk_written_bytes: float
    """Bytes that disks wrote, replicas included."""
    received_bytes: float
    """Bytes that hosts received from others."""
    sent_bytes: float
    """Bytes that hosts sent to others."""
    cpu_busy: float
    """Share of the hardware threads that was busy, the mean over all hosts."""
    namenode_busy: float
    """Share of one core that the NameNode was busy."""
    scheduler_busy: float
    """Share of one core that the ResourceManager was busy, or the JobTracker of Hadoop 1."""


class StationUse(Model):
    """Something that operations on a table wait for, and how busy it was."""

    station: str
    """What it is: ``server processors``, ``disks``, ``log`` …"""
    busy: float
    """Share of the time, of the busiest one of its kind."""


class WorkUse(Model):
    """What a workload used, as only a simulator can show it of the whole cluster."""

    remote_read_bytes: float
    """Input that was read from another host."""
    phases: tuple[PhaseUse, ...]
    """Phase by phase."""
    in_memory: float | None = None
    """Fraction of reads that needed no disk, if a table was read."""
    stations: tuple[StationUse, ...] = ()
    """What operations on the table waited for."""


class Band(Model):
    """The elapsed times of one stretch over several simulations."""

    workload: str
    """The workload's kind."""
    phase: str | None
    """Its phase; None for the whole workload."""
    low_s: float
    """The lower end of the 90 % interval."""
    median_s: float
    """The median."""
    high_s: float
    """The upper end of the 90 % interval."""


class Simulated(Model):
    """What a simulated record rests on."""

    calibration: str | None
    """The calibration's name; None where every parameter has its default."""
    parameters: dict[str, float] = Field(default_factory=dict)
    """The parameters that the calibration gives."""
    replications: int = 1
    """How many simulations the bands are over."""
    bands: tuple[Band, ...] = ()
    """Elapsed times over all of them; the record's own are those of its seed."""
    activities: int = 0
    """Transfers and computations that were simulated for the record itself."""
