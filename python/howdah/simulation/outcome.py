"""The simulator's summary: the fields of `crates/howdah-sim/src/outcome.rs`, which says what each means."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

from howdah.calibrate.case import SHARES, WITHIN
from howdah.model.base import Model
from howdah.model.reported import Counters, StationUse
from howdah.model.workloads.ycsb import THROUGHPUT

_MICROSECONDS = 1_000_000
_NS_PER_S = 1e9


class Timed(Model):
    """A part of a simulated run; times are nanoseconds since its start."""

    start_ns: int
    end_ns: int

    @property
    def elapsed_s(self) -> float:
        return (self.end_ns - self.start_ns) / _NS_PER_S


class PhaseOutcome(Timed):
    """One phase of a workload."""

    name: str
    disk_read_bytes: float
    disk_written_bytes: float
    received_bytes: float
    sent_bytes: float
    cpu_busy: float
    namenode_busy: float
    scheduler_busy: float


class SimCounters(Counters):
    """A workload's counters, with what reduces fetched."""

    shuffled_bytes: int = 0  # Intermediate bytes that reduces fetched.


class LocalityCounts(Model):
    """Maps by where their input lay."""

    worker: int
    host: int
    rack: int
    away: int


class TimedOperations(Model):
    """How long operations of one kind took."""

    operation: str
    microseconds: tuple[int, ...]
    counts: tuple[int, ...]

    def within_s(self, share: float) -> float:
        """The time within which a share of them ended."""
        ended = list(accumulate(self.counts))
        return self.microseconds[bisect_left(ended, share * ended[-1])] / _MICROSECONDS


class AskedInterval(Model):
    """What ended in one stretch of the time that was simulated."""

    start_s: float
    end_s: float
    latencies: tuple[TimedOperations, ...]


class AskedOutcome(Model):
    """What clients of HBase saw, and what their operations used."""

    throughput_per_s: float
    target_per_s: float | None
    simulated: int
    latencies: tuple[TimedOperations, ...]
    intervals: tuple[AskedInterval, ...] = ()
    in_memory: float
    stations: tuple[StationUse, ...]

    def metrics(self) -> dict[str, float]:
        """What is fitted and predicted, by name: throughput, and within what times so many ended."""
        within = {
            f"{times.operation}, {100 * share:g}{WITHIN}": times.within_s(share)
            for times in self.latencies
            for share in SHARES
        }
        return {THROUGHPUT: self.throughput_per_s, **within}


class WorkloadOutcome(Timed):
    """One workload as it ran."""

    kind: str
    phases: tuple[PhaseOutcome, ...]
    maps: int
    reduces: int
    counters: SimCounters
    locality: LocalityCounts
    remote_read_bytes: float
    replicas: tuple[int, ...]
    sharing_host: int
    asked: AskedOutcome | None = None


class Summary(Model):
    """A simulation in short."""

    workloads: tuple[WorkloadOutcome, ...]
    activities: int
    few_hosts: int | None = None
    full_because: str | None = None

    def quantities(self) -> dict[str, float]:
        """Every quantity by its name; a master's load is its busiest phase's: the studies took peaks."""
        result: dict[str, float] = {}
        for workload in self.workloads:
            kind = workload.kind
            if workload.asked is not None:
                result |= {f"{kind}/{name}": value for name, value in workload.asked.metrics().items()}
                continue
            result[kind] = workload.elapsed_s
            result |= {f"{kind}/{phase.name}": phase.elapsed_s for phase in workload.phases}
            for master in ("namenode", "scheduler"):
                loads = (getattr(phase, f"{master}_busy") for phase in workload.phases)
                result[f"{kind}/{master}-cpu"] = 100 * max(loads, default=0)
        return result
