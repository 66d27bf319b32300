"""Workers and tasks that held others up, and why."""

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
    would have been spared under its peers' conditions. ``against`` says what it was held against:
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
