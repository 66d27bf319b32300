"""What the simulator says in short: the fields of `crates/howdah-sim/src/outcome.rs`."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

from howdah.calibrate.case import SHARES, WITHIN
from howdah.model.base import Model
from howdah.model.counters import Counters
from howdah.model.simulated import StationUse
from howdah.model.workloads.ycsb import THROUGHPUT

_MICROSECONDS = 1_000_000


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


class TimedOperations(Model):
    """How long operations of one kind took."""

    operation: str
    """What was timed, by YCSB's word."""
    microseconds: tuple[int, ...]
    """The times that were taken, in order."""
    counts: tuple[int, ...]
    """How many operations took each of them."""

    def within_s(self, share: float) -> float:
        """The time within which a share of them ended."""
        ended = list(accumulate(self.counts))
        return self.microseconds[bisect_left(ended, share * ended[-1])] / _MICROSECONDS


class AskedInterval(Model):
    """What ended in one stretch of the time that was simulated."""

    start_s: float
    """Seconds since counting began."""
    end_s: float
    """Seconds since counting began."""
    latencies: tuple[TimedOperations, ...]
    """Times of operations, kind by kind."""


class AskedOutcome(Model):
    """What clients of HBase saw, and what their operations used."""

    throughput_per_s: float
    """Operations in a second."""
    target_per_s: float | None
    """Operations in a second that were asked for; None: as many as are answered."""
    simulated: int
    """Operations that were simulated for all."""
    latencies: tuple[TimedOperations, ...]
    """Their times, kind by kind."""
    intervals: tuple[AskedInterval, ...] = ()
    """The same second by second, where samples are asked for."""
    in_memory: float
    """Share of reads that needed no disk."""
    stations: tuple[StationUse, ...]
    """What they waited for."""

    def metrics(self) -> dict[str, float]:
        """What is fitted and predicted, by name: throughput, and within what times so many ended."""
        within = {
            f"{times.operation}, {100 * share:g}{WITHIN}": times.within_s(share)
            for times in self.latencies
            for share in SHARES
        }
        return {THROUGHPUT: self.throughput_per_s, **within}


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
    asked: AskedOutcome | None = None
    """What clients of HBase saw, where it asks one."""


class Summary(Model):
    """A simulation in short."""

    workloads: tuple[WorkloadOutcome, ...]
    """In the order they ran."""
    activities: int
    """Transfers and computations that were simulated."""
    few_hosts: int | None = None
    """Hosts that the quick simulation took for all; None where every one was simulated."""
    full_because: str | None = None
    """Why every host was simulated although a few were asked for."""
