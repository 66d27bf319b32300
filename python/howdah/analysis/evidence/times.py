"""When workloads and phases ran, how fast, how far from what is possible, and how evenly tasks ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from howdah.model.run import Outcome

Cause = Literal[
    "skewed partition",
    "slow disk",
    "slow link",
    "garbage collection",
    "CPU held back",
    "late start",
    "contended machine",
    "cannot tell",
]
"""Why something is slow. ``cannot tell``: it is slow, and neither telemetry nor tasks show why. ``contended
machine``: nothing of its own shows why, and others used the machine that the laboratory is on."""


@dataclass(frozen=True)
class Sign:
    """What speaks for one cause: the number itself, and the same of the peers.

    ``lost_share`` is the common measure of all causes: the part of its time that the worker or task
    would have been spared under its peers' conditions. ``against`` says what it was compared with:
    the median of the peers, what the plan allows where there are too few of them, or a quiet machine.
    ``wanders`` is the share by which equal workers may differ.
    """

    cause: Cause
    lost_share: float
    quantity: str
    unit: str
    value: float
    reference: float
    against: Literal["peers", "plan", "quiet"]
    wanders: float
    held_share: float | None = None  # The part of the time at its ceiling; None for causes without one.

    @property
    def strength(self) -> float:
        """How many times more was lost than equal workers differ by."""
        return self.lost_share / self.wanders


@dataclass(frozen=True)
class Straggler:
    """One worker (``task`` None) or one task that was slow or held others up, and its most likely cause.

    ``slowdown`` is its seconds per byte over its peers' median (1: as fast as they). ``signs`` are all that
    were found, the strongest first; the first is the cause. ``confidence`` is 0 to 1. ``kind`` is that of the
    tasks it shows in, empty where it is the worker itself.
    """

    workload: str
    kind: str
    worker: str
    host: str
    task: int | None
    cause: Cause
    confidence: float
    slowdown: float
    signs: tuple[Sign, ...]


@dataclass(frozen=True)
class TaskSpread:
    """The task times of one kind within a job of a workload: how even they were and what waiting cost.

    ``phase`` is the phase in which the last of them ended. ``failed`` attempts did not succeed, of them
    ``raced`` because a speculative one of the same task was sooner. ``tail_share`` is the part of all slot
    time that lay idle between a slot's last task and the end of the last task; ``saving_s`` is how much
    sooner that last task could have ended with the same work spread evenly over the slots. ``spread_s`` is
    the tasks' median absolute deviation. ``drift`` is the time per byte of the last third of the tasks over
    that of the first (1: steady), ``drift_rank`` the rank correlation of time per byte with start, -1 to 1.
    """

    workload: str
    phase: str | None
    kind: str
    tasks: int
    failed: int
    raced: int
    slots: int
    start_s: float
    end_s: float
    median_s: float
    spread_s: float
    longest_s: float
    longest_task: int
    longest_host: str
    tail_share: float
    saving_s: float
    drift: float
    drift_rank: float

    @property
    def longest_over_median(self) -> float:
        """The long pole: the longest task against the median one (1: all alike)."""
        return self.longest_s / self.median_s if self.median_s > 0 else 1.0


@dataclass(frozen=True)
class Rate:
    """Bytes over seconds; ``of`` says which bytes, ``rows written`` for instance."""

    bytes: int
    seconds: float
    of: str

    @property
    def bytes_per_s(self) -> float:
        """The rate, 0 where no time has passed."""
        return self.bytes / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class PhaseTime:
    """When one phase ran, and the bytes it had to move (None: nothing, or not known for this phase).

    The second phase of one name within a workload is called ``write #2``.
    """

    name: str
    start_s: float
    end_s: float
    read: Rate | None
    write: Rate | None

    @property
    def elapsed_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True)
class WorkloadTime:
    """When one workload ran and how fast it was.

    ``workload`` is its kind's name; a second workload of the same kind is called ``terasort #2``.
    ``index`` is its place in the record. ``end_s`` of a workload that was cut off is the last moment
    the record knows of.
    """

    workload: str
    index: int
    outcome: Outcome
    start_s: float
    end_s: float
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


Bound = Literal["reading", "writing", "disk", "memory", "CPU", "others", "waiting", "unknown"]
"""What a phase was limited by: ``disk`` is reading as much as writing, ``waiting`` means that no resource
was near its limit, ``unknown`` that the samples do not tell."""


@dataclass(frozen=True)
class LimitShare:
    """How close a workload (``phase`` None) or phase came to the raw limits of this host.

    ``disk_s`` is the time the data disks need at their raw rates for the bytes that must move: each
    byte that can be paired (one read, one written) at the copy rate, the rest at the read or write
    rate. ``memory_s`` is one memcpy of the larger of the two directions. ``limit_s`` is the larger of
    both. ``cpu_busy`` and ``disk_busy`` are measured shares (None: no samples, or too few); ``cpu_others`` is
    what other processes had of all CPU time (None: not sampled).
    ``name`` is what the disk limit amounts to in words, ``the disk's own copy``.
    """

    workload: str
    phase: str | None
    elapsed_s: float
    read_bytes: float
    write_bytes: float
    disk_s: float
    memory_s: float
    cpu_busy: float | None
    disk_busy: float | None
    cpu_others: float | None
    bound: Bound
    name: str

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
    """One workload or phase as it was simulated, and as it was published or measured.

    ``source`` names the published or the measured run, ``differs`` says in words what else is not the same.
    """

    workload: str
    phase: str | None
    simulated_s: float
    known_s: float
    origin: Literal["published", "measured"]
    source: str
    differs: tuple[str, ...]

    @property
    def error(self) -> float:
        """How far the simulated time lies above the known one, as a share of it."""
        return self.simulated_s / self.known_s - 1


@dataclass(frozen=True)
class JobOverhead:
    """Time one job spent on other things than its tasks' work: the last of the ``jobs`` of its workload.

    ``before_s`` runs from the job's submission to the start of its first task, ``after_s`` from the end of
    its last task to the end of the workload. ``tasks`` and ``slots`` are of the ``kind`` there are most tasks
    of, ``waves`` the one over the other, ``turnaround_s`` the median time a slot stood empty between two of
    them, ``least_task_s`` the time of the shortest task of any kind, which bounds what starting one takes.
    ``cpu_share`` and ``gc_share`` are the parts of all task time spent computing and collecting garbage.
    """

    workload: str
    jobs: int
    before_s: float
    after_s: float
    least_task_s: float
    kind: str
    tasks: int
    slots: int
    waves: float
    turnaround_s: float | None
    task_s: float
    cpu_share: float | None
    gc_share: float | None


@dataclass(frozen=True)
class FloorDistance:
    """One workload against the same one of the floor, the local engine's run of the same rows.

    ``differs`` says in words what else than Hadoop is not the same: rows, replicas, cores, disks.
    """

    workload: str
    elapsed_s: float
    floor_s: float
    floor_run: str
    differs: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """How many times the floor it took."""
        return self.elapsed_s / self.floor_s if self.floor_s > 0 else 0.0
