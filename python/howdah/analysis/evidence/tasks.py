"""How evenly work fell on tasks and workers, who held others up, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
    held_share: float | None = None
    """The part of the time in which a resource stood at its ceiling; None for causes without one."""

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
class Starvation:
    """Tasks of one kind of a job that waited, and how many slots stood empty meanwhile.

    From ``start_s`` on they could begin, at ``end_s`` the last one did. ``empty_share`` is the part of all
    slot time, from ``start_s`` to the end of the last one, in which slots were free while as many tasks
    waited. ``given_each_beat`` is how many a worker began in each heartbeat, in the mean.
    """

    workload: str
    kind: str
    slots: int
    workers: int
    start_s: float
    end_s: float
    empty_share: float
    heartbeat_s: float
    given_each_beat: float


@dataclass(frozen=True)
class Balance:
    """How evenly bytes fell on several places: ``of`` is ``partitions``, ``disks read``,
    ``disks written``, ``data directories``, ``hosts`` or ``workers``.
    """

    workload: str
    of: str
    names: tuple[str, ...]
    bytes: tuple[float, ...]
    max_over_mean: float
    variation: float


@dataclass(frozen=True)
class Spills:
    """Intermediate data on disk: rows spilled per input row, and raw over stored bytes."""

    workload: str
    codec: str
    rows_per_row: float
    raw_bytes: int
    stored_bytes: int
    read_bytes: int

    @property
    def ratio(self) -> float:
        """Compression ratio, raw over stored."""
        return self.raw_bytes / self.stored_bytes if self.stored_bytes > 0 else 1.0
