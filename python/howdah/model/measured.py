"""What a host was measured to do: rates of its disks, memory and network, and what rows cost it.

A figure is the median of its repeats with the least and the most of them, in SI units. Costs of tasks keep
all of their rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple, Self

from pydantic import Field

from howdah.model.base import Model
from howdah.model.workloads.terasort import Codec


class MeasuredFigure(Model):
    """One measured figure."""

    value: float = Field(gt=0, allow_inf_nan=False)  # The median of the repeats.
    least: float = Field(gt=0, allow_inf_nan=False)  # The smallest of them.
    most: float = Field(gt=0, allow_inf_nan=False)  # The largest of them.
    repeats: int = Field(ge=1)  # How often it was measured.

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """The figure that these repeats give; at least one."""
        return cls(value=median(values), least=min(values), most=max(values), repeats=len(values))


class ZoneRate(Model):
    """What a disk reads at one place."""

    place: float = Field(ge=0, le=1)
    """Where: 0 is the disk's first byte, in its outer zone, 1 its last, in its inner zone."""
    bytes_per_s: MeasuredFigure  # Sequential reading there.


class DiskZones(Model):
    """A whole disk read at places from its first zone to its last, past its file systems."""

    disk: str  # The kernel's name, ``sda`` for instance.
    rates: tuple[ZoneRate, ...]
    """In the order of their places; those where a virtual disk holds nothing are left out."""

    @property
    def outer_bytes_per_s(self) -> float:
        return self.rates[0].bytes_per_s.value

    @property
    def inner_bytes_per_s(self) -> float:
        return self.rates[-1].bytes_per_s.value


class StreamRates(Model):
    """Files written, read and copied in large blocks, several blocks under way in each."""

    read_bytes_per_s: MeasuredFigure  # Reading alone.
    write_bytes_per_s: MeasuredFigure  # Writing alone, made durable.
    copy_bytes_per_s: MeasuredFigure  # Bytes copied, each read once and written once, made durable.
    read_cpu_s_per_byte: MeasuredFigure
    """CPU seconds of this process and the kernel for it, for each byte read."""
    write_cpu_s_per_byte: MeasuredFigure
    """CPU seconds of this process and the kernel for it, for each byte written."""
    file_bytes: int  # Size of each file.
    direct: bool  # Whether the page cache was bypassed; if not, the rates include it.


class DirectoryRates(Model):
    """What the file system of one data directory does, wherever on its disk it has free space."""

    data_dir: str  # The directory.
    disks: tuple[str, ...]  # The whole disks below it, as far as they are known.
    rates: StreamRates  # This directory alone at work.
    operation_s: MeasuredFigure
    """Seconds for a file of one row: making it, writing it, and waiting until it is on the disk."""
    request_s: MeasuredFigure
    """Seconds beyond its transfer that a read of 128 KiB somewhere takes, with two under way for each CPU."""


class SortCost(Model):
    """What sorting costs with windows of one length in so much memory."""

    memory_bytes: int = Field(ge=1)  # Memory that rows and keys lay in, all threads together.
    windows: int = Field(ge=2)  # Windows that were merged.
    window_rows: int = Field(ge=1)  # Rows in each of them.
    sort_s_per_byte: MeasuredFigure  # CPU seconds for each byte of rows, to sort the windows.
    merge_s_per_byte: MeasuredFigure
    """CPU seconds for each byte of rows, to merge the windows and copy the rows out."""


class CodecCost(Model):
    """What compressing blocks of sorted rows costs."""

    codec: Codec  # The codec.
    pack_s_per_byte: MeasuredFigure  # CPU seconds for each byte of rows.
    unpack_s_per_byte: MeasuredFigure  # CPU seconds for each byte of rows.
    ratio: float = Field(gt=0, le=1)  # Bytes stored for each byte of rows.


class RowCosts(Model):
    """What the local engine's steps cost, all threads at work at once in memory."""

    threads: int = Field(ge=1)  # Threads that worked.
    cpu_share: MeasuredFigure
    """CPU time that each had, of the time that it took: below 1 where others had the rest."""
    generate_s_per_byte: MeasuredFigure  # CPU seconds for each byte of rows made, checksum included.
    validate_s_per_byte: MeasuredFigure  # CPU seconds for each byte of rows looked at by TeraValidate.
    sorts: tuple[SortCost, ...] = Field(min_length=2)
    """Few long windows and many short ones, in little memory and in much."""
    codecs: tuple[CodecCost, ...]  # The codecs for intermediate data.


class PeerRates(Model):
    """What the network carries between this host and another, over several TCP connections."""

    peer: str  # The other host, as it was named.
    sent_bytes_per_s: MeasuredFigure  # From this host to the peer.
    received_bytes_per_s: MeasuredFigure  # From the peer to this host.


class NotMeasured(Model):
    """Something that was to be measured and was not."""

    what: str  # The figure.
    why: str  # What kept it from being measured, or what to hold against it.


class Measured(Model):
    """What one host was measured to do."""

    seconds: float  # How long the measuring took.
    load_average: float  # The load average of one minute when it began: other work slows what is measured.
    memory_copy_bytes_per_s: MeasuredFigure  # Bytes copied by memcpy over all cores.
    rows: RowCosts  # What rows cost.
    directories: tuple[DirectoryRates, ...]  # Each data directory alone.
    together: StreamRates  # All data directories at once.
    zones: tuple[DiskZones, ...] = ()  # The disks below the data directories that could be read as devices.
    peers: tuple[PeerRates, ...] = ()  # Other hosts that were named.
    not_measured: tuple[NotMeasured, ...] = ()  # What is missing, and why.

    def zones_of(self, disk: str) -> DiskZones | None:
        """The zones of the disk of that name, if they were measured."""
        return next((zone for zone in self.zones if zone.disk == disk), None)


class StepCost(NamedTuple):
    """The CPU time of one step of a task, measured several times."""

    rounds: tuple[float, ...]  # Seconds, or seconds for each byte, round by round.


class TaskCosts(NamedTuple):
    """The steps of TeraSort's programs; seconds of a core of this machine for each byte."""

    generate: StepCost  # A map of TeraGen: rows made and written.
    sort: StepCost  # A map of TeraSort: rows read, partitioned, sorted and kept.
    reduce: StepCost  # A reduce of TeraSort: rows fetched, merged and written.
    validate: StepCost  # A map of TeraValidate: rows read and compared.
    start_s: StepCost  # CPU seconds of a JVM and a task without a byte, the mean of the four tasks.
    client_s: StepCost  # CPU seconds of a client until its job's maps begin.
    sorted_rows: int
