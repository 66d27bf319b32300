"""A worker's disk that is slower than the others."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.causes.held import CHATTER_BYTES_PER_S, WANDERS, Held, Resource, held, low_ceilings
from howdah.analysis.causes.view import CauseMark, Peers, View
from howdah.analysis.evidence import Sign
from howdah.analysis.use import QUIET_BYTES_PER_S

# A disk that is busy so much of the time is what its worker waits for, whatever its rate.
BUSY = 0.7
# What any disk writes in a moment is no queue.
QUEUED_BYTES = 1e6
_WAYS = {
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
    for way, metrics in _WAYS.items():
        uses: dict[tuple[str, str], Held] = {}
        for worker, disk in disks:
            names = [f"disk/{disk}/{metric}" for metric in metrics]
            use = held(view.timeline, worker, names, view.span)
            if use is not None and use.level >= CHATTER_BYTES_PER_S:
                uses[worker, disk] = use
        what = Resource("slow disk", f"rate of {way}, disk", "B/s", QUIET_BYTES_PER_S)
        yield from low_ceilings(what, uses, planned)
    what = Resource("slow disk", "rate while busy, disk", "B/s", QUIET_BYTES_PER_S)
    yield from low_ceilings(what, _busy(view, disks), planned)
    # A limit on a control group holds requests before they reach the disk: it then moves them in bursts
    # and is never busy. Those who wait for it show it all the same.
    yield from _more(_awaited(view), "time in which its DataNode read from disks")
    yield from _more(_queued(view), "time in which bytes waited to be written to disks")


def _awaited(view: View) -> dict[str, float]:
    """How long DataNodes took to get what they sent from their disks; waiting for the network is apart."""
    waited: dict[str, float] = {}
    for worker in view.workers:
        waited_s = view.growth(worker, "datanode/send_transfer_s")
        if waited_s is not None:
            waited[worker] = min(1.0, waited_s / view.seconds)
    return waited


def _queued(view: View) -> dict[str, float]:
    """For how much of the time the page cache was writing; a healthy disk takes what it is given at once."""
    queued: dict[str, float] = {}
    for worker in view.workers:
        track = view.timeline.track(worker, "memory/writeback_bytes")
        if track is not None:
            within = (track.times_s >= view.span[0]) & (track.times_s <= view.span[1])
            queued[worker] = float((track.values[within] >= QUEUED_BYTES).mean()) if within.any() else 0.0
    return queued


def _more(shares: dict[str, float], quantity: str) -> Iterator[CauseMark]:
    all_shares = Peers(shares)
    for worker, share in shares.items():
        peers = all_shares.usual(worker)
        if share > peers.value:
            sign = Sign("slow disk", share - peers.value, quantity, "1", share, *peers, WANDERS)
            yield CauseMark(worker, "", None, sign)


def _busy(view: View, disks: list[tuple[str, str]]) -> dict[tuple[str, str], Held]:
    """Bytes per busy second of disks that were busy most of the time."""
    result = {}
    for worker, disk in disks:
        busy_s = view.growth(worker, f"disk/{disk}/busy_s")
        if busy_s is None or busy_s <= 0:
            continue
        total = sum(view.growth(worker, f"disk/{disk}/{name}") or 0.0 for name in _WAYS["both ways"])
        share = min(1.0, busy_s / view.seconds)
        result[worker, disk] = Held(total / busy_s, share, 1.0 if share >= BUSY else 0.0)
    return result
