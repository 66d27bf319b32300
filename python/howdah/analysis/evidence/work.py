"""How evenly work fell: over tasks, places and memory."""

from __future__ import annotations

from dataclasses import dataclass


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
