"""When workloads and phases ran, how fast, how far from what is possible, and how evenly tasks ran."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from howdah.model.run import Outcome, WorkloadResult

Cause = Literal[
    "skewed partition", "slow disk", "slow link", "garbage collection", "CPU held back", "late start",
    "contended machine", "cannot tell",
]  # fmt: skip
"""Why something is slow. ``cannot tell``: it is slow, and neither telemetry nor tasks show why. ``contended
machine``: nothing of its own shows why, and others used the machine that the laboratory is on."""


@dataclass(frozen=True)
class Sign:
    """What speaks for one cause: the number itself, and the same of the peers."""

    cause: Cause
    lost_share: float
    """The common measure of all causes: the part of its time that the worker or task would have been spared
    under its peers' conditions."""
    quantity: str
    unit: str
    value: float
    reference: float
    against: Literal["peers", "plan", "quiet"]
    """What it was compared with: the median of the peers, what the plan allows where there are too few of
    them, or a quiet machine."""
    wanders: float  # The share by which equal workers may differ.
    held_share: float | None = None  # The part of the time at its ceiling; None for causes without one.

    @property
    def strength(self) -> float:
        """How many times more was lost than equal workers differ by."""
        return self.lost_share / self.wanders


@dataclass(frozen=True)
class Straggler:
    """One worker or one task that was slow or held others up, and its most likely cause."""

    workload: str
    kind: str  # That of the tasks it shows in; empty where it is the worker itself.
    worker: str
    host: str
    task: int | None  # None for a worker.
    cause: Cause
    confidence: float  # 0 to 1.
    slowdown: float  # Its seconds per byte over its peers' median; 1 is as fast as they.
    signs: tuple[Sign, ...]  # All that were found, the strongest first; the first is the cause.


@dataclass(frozen=True)
class TaskSpread:
    """The task times of one kind within a job of a workload: how even they were and what waiting cost."""

    workload: str
    phase: str | None  # The phase in which the last of them ended.
    kind: str
    tasks: int
    failed: int  # Attempts that did not succeed.
    raced: int  # Those of them for which a speculative one of the same task was sooner.
    slots: int
    start_s: float
    end_s: float
    median_s: float
    spread_s: float  # The tasks' median absolute deviation.
    longest_s: float
    longest_task: int
    longest_host: str
    tail_share: float  # Part of all slot time that lay idle between a slot's last task and the last of all.
    saving_s: float  # How much sooner that last one could have ended with the work spread evenly.
    drift: float  # Time per byte of the last third of the tasks over that of the first; 1 is steady.
    drift_rank: float  # The rank correlation of time per byte with start, -1 to 1.

    @property
    def longest_over_median(self) -> float:
        """The long pole: the longest task against the median one (1: all alike)."""
        return self.longest_s / self.median_s if self.median_s > 0 else 1.0


@dataclass(frozen=True)
class Rate:
    """Bytes over seconds."""

    bytes: int
    seconds: float
    of: str  # Which bytes, ``rows written`` for instance.

    @property
    def bytes_per_s(self) -> float:
        """The rate, 0 where no time has passed."""
        return self.bytes / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class PhaseTime:
    """When one phase ran, and the bytes it had to move (None: nothing, or not known for this phase)."""

    name: str  # The second phase of one name within a workload is called ``write #2``.
    start_s: float
    end_s: float
    read: Rate | None
    write: Rate | None

    @property
    def elapsed_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True)
