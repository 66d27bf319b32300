"""A job's tasks, its workers' samples and the plan's limits, and which limits a worker ran into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np

from howdah.analysis.evidence.times import Cause, Sign
from howdah.analysis.evidence.use import FloatArray
from howdah.analysis.machines import Timeline, Track
from howdah.analysis.operation_steps import Stretch, apart_s
from howdah.analysis.use import QUIET_BYTES_PER_S
from howdah.model.inventory import DiskRole
from howdah.model.placement import placed_hosts
from howdah.model.plan import Plan
from howdah.model.run import Origin, TaskAttempt

LEAST_PEERS = 2  # With fewer peers than this their median says nothing, and what was planned counts instead.


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
    """One workload on its workers; of workers that were lost it has nothing."""

    timeline: Timeline
    span: tuple[float, float]  # From the first start to the last end of the attempts that succeeded.
    workers: tuple[str, ...]
    attempts: tuple[TaskAttempt, ...]  # Those that succeeded.
    failed: tuple[TaskAttempt, ...]  # All others.
    planned: Mapping[str, Planned]
    origin: Origin
    again: tuple[TaskAttempt, ...] = ()  # What others repeated for lost workers.
    waits: tuple[tuple[float, float], ...] = ()  # When the job waited for them.
    still: tuple[Stretch, ...] = ()  # When nothing was answered after a fault: no worker's fault.

    @property
    def seconds(self) -> float:
        return self.span[1] - self.span[0]

    def idle_s(self, worker: str, start_s: float, end_s: float) -> float:
        """For how much of a stretch a worker ran no task, though the job waited for no lost one."""
        mine = (
            attempt for attempt in (*self.attempts, *self.failed, *self.again) if attempt.worker == worker
        )
        ran = ((attempt.start_s, attempt.end_s) for attempt in mine)
        idle_s, until_s = end_s - start_s, start_s
        for from_s, to_s in sorted([*self.waits, *self.still, *ran]):
            idle_s -= max(0.0, min(to_s, end_s) - max(from_s, until_s))
            until_s = max(until_s, to_s)
        return idle_s

    def growth(self, worker: str, metric: str) -> float | None:
        """How much a counter grew in the span; None where it was not sampled."""
        track = self.timeline.track(worker, metric)
        return track.growth(*self.span) if track else None

    def shares(self, metric: str) -> dict[str, float]:
        """The part of the span that a counter of seconds grew by, of every worker that was sampled."""
        grown = self.timeline.grown(metric, *self.span)
        return {name: min(1.0, grown[name] / self.seconds) for name in self.workers if name in grown}

    def over_least(self, worker: str, metric: str, least: float) -> float | None:
        """The part of the samples in which a gauge was at least so much; None where it was not sampled."""
        track = self.timeline.track(worker, metric)
        if track is None:
            return None
        within = (track.times_s >= self.span[0]) & (track.times_s <= self.span[1])
        return float((track.values[within] >= least).mean()) if within.any() else 0.0

    def working(self, task: TaskAttempt) -> tuple[float, float]:
        """From when to when a task could work: a reduce task began to wait before the last map task ended."""
        if task.kind != "reduce":
            return task.start_s, task.end_s
        return min(max(task.start_s, self._mapped_s), task.end_s), task.end_s

    def working_s(self, task: TaskAttempt) -> float:
        return float(apart_s(*self.working(task), self.still))

    @cached_property
    def _mapped_s(self) -> float:
        return max(
            (attempt.end_s for attempt in self.attempts if attempt.kind == "map"), default=self.span[0]
        )

    def plan(self, worker: str) -> Planned:
        return self.planned.get(worker, Planned())


class Reference(NamedTuple):
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
        references = [Reference(float(value), "peers") for value in others]
        if planned is not None:
            references.append(Reference(planned, "plan"))
        return min(references, default=None)

    def _without(self, own: Of) -> FloatArray:
        return np.delete(self._sorted, int(np.searchsorted(self._sorted, self._values[own])))


def _quantile(ascending: FloatArray, share: float) -> float:
    """A quantile of sorted values, straight between two of them, at the same cost for two and thousands."""
    place = share * (len(ascending) - 1)
    low = int(place)
    high = min(low + 1, len(ascending) - 1)
    return float(ascending[low] + (place - low) * (ascending[high] - ascending[low]))


def bytes_moved(task: TaskAttempt) -> int:
    return max(task.input_bytes, task.output_bytes, task.shuffled_bytes or 0)


# The rate that so much of the amount did not exceed. A limit shows at the top; the very top is noise.
TOP = 0.95
NEAR = 0.15  # So far around that rate still counts as the same.
GAP = 2.0  # A sampler that was held up so many intervals lost what lies between.
LEAST_SAMPLED = 0.5  # Where more than the rest moved in gaps, what is left tells nothing.
LEAST_INTERVALS = 4  # Fewer sample intervals than this tell nothing about steadiness.
STEADY = 0.5  # A resource that a limit holds moves at least so much of its amount at that one rate.
LEAST_CPUS = 0.02
WANDERS = 0.25  # Rates wander with what there is to do.
CHATTER_BYTES_PER_S = 1e5  # Heartbeats and logs are steady too, but no more than this.


class Ceiling(NamedTuple):
    """The rate at the top, the part of the time near it, and the part of the amount moved there."""

    level: float
    time_share: float
    amount_share: float


def ceiling_of(
    timeline: Timeline, machine: str, metrics: Sequence[str], span: tuple[float, float]
) -> Ceiling | None:
    """How a machine used the sum of some counters; None where nothing moved, or too little was sampled."""
    tracks = timeline.tracks([machine], metrics)
    if not tracks:
        return None
    times = edges(tracks[0], span)
    if len(times) <= LEAST_INTERVALS:
        return None
    lengths = np.diff(times)
    amounts = np.maximum(timeline.steps(machine, metrics, times), 0.0)
    # At which rates a gap's amount moved, nobody knows: its mean would look like a low limit.
    sampled = lengths <= GAP * np.median(lengths)
    total = float(amounts[sampled].sum())
    if total <= 0 or total < LEAST_SAMPLED * amounts.sum():
        return None
    lengths, amounts = lengths[sampled], amounts[sampled]
    rates = amounts / lengths
    order = np.argsort(rates)
    reached = np.cumsum(amounts[order]) / total
    level = float(rates[order][int(np.searchsorted(reached, TOP - 1e-9))])
    near = np.abs(rates - level) <= NEAR * level
    return Ceiling(level, float(lengths[near].sum() / lengths.sum()), float(amounts[near].sum() / total))


def edges(track: Track, span: tuple[float, float]) -> FloatArray:
    """The samples to look between; one that a gap follows was held up itself and read who knows when."""
    times = track.times_s[(track.times_s >= span[0]) & (track.times_s <= span[1])]
    if len(times) <= LEAST_INTERVALS:
        return times
    lengths = np.diff(times)
    late = np.append(lengths > GAP * np.median(lengths), False)
    return np.delete(times, np.flatnonzero(late))


def low_ceilings(
    cause: Cause, quantity: str, uses: Mapping[tuple[str, str], Ceiling], planned: Mapping[str, float | None]
) -> Iterator[CauseMark]:
    """Every resource, by worker and instance, that stood at a lower ceiling than the others.

    The time at the ceiling would have shrunk in proportion to it: that is the share of time lost. Peers whose
    ceilings are next to nothing had no use for it either.
    """
    unit, least = ("CPUs", LEAST_CPUS) if cause == "CPU held back" else ("B/s", QUIET_BYTES_PER_S)
    tops = Peers({key: ceiling.level for key, ceiling in uses.items()})
    for (worker, instance), ceiling in uses.items():
        if ceiling.amount_share < STEADY:
            continue
        against = tops.capable((worker, instance), planned.get(worker))
        if against is None or against.value < least or ceiling.level >= against.value:
            continue
        lost = ceiling.time_share * (1 - ceiling.level / against.value)
        name = f"{quantity} {instance}" if instance else quantity
        sign = Sign(cause, lost, name, unit, ceiling.level, *against, WANDERS, ceiling.time_share)
        yield CauseMark(worker, "", None, sign)


def above_peers(
    cause: Cause, shares: Mapping[str, float], quantity: str, wanders: float, kind: str = ""
) -> Iterator[CauseMark]:
    """Every worker with a larger share of something than its peers, who lost as much more of its time."""
    everyone = Peers(shares)
    for worker, share in shares.items():
        peers = everyone.usual(worker)
        if share > peers.value:
            sign = Sign(cause, share - peers.value, quantity, "1", share, *peers, wanders)
            yield CauseMark(worker, kind, None, sign)


def planned_limits(plan: Plan) -> dict[str, Planned]:
    """Every worker's limits by name, its host's whole link and outer disk rates; empty without a cluster."""
    if plan.cluster is None:
        return {}
    groups = {group.name: group for group in plan.cluster.inventory.groups}
    kinds = {kind.name: kind for kind in plan.workers}
    return {
        worker.name: Planned(
            disk_bytes_per_s=min(
                (
                    float(disk.outer_bytes_per_s)
                    for disk in groups[host.group].disks
                    if disk.role is DiskRole.DATA and disk.outer_bytes_per_s is not None
                ),
                default=None,
            ),
            link_bytes_per_s=groups[host.group].network_bits_per_s / 8,
            cpus=kinds[worker.kind].vcpus,
        )
        for host in placed_hosts(plan.cluster)
        for worker in host.workers
    }
