"""A worker's link that is slower than the others."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.causes.ceiling import low_ceilings
from howdah.analysis.causes.disk import QUIET_BYTES_PER_S
from howdah.analysis.causes.held import Held, held
from howdah.analysis.causes.view import Mark, View, usual
from howdah.analysis.evidence import Sign

# Twenty full segments; what a link sends at once is no queue.
QUEUED_BYTES = 30e3
# Rates this close are the same.
ALIKE = 1.1
_WAYS = {"receiving": "rx_bytes", "sending": "tx_bytes"}


def slow_links(view: View) -> Iterator[Mark]:
    """Links that stood at a low rate, each direction by itself, or before which bytes waited."""
    planned = {worker: view.plan(worker).link_bytes_per_s for worker in view.workers}
    tops: dict[str, float] = {}
    for way, metric in _WAYS.items():
        uses: dict[tuple[str, str], Held] = {}
        for worker in view.workers:
            nics = [nic for nic in view.timeline.instances(worker, "nic") if nic != "lo"]
            use = held(view.timeline, worker, [f"nic/{nic}/{metric}" for nic in nics], view.span)
            if use is not None and use.level >= QUIET_BYTES_PER_S:
                uses[worker, ""] = use
        yield from low_ceilings("slow link", f"rate of {way}", "B/s", uses, planned)
        tops.update({worker: max(use.level, tops.get(worker, 0.0)) for (worker, _), use in uses.items()})
    yield from _queues(view, tops)


def _queues(view: View, tops: dict[str, float]) -> Iterator[Mark]:
    """Links before which bytes waited for more of the time than elsewhere, though they carried no more."""
    waiting: dict[str, float] = {}
    for worker in view.workers:
        for nic in view.timeline.instances(worker, "nic"):
            track = view.timeline.track(worker, f"nic/{nic}/queue_bytes")
            if track is not None:
                within = (track.times_s >= view.span[0]) & (track.times_s <= view.span[1])
                share = float((track.values[within] >= QUEUED_BYTES).mean()) if within.any() else 0.0
                waiting[worker] = max(share, waiting.get(worker, 0.0))
    for worker, share in waiting.items():
        peers = usual(worker, waiting)
        others = [top for name, top in tops.items() if name != worker]
        if share > peers.value and worker in tops and others and tops[worker] <= ALIKE * max(others):
            what = "time in which bytes waited for the link"
            sign = Sign("slow link", share - peers.value, what, "1", share, *peers)
            yield Mark(worker, "", None, sign)
