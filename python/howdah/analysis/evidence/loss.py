"""What a lost worker cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WorkerLoss:
    """A worker whose DataNode or NodeManager was lost while a workload ran, and what that cost.

    ``phase`` is the phase it happened in. ``daemons`` are those that were lost; ``back_s`` is None where
    none of them came back. ``lost`` is how
    many attempts ended with it or lost the map output they had written, ``wasted_s`` and ``wasted_bytes``
    their time and the bytes they had read and written; ``rerun`` how many attempts did that work again, and
    ``rerun_s`` their seconds. ``delay_s`` is how much later the last of these ended than the other
    tasks of its kind. Where the application master was lost as well, ``takeover_s`` is how long after the
    loss the first task of the next one began, and ``delay_s`` is no less: no task began meanwhile.
    """

    workload: str
    phase: str | None
    worker: str
    host: str
    daemons: tuple[str, ...]
    time_s: float
    back_s: float | None
    lost: int
    wasted_s: float
    wasted_bytes: int
    rerun: int
    rerun_s: float
    delay_s: float
    takeover_s: float | None = None
