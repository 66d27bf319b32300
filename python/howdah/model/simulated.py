"""What only a simulated run's record has: what it rests on, how sure it is, and what each phase used."""

from __future__ import annotations

from pydantic import Field

from howdah.model.base import Model


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
