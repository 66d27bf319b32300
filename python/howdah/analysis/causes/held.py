"""Resources of a worker that a limit holds: at one steady rate, or at a ceiling lower than its peers'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from howdah.analysis.causes.view import CauseMark, Peers, Planned
from howdah.analysis.evidence import Cause, FloatArray, Sign
from howdah.analysis.timeline import Timeline, Track
from howdah.model.inventory import DiskRole, HostGroup
from howdah.model.placement import placed_hosts
from howdah.model.plan import Plan

# The rate that so much of the amount did not exceed. A limit shows at the top; the very top is noise.
TOP = 0.95
# So far around that rate still counts as the same.
NEAR = 0.15
# A sampler that was held up so many intervals lost what lies between.
GAP = 2.0
# Where more than the rest moved in gaps, what is left tells nothing.
KNOWN = 0.5
# Fewer sample intervals than this tell nothing about steadiness.
LEAST_INTERVALS = 4

# A resource that a limit holds moves at least so much of its amount at that one rate.
STEADY = 0.5
# Rates wander with what there is to do.
WANDERS = 0.25
# Heartbeats and logs are steady too, but no more than this.
CHATTER_BYTES_PER_S = 1e5


class Held(NamedTuple):
    """The rate at the top, the part of the time near it, and the part of the amount moved there."""

    level: float
    time_share: float
    amount_share: float


def held(timeline: Timeline, machine: str, metrics: Sequence[str], span: tuple[float, float]) -> Held | None:
    """How a machine used the sum of some counters; None where nothing moved, or too little was sampled."""
    tracks = [track for metric in metrics if (track := timeline.track(machine, metric)) is not None]
    if not tracks:
        return None
    times = edges(tracks[0], span)
    if len(times) <= LEAST_INTERVALS:
        return None
    lengths = np.diff(times)
    amounts = np.maximum(sum((np.diff(track.at(times)) for track in tracks), np.zeros(len(lengths))), 0.0)
    # At which rates a gap's amount moved, nobody knows: its mean would look like a low limit.
    known = lengths <= GAP * np.median(lengths)
    total = float(amounts[known].sum())
    if total <= 0 or total < KNOWN * amounts.sum():
        return None
    lengths, amounts = lengths[known], amounts[known]
    rates = amounts / lengths
    order = np.argsort(rates)
    reached = np.cumsum(amounts[order]) / total
    level = float(rates[order][int(np.searchsorted(reached, TOP - 1e-9))])
    near = np.abs(rates - level) <= NEAR * level
    return Held(level, float(lengths[near].sum() / lengths.sum()), float(amounts[near].sum() / total))


def edges(track: Track, span: tuple[float, float]) -> FloatArray:
    """The samples to look between; one that a gap follows was held up itself and read who knows when."""
    times = track.times_s[(track.times_s >= span[0]) & (track.times_s <= span[1])]
    if len(times) <= LEAST_INTERVALS:
        return times
    lengths = np.diff(times)
    late = np.append(lengths > GAP * np.median(lengths), False)
    return np.delete(times, np.flatnonzero(late))


class Resource(NamedTuple):
    """What may be held at a ceiling; peers whose ceilings are below ``least`` had no use for it either."""

    cause: Cause
    quantity: str
    unit: str
    least: float


def low_ceilings(
    what: Resource, uses: Mapping[tuple[str, str], Held], planned: Mapping[str, float | None]
) -> Iterator[CauseMark]:
    """Every resource, by worker and instance, that stood at a lower ceiling than the others.

    The time at the ceiling would have shrunk in proportion to it: that is the share of time lost.
    """
    tops = Peers({key: held.level for key, held in uses.items()})
    for (worker, instance), held in uses.items():
        if held.amount_share < STEADY:
            continue
        against = tops.capable((worker, instance), planned.get(worker))
        if against is None or against.value < what.least or held.level >= against.value:
            continue
        lost = held.time_share * (1 - held.level / against.value)
        name = f"{what.quantity} {instance}" if instance else what.quantity
        sign = Sign(what.cause, lost, name, what.unit, held.level, *against, WANDERS, held.time_share)
        yield CauseMark(worker, "", None, sign)


def planned_limits(plan: Plan) -> dict[str, Planned]:
    """Every worker's limits by its name; empty without a cluster.

    A link is its host's: a worker may use all of it. A disk's rate is that of its outer zone.
    """
    if plan.cluster is None:
        return {}
    groups = {group.name: group for group in plan.cluster.inventory.groups}
    kinds = {kind.name: kind for kind in plan.workers}
    return {
        worker.name: Planned(
            disk_bytes_per_s=_disk_rate(groups[host.group]),
            link_bytes_per_s=groups[host.group].network_bits_per_s / 8,
            cpus=kinds[worker.kind].vcpus,
        )
        for host in placed_hosts(plan.cluster)
        for worker in host.workers
    }


def _disk_rate(group: HostGroup) -> float | None:
    rates = [disk.outer_bytes_per_s for disk in group.disks if disk.role is DiskRole.DATA]
    known = [float(rate) for rate in rates if rate is not None]
    return min(known, default=None)