class WorkloadTime:
    """When one workload ran and how fast it was."""

    workload: str  # Its kind's name; a second workload of the same kind is called ``terasort #2``.
    index: int  # Its place in the record.
    result: WorkloadResult = field(repr=False, compare=False)  # What is recorded there.
    outcome: Outcome
    start_s: float
    end_s: float  # Of a workload that was cut off, the last moment the record knows of.
    rate: Rate | None
    phases: tuple[PhaseTime, ...]

    @property
    def elapsed_s(self) -> float:
        """Seconds from start to durable end."""
        return self.end_s - self.start_s

    @property
    def told_apart(self) -> tuple[PhaseTime, ...]:
        """The phases worth telling apart: those that moved bytes, if there are several; else none.

        A reduce that only puts together what the maps found leaves the maps to be the workload. Where
        it is not known what any phase moved, all of them count.
        """
        moved = tuple(phase for phase in self.phases if phase.read or phase.write) or self.phases
        return moved if len(moved) > 1 else ()

    def phase_at(self, moment_s: float) -> str | None:
        """The name of the first phase that was under way at a moment; None between phases."""
        return next((phase.name for phase in self.phases if phase.start_s <= moment_s <= phase.end_s), None)


Bound = Literal["reading", "writing", "disk", "memory", "CPU", "others", "waiting", "unknown"]
"""What a phase was limited by: ``disk`` is reading as much as writing, ``waiting`` means that no resource
was near its limit, ``unknown`` that the samples do not tell."""


@dataclass(frozen=True)
class LimitShare:
    """How close a workload (``phase`` None) or phase came to the raw limits of this host."""

    workload: str
    phase: str | None
    elapsed_s: float
    read_bytes: float
    write_bytes: float
    disk_s: float
    """Time the data disks need at their raw rates for the bytes that must move: each byte that can be paired
    (one read, one written) at the copy rate, the rest at the read or write rate."""
    memory_s: float  # Time of one memcpy of the larger of the two directions.
    cpu_busy: float | None  # Measured share; None: no samples, or too few.
    disk_busy: float | None  # The same.
    cpu_others: float | None  # What other processes had of all CPU time; None: not sampled.
    bound: Bound
    name: str  # What the disk limit amounts to in words, ``the disk's own copy``.

    @property
    def limit_s(self) -> float:
        """The least time the raw hardware needs for the same bytes."""
        return max(self.disk_s, self.memory_s)

    @property
    def cpu_own(self) -> float | None:
        """The share of all CPU time that was not other processes'."""
        return None if self.cpu_busy is None else self.cpu_busy - (self.cpu_others or 0.0)

    @property
    def times_limit(self) -> float:
        """Measured time over the limit (1: as fast as the raw hardware)."""
        return self.elapsed_s / self.limit_s if self.limit_s > 0 else 0.0


@dataclass(frozen=True)
class KnownTime:
    """One workload or phase as it was simulated, and as it was published or measured."""

    workload: str
    phase: str | None
    simulated_s: float
    known_s: float
    origin: Literal["published", "measured"]
    source: str  # The published or the measured run.
    differs: tuple[str, ...]  # In words, what else is not the same.

    @property
    def error(self) -> float:
        """How far the simulated time lies above the known one, as a share of it."""
        return self.simulated_s / self.known_s - 1


@dataclass(frozen=True)
class JobOverhead:
    """Time one job spent on other things than its tasks' work: the last of the ``jobs`` of its workload."""

    workload: str
    jobs: int
    before_s: float  # From the job's submission to the start of its first task.
    after_s: float  # From the end of its last task to the end of the workload.
    least_task_s: float  # Time of the shortest task of any kind, which bounds what starting one takes.
    kind: str  # The kind there are most tasks of.
    tasks: int  # Tasks of that kind.
    slots: int
    waves: float  # Tasks over slots.
    turnaround_s: float | None  # The median time a slot stood empty between two of them.
    task_s: float
    cpu_share: float | None  # The part of all task time spent computing.
    gc_share: float | None  # The part spent collecting garbage.


@dataclass(frozen=True)
class FloorDistance:
    """One workload against the same one of the floor, the local engine's run of the same rows."""

    workload: str
    elapsed_s: float
    floor_s: float
    floor_run: str
    differs: tuple[str, ...]  # In words, what else than Hadoop is not the same: rows, replicas, cores, disks.

    @property
    def ratio(self) -> float:
        """How many times the floor it took."""
        return self.elapsed_s / self.floor_s if self.floor_s > 0 else 0.0
