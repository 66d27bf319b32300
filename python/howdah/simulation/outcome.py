"""What the simulator says in short: the fields of `crates/howdah-sim/src/outcome.rs`."""

from __future__ import annotations

from howdah.model.base import Model
from howdah.model.counters import Counters


class PhaseOutcome(Model):
    """One phase of a workload."""

    name: str
    """Its name."""
    start_ns: int
    """Nanoseconds since the start of the run."""
    end_ns: int
    """Nanoseconds since the start of the run."""
    disk_read_bytes: float
    """Bytes read from disks."""
    disk_written_bytes: float
    """Bytes written to disks."""
    received_bytes: float
    """Bytes that hosts received from others."""
    sent_bytes: float
    """Bytes that hosts sent to others."""
    cpu_busy: float
    """Share of the hardware threads that was busy."""
    namenode_busy: float
    """Share of a core."""
    scheduler_busy: float
    """Share of a core."""


class SimCounters(Counters):
    """A workload's counters, with what reduces fetched."""

    shuffled_bytes: int = 0
    """Intermediate bytes that reduces fetched."""


class LocalityCounts(Model):
    """Maps by where their input lay."""

    worker: int
    """On their own worker."""
    host: int
    """On another worker of the host."""
    rack: int
    """In the rack."""
    away: int
    """In another rack."""


class WorkloadOutcome(Model):
    """One workload as it ran."""

    kind: str
    """Its name."""
    start_ns: int
    """Nanoseconds since the start of the run."""
    end_ns: int
    """Nanoseconds since the start of the run."""
    phases: tuple[PhaseOutcome, ...]
    """Its phases in order."""
    maps: int
    """Map tasks."""
    reduces: int
    """Reduce tasks."""
    counters: SimCounters
    """What it did."""
    locality: LocalityCounts
    """Maps by where their input lay."""
    remote_read_bytes: float
    """Input that came from another host."""
    replicas: tuple[int, ...]
    """Replicas that it wrote, by worker."""
    sharing_host: int
    """Blocks that it wrote with two replicas on one host."""


class Summary(Model):
    """A simulation in short."""

    workloads: tuple[WorkloadOutcome, ...]
    """In the order they ran."""
    activities: int
    """Transfers and computations that were simulated."""
