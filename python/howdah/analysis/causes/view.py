"""What the causes of slowness are looked for in: one job's tasks, its workers' samples, what was planned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np

from howdah.analysis.evidence import FloatArray, Sign
from howdah.analysis.stalls import Stretch, apart_s
from howdah.analysis.timeline import Timeline
from howdah.model.run import Origin, TaskAttempt

LEAST_PEERS = 2
"""With fewer peers than this their median says nothing, and what was planned counts instead."""


class Planned(NamedTuple):
    """What the plan allows a worker, None where it does not say."""

    disk_bytes_per_s: float | None = None
    link_bytes_per_s: float | None = None
    cpus: float | None = None


class CauseMark(NamedTuple):
    """A sign and on whom it was found; ``task`` is None where it is the whole worker."""

    worker: str
    kind: str
    task: int | None
    sign: Sign


@dataclass(frozen=True, eq=False)
class View:
    """One workload on its workers.

    ``attempts`` are those that succeeded, ``failed`` all others; ``span`` runs from the first start to the
    last end of those that succeeded. Of workers that were lost it has nothing; ``again`` is what others did
    anew for them, and ``held`` when the job waited for them.
    """

    timeline: Timeline
    span: tuple[float, float]
    workers: tuple[str, ...]
    attempts: tuple[TaskAttempt, ...]
    failed: tuple[TaskAttempt, ...]
    planned: Mapping[str, Planned]
    origin: Origin
    again: tuple[TaskAttempt, ...] = ()
    held: tuple[tuple[float, float], ...] = ()
    still: tuple[Stretch, ...] = ()
    """When nothing was answered after a fault, of which no worker is the cause."""

    @property
    def seconds(self) -> float:
        """The length of the span."""
        return self.span[1] - self.span[0]

    def idle_s(self, worker: str, start_s: float, end_s: float) -> float:
        """For how much of a stretch a worker ran no task, though the job waited for no lost one."""
        mine = (
            attempt for attempt in (*self.attempts, *self.failed, *self.again) if attempt.worker == worker
        )
        ran = ((attempt.start_s, attempt.end_s) for attempt in mine)
        idle_s, until_s = end_s - start_s, start_s
        for from_s, to_s in sorted([*self.held, *self.still, *ran]):
            idle_s -= max(0.0, min(to_s, end_s) - max(from_s, until_s))
            until_s = max(until_s, to_s)
        return idle_s

    def growth(self, worker: str, metric: str) -> float | None:
        """How much a counter grew in the span; None where it was not sampled."""
        track = self.timeline.track(worker, metric)
        return track.growth(*self.span) if track else None

    def working(self, task: TaskAttempt) -> tuple[float, float]:
        """From when to when a task could work: a reduce task began to wait before the last map task ended."""
        if task.kind != "reduce":
            return task.start_s, task.end_s
        return min(max(task.start_s, self._mapped_s), task.end_s), task.end_s

    def working_s(self, task: TaskAttempt) -> float:
        """How long that was."""
        return float(apart_s(*self.working(task), self.still))

    @cached_property
    def _mapped_s(self) -> float:
        return max(
            (attempt.end_s for attempt in self.attempts if attempt.kind == "map"), default=self.span[0]
        )

    def plan(self, worker: str) -> Planned:
        """What the plan allows a worker."""
        return self.planned.get(worker, Planned())


class Reference(NamedTuple):
    """What one value was compared with."""

    value: float
    against: Literal["peers", "plan"]


Of = TypeVar("Of")


class Peers(Generic[Of]):
    """One number of each of many, to hold each against the others."""

    def __init__(self, values: Mapping[Of, float]) -> None:
        self._values = values
        self._sorted = np.sort(np.array(list(values.values()), dtype=np.float64))

    def usual(self, own: Of) -> Reference:
        """The peers' median of what a healthy worker has little of; a lone one is compared with none."""
        others = self._without(own)
        return Reference(_quantile(others, 0.5), "peers") if len(others) else Reference(0.0, "plan")

    def capable(self, own: Of, planned: float | None) -> Reference | None:
        """The rate a resource should reach: its peers' upper quartile; with too few of them what is planned.

        A rate shows what a link or disk can carry only where there was something to carry, so the better
        peers count. A single peer counts where it did no better than planned: what slows both is nobody's
        own.
        """
        others = self._without(own)
        if len(others) >= LEAST_PEERS:
            return Reference(_quantile(others, 0.75), "peers")
        known = [Reference(float(value), "peers") for value in others]
        if planned is not None:
            known.append(Reference(planned, "plan"))
        return min(known, default=None)

    def _without(self, own: Of) -> FloatArray:
        return np.delete(self._sorted, int(np.searchsorted(self._sorted, self._values[own])))


def _quantile(ascending: FloatArray, share: float) -> float:
    """A quantile of sorted values, straight between two of them, at the same cost for two and thousands."""
    place = share * (len(ascending) - 1)
    low = int(place)
    high = min(low + 1, len(ascending) - 1)
    return float(ascending[low] + (place - low) * (ascending[high] - ascending[low]))


def by_kind(
    attempts: Sequence[TaskAttempt], of: Callable[[TaskAttempt], str]
) -> dict[str, list[TaskAttempt]]:
    """The attempts grouped by something about them."""
    result: dict[str, list[TaskAttempt]] = {}
    for attempt in attempts:
        result.setdefault(of(attempt), []).append(attempt)
    return result


def bytes_moved(task: TaskAttempt) -> int:
    """The bytes that were a task's work."""
    return max(task.input_bytes, task.output_bytes, task.shuffled_bytes or 0)
