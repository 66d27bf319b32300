"""What slows a worker's resources: a limit or others on its CPUs, a slow disk, a slow link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from howdah.analysis.causes.limits_met import (
    CHATTER_BYTES_PER_S,
    LEAST_CPUS,
    WANDERS,
    CauseMark,
    Ceiling,
    Peers,
    View,
    above_peers,
    ceiling_of,
    edges,
    low_ceilings,
)
from howdah.analysis.evidence.times import Sign
from howdah.analysis.evidence.use import OthersUse
from howdah.analysis.machines import MODES

# A worker that waits for something else computes less too, but its limit holds it back less than its
# peers', for every second it computes; one with a lower limit is held back at least so much more.
HELD_BACK_MORE = 1.3
HELD_BACK_LEAST = 0.05  # Of the whole time.
LIMIT_WANDERS = 0.15  # While held back, equal workers compute about as much: a limit is no matter of chance.
# Where nobody counts how long the limit held it back, the CPUs must have stood at it nearly all along.
STEADY = 0.9
STOLEN_WANDERS = 0.1  # Hypervisors give others CPU time that differs by this at most on equal hosts.
CONTENTION_WANDERS = 0.03  # The CPU time that any machine uses during a run for other work.


def _ceilings(
    view: View, metrics: Mapping[tuple[str, str], Sequence[str]], least: float
) -> dict[tuple[str, str], Ceiling]:
    """How workers used their resources, by worker and instance; those of next to no use are left out."""
    uses = {key: ceiling_of(view.timeline, key[0], names, view.span) for key, names in metrics.items()}
    return {key: use for key, use in uses.items() if use is not None and use.level >= least}


def held_back(view: View) -> Iterator[CauseMark]:
    """Workers whose limit left them less than others, and workers whose CPU time went to others."""
    uses: dict[tuple[str, str], Ceiling] = {}
    for worker in view.workers:
        metrics = [
            metric
            for cpu in view.timeline.instances(worker, "cpu")
            for metric in (f"cpu/{cpu}/user_s", f"cpu/{cpu}/system_s")
        ]
        use = _at_limit(view, worker) or ceiling_of(view.timeline, worker, metrics, view.span)
        if use is not None and use.level >= LEAST_CPUS:
            uses[worker, ""] = use
    planned = {worker: _allowed(view, worker) for worker in view.workers}
    throttled = _throttled(view)
    for mark in low_ceilings("CPU held back", "CPUs in use", uses, planned):
        if mark.worker not in throttled:
            if uses[mark.worker, ""].amount_share >= STEADY:
                yield mark
        else:
            back_s = view.growth(mark.worker, "cpu/all/throttled_s") or 0.0
            more = throttled[mark.worker] >= HELD_BACK_MORE * Peers(throttled).usual(mark.worker).value
            if more and back_s >= HELD_BACK_LEAST * view.seconds:
                yield mark._replace(sign=replace(mark.sign, wanders=LIMIT_WANDERS))
    shares: dict[str, float] = {}
    for worker in view.workers:
        cpus = view.timeline.instances(worker, "cpu")
        stolen_s = [view.growth(worker, f"cpu/{cpu}/steal_s") for cpu in cpus]
        sampled_s = [seconds for seconds in stolen_s if seconds is not None]
        if sampled_s:
            shares[worker] = sum(sampled_s) / len(sampled_s) / view.seconds
    yield from above_peers("CPU held back", shares, "CPU time given to others", STOLEN_WANDERS)


def _at_limit(view: View, worker: str) -> Ceiling | None:
    """What a worker computed while its limit held it back; None where nobody counts that, or it hardly did.

    Work comes and goes within a second, so the seconds in which it was held back longest count most.
    """
    user, system, back = (
        view.timeline.track(worker, f"cpu/all/{name}_s") for name in ("user", "system", "throttled")
    )
    if user is None or system is None or back is None:
        return None
    times = edges(back, view.span)
    if len(times) < 2 or back.growth(*view.span) < HELD_BACK_LEAST * view.seconds:
        return None
    lengths = np.diff(times)
    held_s = np.diff(back.at(times))
    if held_s.sum() <= 0:
        return None
    rates = (np.diff(user.at(times)) + np.diff(system.at(times))) / lengths
    shares = held_s / lengths
    usual = float((shares * held_s).sum() / held_s.sum())
    at_limit = shares >= usual / 2
    time_share = float(lengths[at_limit].sum() / lengths.sum())
    return Ceiling(float((rates * held_s).sum() / held_s.sum()), time_share, 1.0)


def _allowed(view: View, worker: str) -> float | None:
    """The CPUs of a worker: as planned, or fewer where its counted time adds up to a lower limit."""
    planned = view.plan(worker).cpus
    spent = [view.growth(worker, f"cpu/all/{mode}_s") for mode in MODES]
    counted = sum(mode_s for mode_s in spent if mode_s is not None) / view.seconds
    return min((cpus for cpus in (planned, counted) if cpus), default=None)


def _throttled(view: View) -> dict[str, float]:
    """Seconds a limit held a worker back for each second it computed."""
    result: dict[str, float] = {}
    for worker in view.workers:
        back_s = view.growth(worker, "cpu/all/throttled_s")
        used_s = sum(view.growth(worker, f"cpu/all/{mode}_s") or 0.0 for mode in ("user", "system"))
        if back_s is not None and used_s > 0:
            result[worker] = back_s / used_s
    return result


def contention(use: OthersUse) -> Sign:
    """What others used in a workload, as a sign: a quiet machine has hardly any of it."""
    quantity = f"CPU time of {use.machine} that others used"
    return Sign("contended machine", use.others, quantity, "1", use.others, 0.0, "quiet", CONTENTION_WANDERS)


BUSY = 0.7  # A disk that is busy so much of the time is what its worker waits for, whatever its rate.
DISK_QUEUED_BYTES = 1e6  # What any disk writes in a moment is no queue.
_DISK_WAYS = {
    "reading": ("read_bytes",),
    "writing": ("written_bytes",),
    "both ways": ("read_bytes", "written_bytes"),
}


def slow_disks(view: View, data_disks: tuple[str, ...]) -> Iterator[CauseMark]:
    """Disks that stood at a low rate, that were busy with little, or before which bytes waited."""
    disks = [
        (worker, disk)
        for worker in view.workers
        for disk in view.timeline.instances(worker, "disk")
        if disk in data_disks
    ]
    planned = {worker: view.plan(worker).disk_bytes_per_s for worker in view.workers}
    for way, metrics in _DISK_WAYS.items():
        names = {(worker, disk): [f"disk/{disk}/{metric}" for metric in metrics] for worker, disk in disks}
        uses = _ceilings(view, names, CHATTER_BYTES_PER_S)
        yield from low_ceilings("slow disk", f"rate of {way}, disk", uses, planned)
    yield from low_ceilings("slow disk", "rate while busy, disk", _busy(view, disks), planned)
    # A limit on a control group holds requests before they reach the disk: it then moves them in bursts
    # and is never busy. Those who wait for it show it all the same.
    # DataNodes count apart how long the disks and how long the network kept what they send.
    awaited = view.shares("datanode/send_transfer_s")
    yield from above_peers("slow disk", awaited, "time in which its DataNode read from disks", WANDERS)
    # A healthy disk takes what the page cache gives it at once.
    queued = {
        worker: share
        for worker in view.workers
        if (share := view.over_least(worker, "memory/writeback_bytes", DISK_QUEUED_BYTES)) is not None
    }
    yield from above_peers("slow disk", queued, "time in which bytes waited to be written to disks", WANDERS)


def _busy(view: View, disks: list[tuple[str, str]]) -> dict[tuple[str, str], Ceiling]:
    """Bytes per busy second of disks that were busy most of the time."""
    result = {}
    for worker, disk in disks:
        busy_s = view.growth(worker, f"disk/{disk}/busy_s")
        if busy_s is None or busy_s <= 0:
            continue
        total = sum(view.growth(worker, f"disk/{disk}/{name}") or 0.0 for name in _DISK_WAYS["both ways"])
        share = min(1.0, busy_s / view.seconds)
        result[worker, disk] = Ceiling(total / busy_s, share, 1.0 if share >= BUSY else 0.0)
    return result


QUEUED_BYTES = 30e3  # Twenty full segments; what a link sends at once is no queue.
ALIKE = 1.1  # Rates this close are the same.
# A link carries clearly less than others below this share of what they carry.
SLOWER = 0.75
WAITING_WANDERS = 0.1
# A queue is one of what is sent.
SENT = "tx_bytes"
_WAYS = {"receiving": "rx_bytes", "sending": SENT}


def slow_links(view: View) -> Iterator[CauseMark]:
    """Links that stood at a low rate, each direction by itself, or before which bytes waited."""
    planned = {worker: view.plan(worker).link_bytes_per_s for worker in view.workers}
    levels: dict[str, dict[str, float]] = {}
    low: dict[str, dict[str, CauseMark]] = {}
    for way, metric in _WAYS.items():
        names = {
            (worker, ""): [
                f"nic/{nic}/{metric}" for nic in view.timeline.instances(worker, "nic") if nic != "lo"
            ]
            for worker in view.workers
        }
        uses = _ceilings(view, names, CHATTER_BYTES_PER_S)
        for mark in low_ceilings("slow link", f"rate of {way}", uses, planned):
            low.setdefault(mark.worker, {})[metric] = mark
        levels[metric] = {worker: use.level for (worker, _), use in uses.items()}
    called = {worker: _both_ways(marks) for worker, marks in low.items()}
    for worker, mark in called.items():
        if not any(_at_the_end_of(worker, other, low, levels, called) for other in called):
            yield mark
    yield from _queues(view, levels[SENT])


def _both_ways(marks: Mapping[str, CauseMark]) -> CauseMark:
    """The stronger of a worker's marks, with what both directions lost.

    What is held in one direction may wait for the link at the other end; one's own link is slow in both.
    """
    strongest = max(marks.values(), key=lambda mark: mark.sign.lost_share)
    kept = prod(1 - mark.sign.lost_share for mark in marks.values())
    return strongest._replace(sign=replace(strongest.sign, lost_share=1 - kept))


def _at_the_end_of(
    worker: str,
    other: str,
    low: Mapping[str, Mapping[str, CauseMark]],
    levels: Mapping[str, Mapping[str, float]],
    called: Mapping[str, CauseMark],
) -> bool:
    """Whether a worker's link was held only by the slower one of another worker at its other end.

    Most of what it sent went there then, or most of what it got came from there: it carried no more than
    the other did, which lost more by it. In its other direction it carried clearly more, so that its own
    link can.
    """
    if len(low[worker]) > 1 or called[other].sign.lost_share <= called[worker].sign.lost_share:
        return False
    ((metric, mark),) = low[worker].items()
    back = next(way for way in _WAYS.values() if way != metric)
    end = low[other].get(back)
    rate = mark.sign.value
    return (
        end is not None and rate <= ALIKE * end.sign.value and rate < SLOWER * levels[back].get(worker, 0.0)
    )


def _queues(view: View, sent: Mapping[str, float]) -> Iterator[CauseMark]:
    """Links before which bytes waited for more of the time than elsewhere, though they carried no more."""
    waiting: dict[str, float] = {}
    for worker in view.workers:
        for nic in view.timeline.instances(worker, "nic"):
            queue = view.over_least(worker, f"nic/{nic}/queue_bytes", QUEUED_BYTES)
            if queue is not None:
                waiting[worker] = max(queue, waiting.get(worker, 0.0))
    queues, rates = Peers(waiting), Peers(sent)
    for worker, share in waiting.items():
        peers = queues.usual(worker)
        carries = rates.capable(worker, None) if worker in sent else None
        if share <= peers.value or carries is None or sent[worker] > ALIKE * carries.value:
            continue
        quantity = "time in which bytes waited for the link"
        # Bytes that wait before a link that carries clearly less than others wait for the link itself.
        wanders = WAITING_WANDERS if sent[worker] < SLOWER * carries.value else WANDERS
        sign = Sign("slow link", share - peers.value, quantity, "1", share, *peers, wanders)
        yield CauseMark(worker, "", None, sign)
